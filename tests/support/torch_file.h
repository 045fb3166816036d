#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/archives/zip_writer.h"

namespace lambda::test {

/// Names and shapes of tensors.
using NamedShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// The state dictionary of torchvision's ResNet-50.
inline NamedShapes torchResNet50() {
  NamedShapes tensors;
  const auto norm = [&](const std::string& name, std::int64_t channels) {
    for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
      tensors.push_back({name + "." + part, {channels}});
    }
    tensors.push_back({name + ".num_batches_tracked", {}});
  };
  tensors.push_back({"conv1.weight", {64, 3, 7, 7}});
  norm("bn1", 64);
  constexpr std::array<std::int64_t, 4> kBlocks = {3, 4, 6, 3};
  std::int64_t input = 64;
  for (std::size_t stage = 0; stage < kBlocks.size(); ++stage) {
    const std::int64_t width = 64 << stage;
    for (std::int64_t block = 0; block < kBlocks[stage]; ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      tensors.push_back({name + ".conv1.weight", {width, input, 1, 1}});
      norm(name + ".bn1", width);
      tensors.push_back({name + ".conv2.weight", {width, width, 3, 3}});
      norm(name + ".bn2", width);
      tensors.push_back({name + ".conv3.weight", {4 * width, width, 1, 1}});
      norm(name + ".bn3", 4 * width);
      if (block == 0) {
        tensors.push_back({name + ".downsample.0.weight", {4 * width, input, 1, 1}});
        norm(name + ".downsample.1", 4 * width);
      }
      input = 4 * width;
    }
  }
  tensors.push_back({"fc.weight", {1000, input}});
  tensors.push_back({"fc.bias", {1000}});
  return tensors;
}

/// The tensors of an RWKV-4 network with channel mixings that are four times as wide, as it is
/// published.
inline NamedShapes torchRwkv(std::int64_t vocabulary, std::int64_t width, int blocks) {
  NamedShapes tensors{{"emb.weight", {vocabulary, width}}};
  const auto norm = [&](const std::string& name) {
    for (const char* part : {".weight", ".bias"}) tensors.push_back({name + part, {width}});
  };
  for (int i = 0; i < blocks; ++i) {
    const std::string block = "blocks." + std::to_string(i) + ".";
    if (i == 0) norm(block + "ln0");
    norm(block + "ln1");
    norm(block + "ln2");
    tensors.push_back({block + "att.time_decay", {width}});
    tensors.push_back({block + "att.time_first", {width}});
    for (const char* share : {"att.time_mix_k",
                              "att.time_mix_v",
                              "att.time_mix_r",
                              "ffn.time_mix_k",
                              "ffn.time_mix_r"}) {
      tensors.push_back({block + share, {1, 1, width}});
    }
    for (const char* matrix :
         {"att.key", "att.value", "att.receptance", "att.output", "ffn.receptance"}) {
      tensors.push_back({block + matrix + ".weight", {width, width}});
    }
    tensors.push_back({block + "ffn.key.weight", {4 * width, width}});
    tensors.push_back({block + "ffn.value.weight", {width, 4 * width}});
  }
  norm("ln_out");
  tensors.push_back({"head.weight", {vocabulary, width}});
  return tensors;
}

struct TorchTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;  ///< Row-major.
};

/// Writes a file as torch.save() does, of tensors of one type: storage "HalfStorage", ...
inline void writeTorchFile(const std::filesystem::path& path,
                           const std::vector<TorchTensor>& tensors,
                           const std::string& storage) {
  const auto number = [](std::int64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  const auto text = [&](std::string_view value) {
    return "X" + number(static_cast<std::int64_t>(value.size()), 4) + std::string(value);
  };
  const auto numbers = [&](const std::vector<std::int64_t>& values) {
    std::string list = "(";
    for (const std::int64_t value : values) list += "J" + number(value, 4);
    return list + "t";
  };
  std::string pickle = std::string("\x80\x02", 2) + "}(";
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::vector<std::int64_t>& shape = tensors[i].shape;
    std::int64_t count = 1;
    std::vector<std::int64_t> strides(shape.size());
    for (std::size_t j = shape.size(); j-- > 0; count *= shape[j]) strides[j] = count;
    pickle += text(tensors[i].name) + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") +
              "ctorch\n" + storage + "\n" + text(std::to_string(i)) + text("cpu") + "J" +
              number(count, 4) + "tQJ" + number(0, 4) + numbers(shape) + numbers(strides) +
              "\x89}tR";
  }
  pickle += "u.";
  ZipWriter writer(path);
  writer.begin("archive/data.pkl", pickle.size());
  writer.append(std::as_bytes(std::span(pickle)));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    writer.begin("archive/data/" + std::to_string(i), tensors[i].bytes.size());
    writer.append(tensors[i].bytes);
  }
  writer.commit();
}

/// The same of zeros of half precision.
inline void writeTorchFile(const std::filesystem::path& path, const NamedShapes& shapes) {
  std::vector<TorchTensor> tensors;
  for (const auto& [name, shape] : shapes) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    tensors.push_back({name, shape, std::vector<std::byte>(static_cast<std::size_t>(2 * count))});
  }
  writeTorchFile(path, tensors, "HalfStorage");
}

}  // namespace lambda::test
