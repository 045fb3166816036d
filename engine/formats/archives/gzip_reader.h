#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/runtime/error.h"

struct z_stream_s;

namespace lambda {

/// A gzip stream that is torn, is no deflate code, or does not match its own checksum or length.
class GzipDamage : public Error {
 public:
  explicit GzipDamage(const std::string& reason) : Error("", reason) {}
};

/// Unpacks a gzip stream (RFC 1952) of one or more members and verifies the CRC-32 and the length
/// at the end of each. Bytes behind the last member are ignored, as gzip(1) does. A stream that
/// does not begin as gzip passes unchanged.
class GzipReader {
 public:
  /// Fills the bytes from the packed stream and returns how many, 0 at its end. What it throws
  /// passes through read().
  using Source = std::function<std::size_t(std::span<std::byte>)>;

  explicit GzipReader(Source source);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Fills `bytes` with what comes next; 0 at the end of the stream alone, which is then verified
  /// as a whole. Throws GzipDamage.
  std::size_t read(std::span<std::byte> bytes);

  /// Whether the packed stream has bytes behind its last member. Asked after read() gave 0.
  bool hasRest();

 private:
  enum class State { unknown, plain, packed, done };

  struct Free {
    void operator()(z_stream_s* stream) const;
  };

  void gather(std::span<const std::byte> kept);
  void begin();
  bool refill();
  void endMember();
  std::size_t readPlain(std::span<std::byte> bytes);
  std::size_t readPacked(std::span<std::byte> bytes);

  Source source_;
  State state_ = State::unknown;
  std::vector<std::byte> piece_;
  std::span<const std::byte> input_;  // Of piece_: what is not used yet.
  std::unique_ptr<z_stream_s, Free> stream_;
};

/// A source that gives what lies in memory; the bytes outlive it.
GzipReader::Source sourceOf(std::span<const std::byte> bytes);

/// Whether bytes begin as a gzip file does.
bool isGzip(std::span<const std::byte> bytes);

/// Unpacks a whole gzip file by a GzipReader. Throws Error naming `place` for damage, for bytes
/// behind the last member, and for more than `maxBytes`; memory grows with what really comes.
std::vector<std::byte> gunzip(std::span<const std::byte> bytes,
                              const std::string& place,
                              std::uint64_t maxBytes);

}  // namespace lambda
