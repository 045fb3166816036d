#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/formats/tensorboard/event_stream.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/formats/tensorboard/tfrecord.h"

// The first byte chooses whether the rest is a whole file or a list of payloads. This target puts
// payloads into records with valid CRCs, so that the parser of the messages is reached too. A
// payload is a length byte followed by that many bytes.
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
    // The same values again in a second file, as after a restart without a mark.
    lambda::EventStream stream;
    for (const char* name : {"first", "second"}) stream.append(file, name);
    stream.dropRewound();
    stream.dropAbandoned();
  } catch (const lambda::Error&) {
  }
  return 0;
}
