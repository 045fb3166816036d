#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/formats/tensorboard/tfrecord.h"

// The first byte chooses: the file as it is, or as payloads that this puts into records with right
// CRCs, so that the messages are reached too. A payload is a length byte and that many bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  std::string file;
  if (data[0] % 2 == 0) {
    file = bytes;
  } else {
    file = lambda::encodeVersionEvent(0);
    while (!bytes.empty()) {
      const auto length = static_cast<unsigned char>(bytes.front());
      file += lambda::encodeTfRecord(bytes.substr(1, length));
      bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 1U + length));
    }
  }
  try {
    lambda::parseEvents(file, "fuzz");
  } catch (const lambda::Error&) {
  }
  return 0;
}
