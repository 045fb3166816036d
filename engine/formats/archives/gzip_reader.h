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

/// Thrown for a gzip stream that is incomplete, is not valid deflate data, or does not match its
/// checksum or length.
class GzipDamage : public Error {
 public:
  explicit GzipDamage(const std::string& reason) : Error("", reason) {}
};

/// Unpacks a gzip stream (RFC 1952) of one or more members and verifies the CRC-32 and the length
/// at the end of each. Bytes after the last member are ignored, as gzip(1) does. A stream that
/// does not begin as gzip is passed through unchanged.
class GzipReader {
 public:
  /// Fills the bytes from the packed stream and returns their number, 0 at its end. Its exceptions
  /// pass through read().
  using Source = std::function<std::size_t(std::span<std::byte>)>;

  explicit GzipReader(Source source);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Fills `bytes` with the next unpacked bytes and returns their number. It is 0 only at the end
  /// of the stream, whose checksums have all been verified then. Throws GzipDamage.
  std::size_t read(std::span<std::byte> bytes);

  /// Whether the packed stream has bytes after its last member. Call it after read() returned 0.
  bool hasTrailingBytes();

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
  std::span<const std::byte> input_;  // The part of piece_ that is not used yet.
  std::unique_ptr<z_stream_s, Free> stream_;
};

/// A source that reads bytes in memory, which must outlive it.
GzipReader::Source sourceOf(std::span<const std::byte> bytes);

/// Whether bytes begin as a gzip file does.
bool isGzip(std::span<const std::byte> bytes);

/// Unpacks a whole gzip file with a GzipReader. Throws Error naming `place` for damage, for bytes
/// after the last member, and for more than `maxBytes`. Memory grows with the bytes that are
/// unpacked.
std::vector<std::byte> gunzip(std::span<const std::byte> bytes,
                              const std::string& place,
                              std::uint64_t maxBytes);

}  // namespace lambda
