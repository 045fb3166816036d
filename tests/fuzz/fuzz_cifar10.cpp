#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/formats/cifar/cifar_files.h"
#include "engine/formats/cifar/cifar_scan.h"
#include "engine/runtime/error.h"

namespace {

lambda::CifarLayout layoutOfOneImage() {
  lambda::CifarLayout layout = lambda::cifar10Layout();
  for (lambda::CifarFile& file : layout.files) file.images = 1;
  return layout;
}

const lambda::CifarLayout kLayout = layoutOfOneImage();

void checkLabels(const lambda::Cifar& set) {
  for (const lambda::LabeledImages* images : {&set.train, &set.test}) {
    if (images->pixels.size() != images->count() * lambda::CifarScan::kImageBytes) std::abort();
    if (std::ranges::any_of(images->labels, [](std::uint8_t label) { return label > 9; })) {
      std::abort();
    }
  }
}

// Parses the bytes as the content of one of the files; the first byte chooses which.
void tryRecords(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  lambda::CifarScan scan("fuzz", kLayout, true);
  const std::size_t index = std::to_integer<std::size_t>(bytes[0]) % scan.report.files.size();
  const std::span<const std::byte> content = bytes.subspan(1);
  scan.announce(index, content.size());
  scan.add(index, content);
  scan.finish();
  checkLabels(scan.images);
}

void tryArchive(std::span<const std::byte> bytes) {
  try {
    checkLabels(lambda::parseCifarArchive(bytes, "fuzz", kLayout));
  } catch (const lambda::Error&) {
  }
}

}  // namespace

// The first byte chooses between a file of records and an archive.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  if (data[0] % 2 == 0) {
    tryRecords(bytes);
  } else {
    tryArchive(bytes);
  }
  return 0;
}
