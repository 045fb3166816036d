#include "engine/formats/tensors/npy.h"

#include <bit>
#include <optional>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/tensors/safetensors.h"

namespace lambda {

static_assert(std::endian::native == std::endian::little);

std::string encodeNpy(std::span<const float> values, std::span<const std::int64_t> shape) {
  // The notation of a Python tuple: (), (3,), (2, 3).
  std::string tuple = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) tuple += " ";
    tuple += std::to_string(shape[i]) + ",";
  }
  if (shape.size() > 1) tuple.pop_back();
  tuple += ")";
  if (tensorBytes(DType::F32, shape) != values.size_bytes()) {
    throw Error("NPY", std::to_string(values.size()) + " values do not fill the shape " + tuple);
  }
  constexpr std::size_t kPrefixBytes = 10;
  constexpr std::size_t kAlignment = 64;
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + tuple + ", }";
  const std::size_t used = kPrefixBytes + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ').push_back('\n');
  if (header.size() > 0xffff) {
    throw Error("NPY",
                "the format has no space for " + std::to_string(shape.size()) + " dimensions");
  }
  std::string file("\x93NUMPY\x01\x00", 8);
  file.push_back(static_cast<char>(header.size() & 0xff));
  file.push_back(static_cast<char>(header.size() >> 8));
  file += header;
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
