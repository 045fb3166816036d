#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <span>
#include <thread>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/image_folder/picture_cache.h"
#include "engine/formats/pictures/picture_decoding.h"
#include "engine/formats/pictures/picture_resizing.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr std::uint64_t kMaxPictureBytes = 256U << 20;

/// Decodes the pictures of one list on several threads.
class Decoding {
 public:
  Decoding(const PictureList& list, const std::vector<ListedPicture>& pictures, int size)
      : list_(list), pictures_(pictures), size_(size), imageBytes_(bytesOf(size)) {
    images_.channels = 3;
    images_.height = images_.width = size;
    images_.classNames = list.classNames;
    reasons_.resize(pictures.size());
    try {
      images_.pixels.resize(pictures.size() * imageBytes_);
    } catch (const std::bad_alloc&) {
      throw Error(list.folder.string(),
                  "the decoded pictures need " + std::to_string(pictures.size() * imageBytes_) +
                      " bytes of memory, more than this machine has",
                  "Choose a smaller picture size with --set data.source.size=N.");
    }
  }

  LabeledImages run(std::vector<CorruptPicture>& corrupt) {
    const std::size_t threads = std::clamp<std::size_t>(
        std::thread::hardware_concurrency(), 1, std::max<std::size_t>(pictures_.size(), 1));
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 1; i < threads; ++i) workers.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
    dropCorrupt(corrupt);
    return std::move(images_);
  }

 private:
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
    try {
      const Image picture = decodePicture(std::as_bytes(std::span(bytes)), path);
      std::ranges::copy(resizedToSquare(picture, size_),
                        images_.pixels.begin() + static_cast<std::ptrdiff_t>(i * imageBytes_));
    } catch (const Error& error) {
      reasons_[i] = error.reason();
    }
  }

  void dropCorrupt(std::vector<CorruptPicture>& corrupt) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pictures_.size(); ++i) {
      if (!reasons_[i].empty()) {
        corrupt.push_back({pictures_[i].path, reasons_[i]});
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
  int size_;
  std::size_t imageBytes_;
  LabeledImages images_;
  std::vector<std::string> reasons_;  // Why a picture is corrupt; empty = it is not.
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;  // Guarded by mutex_.
};

}  // namespace

DecodedPictures decodePictures(const PictureList& list, int size) {
  DecodedPictures decoded;
  decoded.train = Decoding(list, list.train, size).run(decoded.corrupt);
  decoded.test = Decoding(list, list.test, size).run(decoded.corrupt);
  return decoded;
}

DecodedPictures loadPictures(const PictureList& list,
                             int size,
                             const std::filesystem::path& cacheFolder) {
  if (cacheFolder.empty()) return decodePictures(list, size);
  const std::filesystem::path file = cacheFolder / cacheNameOf(list, size);
  if (auto kept = readPictureCache(file, list, size)) return std::move(*kept);
  DecodedPictures decoded = decodePictures(list, size);
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
