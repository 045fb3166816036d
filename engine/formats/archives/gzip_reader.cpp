#include "engine/formats/archives/gzip_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>

namespace lambda {

namespace {

constexpr std::size_t kPieceBytes = 1 << 16;
constexpr std::size_t kMagicBytes = 2;
constexpr const char* kHint = "Fetch or pack the file again.";
constexpr int kGzipWindow = 15 + 16;  // The largest window, with only gzip's wrapper.

/// Replaces zlib's terse messages for a checksum or a length that does not match.
std::string reasonOf(const z_stream& stream) {
  const std::string_view text = stream.msg != nullptr ? stream.msg : "unknown defect";
  if (text == "incorrect data check") return "its content does not match its checksum (CRC-32)";
  if (text == "incorrect length check") return "its content does not match the length at its end";
  return "its gzip stream is broken: " + std::string(text);
}

}  // namespace

void GzipReader::Free::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

GzipReader::GzipReader(Source source) : source_(std::move(source)), piece_(kPieceBytes) {}

GzipReader::~GzipReader() = default;

std::size_t GzipReader::read(std::span<std::byte> bytes) {
  if (bytes.empty()) return 0;
  if (state_ == State::unknown) begin();
  if (state_ == State::plain) return readPlain(bytes);
  if (state_ == State::packed) return readPacked(bytes);
  return 0;
}

/// Makes `kept` and the bytes that follow it the input: at least kMagicBytes, enough to recognise
/// gzip, unless the stream ends before.
void GzipReader::gather(std::span<const std::byte> kept) {
  std::copy(kept.begin(), kept.end(), piece_.begin());
  std::size_t filled = kept.size();
  while (filled < kMagicBytes) {
    const std::size_t count = source_(std::span(piece_).subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  input_ = std::span(piece_).first(filled);
}

void GzipReader::begin() {
  gather({});
  state_ = State::plain;
  if (!isGzip(input_)) return;
  auto stream = std::make_unique<z_stream>();
  if (inflateInit2(stream.get(), kGzipWindow) != Z_OK) throw std::bad_alloc();
  stream_.reset(stream.release());
  state_ = State::packed;
}

/// Reads the next packed bytes. False at the end of the packed stream.
bool GzipReader::refill() {
  const std::size_t count = source_(piece_);
  input_ = std::span(piece_).first(count);
  return count > 0;
}

std::size_t GzipReader::readPlain(std::span<std::byte> bytes) {
  if (input_.empty() && !refill()) {
    state_ = State::done;
    return 0;
  }
  const std::size_t count = std::min(bytes.size(), input_.size());
  std::memcpy(bytes.data(), input_.data(), count);
  input_ = input_.subspan(count);
  return count;
}

std::size_t GzipReader::readPacked(std::span<std::byte> bytes) {
  const auto space = static_cast<uInt>(std::min(bytes.size(), kPieceBytes));
  stream_->next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream_->avail_out = space;
  while (stream_->avail_out == space && state_ == State::packed) {
    if (input_.empty() && !refill()) {
      throw GzipDamage("its gzip stream ends in the middle: the file is not complete");
    }
    // zlib does not change its input, although its pointer type is not const.
    stream_->next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input_.data()));
    stream_->avail_in = static_cast<uInt>(input_.size());
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    input_ = input_.last(stream_->avail_in);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      throw GzipDamage(reasonOf(*stream_));
    }
    if (status == Z_STREAM_END) endMember();
  }
  return space - stream_->avail_out;
}

/// Another member may follow, whose first two bytes may lie in two pieces.
void GzipReader::endMember() {
  if (input_.size() < kMagicBytes) gather(input_);
  if (isGzip(input_)) {
    inflateReset(stream_.get());
  } else {
    state_ = State::done;
  }
}

bool GzipReader::hasTrailingBytes() {
  return !input_.empty() || refill();
}

GzipReader::Source sourceOf(std::span<const std::byte> bytes) {
  return [bytes](std::span<std::byte> piece) mutable {
    const std::size_t count = std::min(piece.size(), bytes.size());
    std::copy_n(bytes.begin(), count, piece.begin());
    bytes = bytes.subspan(count);
    return count;
  };
}

bool isGzip(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagicBytes && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

std::vector<std::byte> gunzip(std::span<const std::byte> bytes,
                              const std::string& place,
                              std::uint64_t maxBytes) {
  GzipReader reader(sourceOf(bytes));
  std::vector<std::byte> content;
  try {
    for (bool isAtEnd = false; !isAtEnd;) {
      const std::size_t before = content.size();
      content.resize(before + kPieceBytes);
      const std::size_t count = reader.read(std::span(content).subspan(before));
      content.resize(before + count);
      isAtEnd = count == 0;
      if (content.size() > maxBytes) {
        throw Error(place, "unpacks to more than " + std::to_string(maxBytes) + " bytes", kHint);
      }
    }
  } catch (const GzipDamage& damage) {
    throw Error(place, damage.reason(), kHint);
  }
  if (reader.hasTrailingBytes())
    throw Error(place, "has bytes behind the end of its gzip data", kHint);
  return content;
}

}  // namespace lambda
