#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lambda {

/// Larger event files are not read.
inline constexpr std::uint64_t kMaxEventFileBytes = 1ULL << 30;

inline constexpr std::array<std::uint32_t, 256> kCrc32cTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}();

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78).
constexpr std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kCrc32cTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~crc;
}

/// The CRC as a TFRecord stores it. The mask avoids computing the CRC of data that contain CRCs.
constexpr std::uint32_t maskedCrc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

/// A TFRecord: length, its masked CRC, the payload, its masked CRC; little-endian.
std::string encodeTfRecord(std::string_view payload);

/// Reads the TFRecords of an untrusted buffer one by one, without copying.
class TfRecordReader {
 public:
  enum class Status {
    record,   ///< `payload` holds the next record.
    damaged,  ///< A record whose payload fails its CRC was skipped.
    end,      ///< The buffer ends after a whole record.
    torn,     ///< The buffer ends within a record, which is unfinished or was cut off.
    lost,     ///< A length fails its CRC or exceeds any file, so the next record can't be found.
  };

  explicit TfRecordReader(std::string_view bytes) : bytes_(bytes) {}

  /// Reads the next record. After end, torn or lost, returns the same status again.
  Status next(std::string_view& payload);

  /// Where the next record begins, in bytes.
  std::size_t offset() const { return offset_; }

 private:
  std::string_view bytes_;
  std::size_t offset_ = 0;
};

}  // namespace lambda
