#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/formats/cifar/cifar_files.h"
#include "engine/runtime/error.h"

// The input is an archive with one image in each file; the first byte chooses the kind of labels.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  const auto labels =
      data[0] % 2 == 0 ? lambda::Cifar100Labels::fine : lambda::Cifar100Labels::coarse;
  lambda::CifarLayout layout = lambda::cifar100Layout(labels);
  for (lambda::CifarFile& file : layout.files) file.images = 1;
  try {
    const lambda::Cifar set = lambda::parseCifarArchive(bytes, "fuzz", layout);
    for (const lambda::LabeledImages* images : {&set.train, &set.test}) {
      if (images->count() != 1 || images->pixels.size() != 3072) std::abort();
      if (images->labels[0] >= images->classNames.size()) std::abort();
    }
  } catch (const lambda::Error&) {
  }
  return 0;
}
