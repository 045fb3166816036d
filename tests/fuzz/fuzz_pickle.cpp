#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "engine/formats/pytorch/state_dict.h"
#include "engine/runtime/error.h"

// The bytes are the description in an archive with some storages, because a mutated archive rarely
// has a right checksum. They throw Error or describe tensors within those storages.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  std::map<std::string, std::vector<std::byte>> members;
  members["a/data.pkl"].assign(bytes.begin(), bytes.end());
  std::uint64_t sum = size;
  for (const std::size_t length : {96, 96, 12, 24, 8, 0, 16}) {
    members["a/data/" + std::to_string(members.size() - 1)].resize(length);
    sum += length;
  }
  try {
    const lambda::SafeTensors file = lambda::stateDictOfMembers(members, sum, "fuzz").file;
    std::uint64_t values = 0;
    for (const lambda::TensorView& tensor : file.tensors) {
      if (lambda::tensorBytes(tensor.dtype, tensor.shape) != tensor.bytes.size()) std::abort();
      values += tensor.bytes.size();
    }
    if (values > 4 * sum) std::abort();
  } catch (const lambda::Error&) {
  }
  return 0;
}
