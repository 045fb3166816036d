#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// Element types under the names of the format, in its ascending order of alignment.
enum class DType {
  BOOL,
  F4,
  F6_E2M3,
  F6_E3M2,
  U8,
  I8,
  F8_E5M2,
  F8_E4M3,
  F8_E8M0,
  F8_E4M3FNUZ,
  F8_E5M2FNUZ,
  I16,
  U16,
  F16,
  BF16,
  I32,
  U32,
  F32,
  C64,
  F64,
  I64,
  U64,
};

/// The name as in a header, for example "F32".
std::string_view dtypeName(DType dtype);

std::optional<DType> dtypeFromName(std::string_view name);

/// Bytes of a dense tensor; none if a size is negative, the product overflows 64 bits, or the bits
/// do not fill whole bytes.
std::optional<std::uint64_t> tensorBytes(DType dtype, std::span<const std::int64_t> shape);

/// "[64, 3, 3, 3]"
std::string shapeText(std::span<const std::int64_t> shape);

/// A named dense tensor: row-major, little-endian, without strides. Another object owns `bytes`,
/// which need not be aligned for the type: copy from it, never cast it.
struct TensorView {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::int64_t> shape;  ///< Empty: a scalar. Zeros are allowed.
  std::span<const std::byte> bytes;
};

/// A safetensors file in memory. Copies share the bytes.
struct SafeTensors {
  std::vector<TensorView> tensors;  ///< In the order of their bytes in the file.
  std::map<std::string, std::string> metadata;
  std::shared_ptr<const std::vector<std::byte>> storage;  ///< The bytes that the views refer to.

  /// The tensor of that name; null if the file has none.
  const TensorView* find(std::string_view name) const;
};

/// The metadata key that holds the content's SHA-256.
inline constexpr std::string_view kDigestKey = "sha256";

struct SafeTensorsOptions {
  /// Add the digest, so that verifyDigest() detects any changed bit. Without it the file is
  /// identical byte for byte to that of the reference writer.
  bool digest = true;
};

/// Publishes the file whole (DurableWriter), in the reference writer's order: alignment descending,
/// then name. Throws Error for a name that is empty, reserved or used twice, bytes that do not fit
/// the shape, text that is not UTF-8, a header above 100 MB, and a file that can't be written.
void writeSafeTensors(const std::filesystem::path& path,
                      std::vector<TensorView> tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      const SafeTensorsOptions& options = {},
                      FileSystem& system = FileSystem::real());

/// Reads an untrusted file. It needs memory for the file and for a small multiple of the header.
/// The digest is not checked; see verifyDigest(). Throws Error naming the file and the tensor for
/// anything that the format forbids: a header above 100 MB, unknown or duplicate keys, gaps,
/// overlaps, inconsistent sizes, bytes after the end; and for ranks above 64.
SafeTensors readSafeTensors(const std::filesystem::path& path);

/// The same from bytes in memory; `place` names them in errors.
SafeTensors parseSafeTensors(std::span<const std::byte> bytes, const std::string& place);

/// Reads only the metadata. The header is checked as above; the tensors' bytes are not read.
std::map<std::string, std::string> readSafeTensorsMetadata(const std::filesystem::path& path);

bool hasDigest(const SafeTensors& file);

/// Throws Error, naming `place`, unless the file has a digest that matches its content. The digest
/// covers the other metadata and each tensor's name, type, shape and bytes.
void verifyDigest(const SafeTensors& file, const std::string& place);

}  // namespace lambda
