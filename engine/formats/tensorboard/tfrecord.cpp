#include "engine/formats/tensorboard/tfrecord.h"

namespace lambda {

namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kCrcBytes = 4;
constexpr std::size_t kHeadBytes = kLengthBytes + kCrcBytes;

void appendLittleEndian(std::string& text, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t littleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

}  // namespace

std::string encodeTfRecord(std::string_view payload) {
  std::string record;
  record.reserve(payload.size() + kHeadBytes + kCrcBytes);
  appendLittleEndian(record, payload.size(), kLengthBytes);
  appendLittleEndian(record, maskedCrc32c(record), kCrcBytes);
  record.append(payload);
  appendLittleEndian(record, maskedCrc32c(payload), kCrcBytes);
  return record;
}

TfRecordReader::Status TfRecordReader::next(std::string_view& payload) {
  const std::string_view rest = bytes_.substr(offset_);
  if (rest.empty()) return Status::end;
  if (rest.size() < kHeadBytes) return Status::torn;
  const std::string_view lengthBytes = rest.substr(0, kLengthBytes);
  const std::uint64_t length = littleEndian(lengthBytes);
  if (littleEndian(rest.substr(kLengthBytes, kCrcBytes)) != maskedCrc32c(lengthBytes) ||
      length > kMaxEventFileBytes) {
    return Status::lost;
  }
  if (rest.size() - kHeadBytes < length + kCrcBytes) return Status::torn;
  payload = rest.substr(kHeadBytes, length);
  offset_ += kHeadBytes + length + kCrcBytes;
  const std::string_view crc = rest.substr(kHeadBytes + length, kCrcBytes);
  return littleEndian(crc) == maskedCrc32c(payload) ? Status::record : Status::damaged;
}

}  // namespace lambda
