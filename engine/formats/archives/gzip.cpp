#include "engine/formats/archives/gzip.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include <zlib.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr std::size_t kPieceBytes = 1 << 18;
constexpr int kGzipWindow = 15 + 16;  // zlib's greatest window, and gzip's header and trailer
constexpr const char* kHint = "Fetch or pack the file again.";

struct EndInflate {
  void operator()(z_stream* stream) const {
    inflateEnd(stream);
    delete stream;
  }
};

using Inflate = std::unique_ptr<z_stream, EndInflate>;

Inflate newInflate() {
  auto stream = std::make_unique<z_stream>();
  if (inflateInit2(stream.get(), kGzipWindow) != Z_OK) throw std::bad_alloc();
  return Inflate(stream.release());
}

}  // namespace

bool isGzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

std::vector<std::byte> gunzip(std::span<const std::byte> bytes,
                              const std::string& place,
                              std::uint64_t maxBytes) {
  const Inflate stream = newInflate();
  std::vector<std::byte> content;
  std::size_t taken = 0;
  for (bool isAtEnd = false; !isAtEnd;) {
    const std::size_t given =
        std::min<std::size_t>(bytes.size() - taken, std::numeric_limits<uInt>::max());
    // zlib only reads what it is given.
    stream->next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data() + taken));
    stream->avail_in = static_cast<uInt>(given);
    const std::size_t before = content.size();
    content.resize(before + kPieceBytes);
    stream->next_out = reinterpret_cast<Bytef*>(content.data() + before);
    stream->avail_out = static_cast<uInt>(kPieceBytes);
    const int status = inflate(stream.get(), Z_NO_FLUSH);
    content.resize(before + kPieceBytes - stream->avail_out);
    taken += given - stream->avail_in;
    if (content.size() > maxBytes) {
      throw Error(place, "unpacks to more than " + std::to_string(maxBytes) + " bytes", kHint);
    }
    if (status == Z_STREAM_END) {
      isAtEnd = taken == bytes.size();
      if (!isAtEnd && !isGzip(bytes.subspan(taken))) {
        throw Error(place, "has bytes behind the end of its gzip data", kHint);
      }
      inflateReset(stream.get());
    } else if (status == Z_BUF_ERROR ||
               (status == Z_OK && taken == bytes.size() && stream->avail_out > 0)) {
      throw Error(place, "ends before its gzip data do", kHint);
    } else if (status != Z_OK) {
      const char* reason = stream->msg;
      throw Error(place,
                  std::string("its gzip data are damaged: ") + (reason ? reason : "no gzip file"),
                  kHint);
    }
  }
  return content;
}

}  // namespace lambda
