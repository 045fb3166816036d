#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"

namespace lambda {

/// The Error that `action` throws; none if it returns. Other exceptions propagate.
template <class Action>
std::optional<Error> errorOf(Action&& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

/// A damaged copy of `bytes`: some of them are flipped, replaced, removed, doubled or cut off. The
/// result depends only on (bytes, seed, number).
inline std::string mutated(std::string bytes, std::uint64_t seed, std::uint64_t number) {
  KeyedRandom random({seed, number});
  const auto position = [&] { return random.below(static_cast<std::uint32_t>(bytes.size())); };
  for (std::uint32_t edits = 1 + random.below(4); edits > 0 && !bytes.empty(); --edits) {
    switch (random.below(6)) {
      case 0:
        bytes[position()] ^= static_cast<char>(1 << random.below(8));
        break;
      case 1:
        bytes[position()] = static_cast<char>(random.bits());
        break;
      case 2:
        bytes.erase(position(), 1 + random.below(8));
        break;
      case 3:
        bytes.insert(position(), bytes.substr(position(), 1 + random.below(64)));
        break;
      case 4:
        bytes.resize(position());
        break;
      default:
        bytes[position()] = "\x00\xff\x7f\x80"[random.below(4)];
        break;
    }
  }
  return bytes;
}

}  // namespace lambda
