#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/formats/idx/idx_files.h"
#include "engine/runtime/error.h"

// The first byte chooses between labels and images; the rest is unpacked if it begins like gzip.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  const int dimensions = data[0] % 2 == 0 ? 1 : 3;
  try {
    const lambda::IdxArray array = lambda::parseIdx(bytes, "fuzz", dimensions);
    std::size_t values = 1;
    for (const std::uint32_t side : array.shape) values *= side;
    if (array.shape.size() != static_cast<std::size_t>(dimensions)) std::abort();
    if (values == 0 || array.values.size() != values) std::abort();
  } catch (const lambda::Error&) {
  }
  return 0;
}
