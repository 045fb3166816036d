#include "engine/formats/tensors/npy.h"

#include <bit>
#include <optional>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/tensors/safetensors.h"

namespace lambda {

static_assert(std::endian::native == std::endian::little);

namespace {

/// The notation of a Python tuple: (), (3,), (2, 3).
std::string tupleOf(std::span<const std::int64_t> shape) {
  std::string tuple = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) tuple += " ";
    tuple += std::to_string(shape[i]) + ",";
  }
  if (shape.size() > 1) tuple.pop_back();
  return tuple + ")";
}

}  // namespace

std::string npyHeader(std::string_view type, std::span<const std::int64_t> shape) {
  constexpr std::size_t kPrefixBytes = 10;
  constexpr std::size_t kAlignment = 64;
  std::string header = "{'descr': " + std::string(type) +
                       ", 'fortran_order': False, 'shape': " + tupleOf(shape) + ", }";
  const std::size_t used = kPrefixBytes + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ').push_back('\n');
  if (header.size() > 0xffff) {
    throw Error("NPY",
                "the format has no space for " + std::to_string(shape.size()) + " dimensions");
  }
  std::string file("\x93NUMPY\x01\x00", 8);
  file.push_back(static_cast<char>(header.size() & 0xff));
  file.push_back(static_cast<char>(header.size() >> 8));
  return file + header;
}

std::string encodeNpy(std::span<const float> values, std::span<const std::int64_t> shape) {
  if (tensorBytes(DType::F32, shape) != values.size_bytes()) {
    throw Error("NPY",
                std::to_string(values.size()) + " values do not fill the shape " + tupleOf(shape));
  }
  std::string file = npyHeader("'<f4'", shape);
  file.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return file;
}

void writeNpy(const std::filesystem::path& path,
              std::span<const float> values,
              std::span<const std::int64_t> shape,
              FileSystem& system) {
  writeFileDurably(path, encodeNpy(values, shape), system);
}

}  // namespace lambda
