#include "engine/formats/pytorch/pickle_bytes.h"

#include <algorithm>

#include "engine/runtime/error.h"

namespace lambda {

unsigned PickleBytes::instruction() {
  start_ = at_;
  return byte();
}

std::string_view PickleBytes::take(std::size_t count) {
  if (count > bytes_.size() - at_) fail("ends within an instruction", kDamagedPickle);
  const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
  at_ += count;
  return {begin, count};
}

std::uint64_t PickleBytes::number(std::size_t count) {
  const std::string_view text = take(count);
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

std::int64_t PickleBytes::signedNumber(std::size_t count) {
  if (count == 0) return 0;
  const std::uint64_t value = number(count);
  const auto unused = static_cast<unsigned>(64 - 8 * count);
  return static_cast<std::int64_t>(value << unused) >> unused;
}

std::string PickleBytes::line() {
  const auto rest = bytes_.subspan(at_);
  const auto end = std::find(rest.begin(), rest.end(), std::byte{'\n'});
  if (end == rest.end()) fail("ends within a name", kDamagedPickle);
  std::string text(take(static_cast<std::size_t>(end - rest.begin())));
  at_ += 1;
  return text;
}

void PickleBytes::fail(const std::string& reason, const char* hint) const {
  throw Error(place_ + ", byte " + std::to_string(start_), reason, hint);
}

}  // namespace lambda
