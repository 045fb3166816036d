#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/ATen.h>

namespace lambda::test {

/// Weights of RWKV-4 in the file format of the program rwkv.cpp, version 100, of float32: numbers
/// of 32 bits, little-endian, a header of six, then the tensors. It stores the weights as published
/// except for `time_decay`, in place of which it has -exp(time_decay).
struct RwkvFile {
  int vocabulary = 0;
  int depth = 0;
  int layers = 0;
  std::map<std::string, at::Tensor> tensors;  ///< By their published names.
};

inline std::string bytesOfFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Throws std::runtime_error if the file is another one or too short.
inline RwkvFile readRwkvFile(const std::filesystem::path& path) {
  constexpr std::int32_t kMagic = 0x67676d66, kVersion = 100, kFloat32 = 0;
  const std::string bytes = bytesOfFile(path);
  std::size_t at = 0;
  const auto take = [&](void* target, std::size_t size) {
    if (bytes.size() - at < size) throw std::runtime_error(path.string() + " is too short");
    std::memcpy(target, bytes.data() + at, size);
    at += size;
  };
  const auto number = [&] {
    std::int32_t value = 0;
    take(&value, sizeof value);
    return value;
  };
  const auto require = [&](std::int32_t value, std::int32_t expected) {
    if (value != expected) throw std::runtime_error(path.string() + " is of another format");
  };
  RwkvFile file;
  require(number(), kMagic);
  require(number(), kVersion);
  file.vocabulary = number();
  file.depth = number();
  file.layers = number();
  require(number(), kFloat32);
  while (at < bytes.size()) {
    const std::int32_t dimensions = number(), nameSize = number();
    require(number(), kFloat32);
    std::vector<std::int64_t> shape(static_cast<std::size_t>(dimensions));
    for (std::int64_t& size : shape) size = number();
    std::ranges::reverse(shape);  // The fastest is the first.
    std::string name(static_cast<std::size_t>(nameSize), ' ');
    take(name.data(), name.size());
    at::Tensor tensor = at::empty(shape, at::kFloat);
    take(tensor.mutable_data_ptr(), tensor.nbytes());
    if (name.ends_with(".time_decay")) tensor = tensor.neg().log();
    file.tensors.emplace(name, tensor);
  }
  return file;
}

}  // namespace lambda::test
