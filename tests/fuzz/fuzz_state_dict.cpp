#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/formats/pytorch/state_dict.h"
#include "engine/runtime/error.h"

// Any bytes either throw Error or load into tensors whose bytes fit their shapes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const lambda::SafeTensors file =
        lambda::parseStateDict(std::as_bytes(std::span(data, size)), "fuzz").file;
    for (const lambda::TensorView& tensor : file.tensors) {
      if (lambda::tensorBytes(tensor.dtype, tensor.shape) != tensor.bytes.size()) std::abort();
    }
  } catch (const lambda::Error&) {
  }
  return 0;
}
