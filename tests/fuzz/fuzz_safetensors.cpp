#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/formats/tensors/safetensors.h"

// Any bytes either throw Error or load into tensors whose bytes fit their shapes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const lambda::SafeTensors file =
        lambda::parseSafeTensors(std::as_bytes(std::span(data, size)), "fuzz");
    std::size_t sum = 0;
    for (const lambda::TensorView& tensor : file.tensors) {
      if (lambda::tensorBytes(tensor.dtype, tensor.shape) != tensor.bytes.size()) std::abort();
      sum += tensor.bytes.size();
    }
    if (sum != file.storage->size()) std::abort();
    lambda::verifyDigest(file, "fuzz");
  } catch (const lambda::Error&) {
  }
  return 0;
}
