#include "engine/formats/image_folder/picture_cache.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>

#include "engine/formats/files/cache_folder.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha256.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

// The file consists of this text, the digest of the rest as 64 digits, and then, for training,
// validation and test, the number of images, the corrupt pictures, the counts, the labels and the
// pixels. A change in how pictures are decoded needs another number.
constexpr std::string_view kMagic = "lambda pictures 2\n";
constexpr std::size_t kDigestBytes = 64;

template <class Number>
void append(std::string& bytes, Number number) {
  static_assert(std::is_integral_v<Number>);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append(std::string& bytes, const std::string& text) {
  append(bytes, static_cast<std::uint64_t>(text.size()));
  bytes += text;
}

std::string_view bytesOf(const std::vector<std::uint16_t>& labels) {
  return {reinterpret_cast<const char*>(labels.data()), labels.size() * sizeof(std::uint16_t)};
}

std::string_view bytesOf(const std::vector<std::uint8_t>& pixels) {
  return {reinterpret_cast<const char*>(pixels.data()), pixels.size()};
}

std::string headerOf(const DecodedPictures& pictures) {
  std::string header;
  for (const LabeledImages* images : {&pictures.train, &pictures.validation, &pictures.test}) {
    append(header, static_cast<std::uint64_t>(images->count()));
  }
  append(header, static_cast<std::uint64_t>(pictures.corrupt.size()));
  for (const CorruptPicture& picture : pictures.corrupt) {
    append(header, picture.path);
    append(header, picture.reason);
  }
  append(header, pictures.counts.turned);
  append(header, pictures.counts.transparent);
  append(header, pictures.counts.misnamed);
  append(header, pictures.counts.misnamedExample);
  return header;
}

/// A file mapped into memory: its bytes are read on access.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;

    struct stat status {};

    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      void* place = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (place != MAP_FAILED) place_ = place;
    }
    close(file);
  }

  ~MappedFile() {
    if (place_ != nullptr) munmap(place_, size_);
  }

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const {
    return place_ == nullptr ? std::string_view()
                             : std::string_view(static_cast<const char*>(place_), size_);
  }

 private:
  void* place_ = nullptr;
  std::size_t size_ = 0;
};

/// Takes values from the front of a buffer. Once bytes are missing, it takes nothing more.
class Cutter {
 public:
  explicit Cutter(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::uint64_t count) {
    isWhole_ = isWhole_ && count <= rest_.size();
    if (!isWhole_) return {};
    const std::string_view piece = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return piece;
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::string_view piece = take(sizeof value);
    if (!piece.empty()) std::memcpy(&value, piece.data(), sizeof value);
    return value;
  }

  std::string text() { return std::string(take(number())); }

  bool isWhole() const { return isWhole_; }

  bool isAtEnd() const { return isWhole_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool isWhole_ = true;
};

/// Reads `count` labels. False if bytes are missing or a label is not one of the classes.
bool takeLabels(Cutter& cutter, std::uint64_t count, LabeledImages& images) {
  const std::string_view bytes = cutter.take(count * sizeof(std::uint16_t));
  if (!cutter.isWhole()) return false;
  images.labels.resize(count);
  if (count > 0) std::memcpy(images.labels.data(), bytes.data(), bytes.size());
  for (const std::uint16_t label : images.labels) {
    if (label >= images.classNames.size()) return false;
  }
  return true;
}

bool takePixels(Cutter& cutter, LabeledImages& images) {
  const std::string_view bytes =
      cutter.take(images.count() * 3 * static_cast<std::uint64_t>(images.height) *
                  static_cast<std::uint64_t>(images.width));
  if (!cutter.isWhole()) return false;
  images.pixels.assign(bytes.begin(), bytes.end());
  return true;
}

}  // namespace

std::string cacheNameOf(const PictureList& list, const PictureOptions& options) {
  std::string key(kMagic);
  std::error_code ignored;
  append(key, fs::weakly_canonical(list.folder, ignored).string());
  append(key, static_cast<std::uint64_t>(options.size));
  append(key, static_cast<std::uint64_t>(options.transparent));
  for (const ListedSplit* split : {&list.train, &list.validation, &list.test}) {
    append(key, static_cast<std::uint64_t>(split->pictures.size()));
    for (const ListedPicture& picture : split->pictures) {
      append(key, picture.path);
      append(key, picture.label);
      append(key, picture.bytes);
      append(key, picture.modified);
      append(key, picture.changed);
    }
  }
  for (const std::string& name : list.classNames) append(key, name);
  return sha256Hex(key) + ".pictures";
}

fs::path pictureCacheFolder() {
  const fs::path cache = cacheFolder();
  return cache.empty() ? cache : cache / "pictures";
}

void writePictureCache(const fs::path& path, const DecodedPictures& pictures) {
  const std::string header = headerOf(pictures);
  const std::array<std::string_view, 7> parts{header,
                                              bytesOf(pictures.train.labels),
                                              bytesOf(pictures.validation.labels),
                                              bytesOf(pictures.test.labels),
                                              bytesOf(pictures.train.pixels),
                                              bytesOf(pictures.validation.pixels),
                                              bytesOf(pictures.test.pixels)};
  Sha256 digest;
  for (const std::string_view part : parts) digest.update(part);
  DurableWriter writer(path);
  writer.append(kMagic);
  writer.append(digest.hex());
  for (const std::string_view part : parts) writer.append(part);
  writer.commit();
}

std::optional<DecodedPictures> readPictureCache(const fs::path& path,
                                                const PictureList& list,
                                                int size) {
  const MappedFile file(path);
  Cutter cutter(file.bytes());
  if (cutter.take(kMagic.size()) != kMagic) return std::nullopt;
  const std::string_view digest = cutter.take(kDigestBytes);
  if (!cutter.isWhole()) return std::nullopt;
  if (sha256Hex(file.bytes().substr(kMagic.size() + kDigestBytes)) != digest) return std::nullopt;

  struct Part {
    LabeledImages& images;
    std::uint64_t listed;
    std::uint64_t count = 0;
  };

  DecodedPictures pictures;
  std::array<Part, 3> parts{Part{pictures.train, list.train.pictures.size()},
                            Part{pictures.validation, list.validation.pictures.size()},
                            Part{pictures.test, list.test.pictures.size()}};
  std::uint64_t missing = 0;
  for (Part& part : parts) {
    part.images.channels = 3;
    part.images.height = part.images.width = size;
    part.images.classNames = list.classNames;
    part.count = cutter.number();
    if (part.count > part.listed) return std::nullopt;
    missing += part.listed - part.count;
  }
  const std::uint64_t corrupt = cutter.number();
  if (corrupt != missing) return std::nullopt;
  for (std::uint64_t i = 0; i < corrupt && cutter.isWhole(); ++i) {
    CorruptPicture picture;
    picture.path = cutter.text();
    picture.reason = cutter.text();
    pictures.corrupt.push_back(std::move(picture));
  }
  pictures.counts.turned = cutter.number();
  pictures.counts.transparent = cutter.number();
  pictures.counts.misnamed = cutter.number();
  pictures.counts.misnamedExample = cutter.text();
  const bool isSound =
      std::ranges::all_of(
          parts, [&](Part& part) { return takeLabels(cutter, part.count, part.images); }) &&
      std::ranges::all_of(parts, [&](Part& part) { return takePixels(cutter, part.images); });
  if (!isSound || !cutter.isAtEnd()) return std::nullopt;
  return pictures;
}

}  // namespace lambda
