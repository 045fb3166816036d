#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lambda {

// What to do about a file that can't be read.
inline constexpr const char* kDamagedPickle = "The file is damaged: copy or save it again.";
inline constexpr const char* kSaveStateDict =
    "Save the tensors alone: torch.save(model.state_dict(), \"weights.pt\").";

/// The instructions of an untrusted pickle as bytes, numbers and lines, read from its start. All
/// members throw Error, naming `place` and the instruction's byte, where the bytes end.
class PickleBytes {
 public:
  PickleBytes(std::span<const std::byte> bytes, const std::string& place)
      : bytes_(bytes), place_(place) {}

  /// Bytes read so far.
  std::size_t position() const { return at_; }

  /// The next instruction, which errors then name.
  unsigned instruction();

  std::string_view take(std::size_t count);

  unsigned byte() { return static_cast<unsigned char>(take(1)[0]); }

  /// Little-endian, of at most eight bytes.
  std::uint64_t number(std::size_t count);

  /// The same as two's complement; 0 of no bytes.
  std::int64_t signedNumber(std::size_t count);

  /// The text up to a line feed, which is left out.
  std::string line();

  /// Throws Error about the current instruction.
  [[noreturn]] void fail(const std::string& reason, const char* hint) const;

 private:
  std::span<const std::byte> bytes_;
  const std::string& place_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
};

}  // namespace lambda
