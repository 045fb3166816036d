#include "engine/formats/tensors/safetensors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha256.h"
#include "engine/formats/tensors/safetensors_header.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

struct DTypeFacts {
  std::string_view name;
  unsigned bits;
};

// In the order of DType.
constexpr std::array<DTypeFacts, 22> kDTypes = {{
    {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
    {"I64", 64},        {"U64", 64},
}};

const DTypeFacts& facts(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}

// Lengths precede contents, so that no two files share a digest by moving a boundary.
class ContentDigest {
 public:
  void number(std::uint64_t value) {
    std::array<std::byte, 8> bytes;
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(value & 0xff);
      value >>= 8;
    }
    digest_.update(bytes);
  }

  void text(std::string_view value) {
    number(value.size());
    digest_.update(value);
  }

  void tensor(const TensorView& tensor) {
    text(tensor.name);
    text(dtypeName(tensor.dtype));
    number(tensor.shape.size());
    for (const std::int64_t size : tensor.shape) number(static_cast<std::uint64_t>(size));
    number(tensor.bytes.size());
    digest_.update(tensor.bytes);
  }

  std::string hex() { return digest_.hex(); }

 private:
  Sha256 digest_;
};

std::string contentDigest(const std::vector<TensorView>& tensors,
                          const std::map<std::string, std::string>& metadata) {
  ContentDigest digest;
  digest.number(metadata.size() - metadata.count(std::string(kDigestKey)));
  for (const auto& [key, value] : metadata) {
    if (key == kDigestKey) continue;
    digest.text(key);
    digest.text(value);
  }
  digest.number(tensors.size());
  for (const TensorView& tensor : tensors) digest.tensor(tensor);
  return digest.hex();
}

void sortAsReference(std::vector<TensorView>& tensors) {
  std::ranges::sort(tensors, [](const TensorView& a, const TensorView& b) {
    return std::tie(b.dtype, a.name) < std::tie(a.dtype, b.name);
  });
}

// Checks the tensors and assigns them consecutive offsets.
std::vector<TensorEntry> layOut(const std::vector<TensorView>& tensors, const std::string& place) {
  std::vector<TensorEntry> entries;
  std::vector<std::string_view> names;
  std::uint64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    if (tensor.name.empty() || tensor.name == kMetadataKey) {
      throw Error(place, "no tensor can have the name \"" + tensor.name + "\"");
    }
    if (tensor.shape.size() > kMaxRank ||
        tensorBytes(tensor.dtype, tensor.shape) != tensor.bytes.size()) {
      throw Error(place,
                  "tensor \"" + tensor.name + "\": " + std::to_string(tensor.bytes.size()) +
                      " bytes do not fit its shape");
    }
    const std::uint64_t end = offset + tensor.bytes.size();
    entries.push_back({tensor.name, tensor.dtype, tensor.shape, offset, end});
    names.push_back(tensor.name);
    offset = end;
  }
  std::ranges::sort(names);
  if (const auto twin = std::ranges::adjacent_find(names); twin != names.end()) {
    throw Error(place, "two tensors have the name \"" + std::string(*twin) + "\"");
  }
  return entries;
}

SafeTensors join(SafeTensorsHeader header, std::vector<std::byte> data) {
  SafeTensors file;
  file.metadata = std::move(header.metadata);
  file.storage = std::make_shared<const std::vector<std::byte>>(std::move(data));
  file.tensors.reserve(header.tensors.size());
  const std::span<const std::byte> bytes(*file.storage);
  for (TensorEntry& entry : header.tensors) {
    file.tensors.push_back({std::move(entry.name),
                            entry.dtype,
                            std::move(entry.shape),
                            bytes.subspan(entry.begin, entry.end - entry.begin)});
  }
  return file;
}

Error tooShort(const std::string& place, std::uint64_t size) {
  return {place,
          "has " + std::to_string(size) + " bytes, too few for safetensors",
          "the file is damaged or not safetensors: use another copy, or an older checkpoint"};
}

SafeTensorsHeader readHeader(FileReader& reader) {
  const std::string place = reader.path().string();
  std::array<std::byte, 8> prefix;
  if (reader.size() < prefix.size()) throw tooShort(place, reader.size());
  reader.readExactly(prefix);
  std::string json(headerLength(prefix, reader.size(), place), '\0');
  reader.readExactly(std::as_writable_bytes(std::span(json)));
  return parseSafeTensorsHeader(json, reader.size() - prefix.size() - json.size(), place);
}

}  // namespace

std::string_view dtypeName(DType dtype) {
  return facts(dtype).name;
}

std::optional<DType> dtypeFromName(std::string_view name) {
  const auto found = std::ranges::find(kDTypes, name, &DTypeFacts::name);
  if (found == kDTypes.end()) return std::nullopt;
  return static_cast<DType>(found - kDTypes.begin());
}

std::string shapeText(std::span<const std::int64_t> shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

std::optional<std::uint64_t> tensorBytes(DType dtype, std::span<const std::int64_t> shape) {
  std::uint64_t bits = facts(dtype).bits;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(size), &bits)) {
      return std::nullopt;
    }
  }
  if (empty) return 0;
  if (bits % 8 != 0) return std::nullopt;
  return bits / 8;
}

const TensorView* SafeTensors::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &TensorView::name);
  return found == tensors.end() ? nullptr : &*found;
}

void writeSafeTensors(const std::filesystem::path& path,
                      std::vector<TensorView> tensors,
                      const std::map<std::string, std::string>& metadata,
                      const SafeTensorsOptions& options,
                      FileSystem& system) {
  sortAsReference(tensors);
  const std::vector<TensorEntry> entries = layOut(tensors, path.string());
  std::map<std::string, std::string> allMetadata = metadata;
  if (options.digest) allMetadata[std::string(kDigestKey)] = contentDigest(tensors, metadata);
  const std::string header = encodeSafeTensorsHeader(entries, allMetadata, path.string());

  std::array<std::byte, 8> prefix;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    prefix[i] = static_cast<std::byte>((header.size() >> (8 * i)) & 0xff);
  }
  DurableWriter writer(path, system);
  writer.append(prefix);
  writer.append(header);
  for (const TensorView& tensor : tensors) writer.append(tensor.bytes);
  writer.commit();
}

SafeTensors readSafeTensors(const std::filesystem::path& path) {
  FileReader reader(path);
  SafeTensorsHeader header = readHeader(reader);
  // readHeader() has checked that the tensors cover the rest of the file exactly.
  const std::uint64_t size = header.tensors.empty() ? 0 : header.tensors.back().end;
  std::vector<std::byte> data(size);
  reader.readExactly(data);
  return join(std::move(header), std::move(data));
}

SafeTensors parseSafeTensors(std::span<const std::byte> bytes, const std::string& place) {
  if (bytes.size() < 8) throw tooShort(place, bytes.size());
  const std::uint64_t length = headerLength(bytes.first<8>(), bytes.size(), place);
  const auto json = bytes.subspan(8, length);
  const auto data = bytes.subspan(8 + length);
  SafeTensorsHeader header = parseSafeTensorsHeader(
      {reinterpret_cast<const char*>(json.data()), json.size()}, data.size(), place);
  return join(std::move(header), {data.begin(), data.end()});
}

std::map<std::string, std::string> readSafeTensorsMetadata(const std::filesystem::path& path) {
  FileReader reader(path);
  return readHeader(reader).metadata;
}

bool hasDigest(const SafeTensors& file) {
  return file.metadata.contains(std::string(kDigestKey));
}

void verifyDigest(const SafeTensors& file, const std::string& place) {
  if (!hasDigest(file)) {
    throw Error(
        place, "has no digest, so damage can't be detected", "use a file that Lambda Studio saved");
  }
  const std::string digest = contentDigest(file.tensors, file.metadata);
  const std::string& recorded = file.metadata.at(std::string(kDigestKey));
  if (digest != recorded) {
    throw Error(place,
                "its content has the digest " + digest + ", but " +
                    std::string(utf8Prefix(recorded, 64)) + " was recorded when it was saved",
                "the file was damaged or changed: use another copy, or an older checkpoint");
  }
}

}  // namespace lambda
