#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <thread>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/image_folder/picture_cache.h"
#include "engine/formats/pictures/picture_decoding.h"
#include "engine/formats/pictures/picture_format.h"
#include "engine/formats/pictures/picture_resizing.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr std::uint64_t kMaxPictureBytes = 256U << 20;

/// Decodes the pictures of one list on several threads.
class Decoding {
 public:
  Decoding(const PictureList& list, const ListedSplit& split, const PictureOptions& options)
      : list_(list),
        pictures_(split.pictures),
        options_(options),
        imageBytes_(bytesOf(options.size)) {
    images_.channels = 3;
    images_.height = images_.width = options.size;
    images_.classNames = list.classNames;
    facts_.resize(pictures_.size());
    try {
      images_.pixels.resize(pictures_.size() * imageBytes_);
    } catch (const std::bad_alloc&) {
      throw Error(list.folder.string(),
                  "the decoded pictures need " + std::to_string(pictures_.size() * imageBytes_) +
                      " bytes of memory, more than this machine has",
                  "Train with a smaller picture size: --set data.source.size=N.");
    }
  }

  /// Adds to what `decoded` has of other splits.
  LabeledImages run(DecodedPictures& decoded) {
    const std::size_t threads = std::clamp<std::size_t>(
        std::thread::hardware_concurrency(), 1, std::max<std::size_t>(pictures_.size(), 1));
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 1; i < threads; ++i) workers.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
    count(decoded.counts);
    dropCorrupt(decoded.corrupt);
    return std::move(images_);
  }

 private:
  struct Facts {
    std::string defect;  // Why a picture is left out; empty = it is not.
    bool isTurned = false;
    bool isTransparent = false;
    std::string_view format;  // Where its name says another one.
  };

  static std::size_t bytesOf(int size) {
    return 3 * static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  }

  void work() {
    try {
      for (std::size_t i = next_++; i < pictures_.size(); i = next_++) decode(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      next_ = pictures_.size();
    }
  }

  void decode(std::size_t i) {
    const std::string path = (list_.folder / pictures_[i].path).string();
    // An unreadable file does not mean a corrupt picture, so its Error is not caught.
    const std::string bytes = readFile(path, kMaxPictureBytes);
    Facts& facts = facts_[i];
    try {
      const Picture picture = decodePicture(std::as_bytes(std::span(bytes)), path);
      facts.isTurned = picture.isTurned;
      facts.isTransparent = picture.isTransparent;
      const std::string_view format = formatOf(std::as_bytes(std::span(bytes)));
      if (format != formatByName(path)) facts.format = format;
      if (picture.isTransparent && options_.transparent == TransparentPictures::refuse) {
        facts.defect = "is transparent";
        return;
      }
      std::ranges::copy(resizedToSquare(picture.image, options_.size),
                        images_.pixels.begin() + static_cast<std::ptrdiff_t>(i * imageBytes_));
    } catch (const Error& error) {
      facts.defect = error.reason();
    }
  }

  void count(PictureCounts& counts) const {
    for (std::size_t i = 0; i < pictures_.size(); ++i) {
      const Facts& facts = facts_[i];
      if (!facts.defect.empty()) continue;
      counts.turned += facts.isTurned ? 1 : 0;
      counts.transparent += facts.isTransparent ? 1 : 0;
      if (facts.format.empty()) continue;
      if (counts.misnamed++ == 0) {
        counts.misnamedExample = pictures_[i].path + " is " + std::string(facts.format);
      }
    }
  }

  void dropCorrupt(std::vector<CorruptPicture>& corrupt) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pictures_.size(); ++i) {
      if (!facts_[i].defect.empty()) {
        corrupt.push_back({pictures_[i].path, facts_[i].defect});
        continue;
      }
      images_.labels.push_back(pictures_[i].label);
      if (kept != i) {
        std::copy_n(images_.pixels.begin() + static_cast<std::ptrdiff_t>(i * imageBytes_),
                    imageBytes_,
                    images_.pixels.begin() + static_cast<std::ptrdiff_t>(kept * imageBytes_));
      }
      ++kept;
    }
    images_.pixels.resize(kept * imageBytes_);
  }

  const PictureList& list_;
  const std::vector<ListedPicture>& pictures_;
  const PictureOptions& options_;
  std::size_t imageBytes_;
  LabeledImages images_;
  std::vector<Facts> facts_;  // One for each picture.
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;  // Guarded by mutex_.
};

}  // namespace

DecodedPictures decodePictures(const PictureList& list, const PictureOptions& options) {
  DecodedPictures decoded;
  decoded.train = Decoding(list, list.train, options).run(decoded);
  decoded.validation = Decoding(list, list.validation, options).run(decoded);
  decoded.test = Decoding(list, list.test, options).run(decoded);
  return decoded;
}

DecodedPictures loadPictures(const PictureList& list,
                             const PictureOptions& options,
                             const std::filesystem::path& cacheFolder) {
  if (cacheFolder.empty()) return decodePictures(list, options);
  const std::filesystem::path file = cacheFolder / cacheNameOf(list, options);
  if (auto kept = readPictureCache(file, list, options.size)) return std::move(*kept);
  DecodedPictures decoded = decodePictures(list, options);
  try {
    std::error_code ignored;
    std::filesystem::create_directories(cacheFolder, ignored);
    writePictureCache(file, decoded);
  } catch (const Error&) {
    // Without a cache file the pictures are only decoded again the next time.
  }
  return decoded;
}

}  // namespace lambda
