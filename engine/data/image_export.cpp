#include "engine/data/image_export.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "engine/data/augmentation/augmentation.h"
#include "engine/data/dataset.h"
#include "engine/formats/archives/zip_writer.h"
#include "engine/formats/inspection/png.h"
#include "engine/formats/tensors/npy.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// The images of a split, each as it is or augmented.
class SplitImages {
 public:
  explicit SplitImages(const ImageExportRequest& request) {
    const DataConfig& data = request.config.data;
    if (request.split == Split::test) {
      images = loadTest(data);
    } else {
      Dataset dataset = loadDataset(data);
      if (request.augmentedInEpoch) {
        const LabeledImages& train = dataset.train;
        augmenter_.emplace(MapShape{train.channels, train.height, train.width},
                           data.augmentation,
                           dataset.normalization,
                           request.config.seed);
        epoch_ = static_cast<std::uint64_t>(*request.augmentedInEpoch - 1);
      }
      images = std::move(request.split == Split::train ? dataset.train : dataset.validation);
    }
    imageBytes_ = static_cast<std::size_t>(images.channels) *
                  static_cast<std::size_t>(images.height) * static_cast<std::size_t>(images.width);
    pixels_.resize(imageBytes_);
  }

  /// Image `index` [height, width, channels], valid until the next call.
  std::span<const std::uint8_t> at(std::size_t index) {
    const std::uint8_t* planes = images.pixels.data() + index * imageBytes_;
    if (augmenter_) {
      augmented_.resize(imageBytes_);
      augmenter_->preview(planes, epoch_, index, augmented_.data());
      planes = augmented_.data();
    }
    const auto channels = static_cast<std::size_t>(images.channels);
    const std::size_t positions = imageBytes_ / channels;
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < positions; ++i) {
        pixels_[i * channels + c] = planes[c * positions + i];
      }
    }
    return pixels_;
  }

  std::int64_t count() const { return static_cast<std::int64_t>(images.count()); }

  LabeledImages images;

 private:
  std::optional<Augmenter> augmenter_;
  std::uint64_t epoch_ = 0;
  std::size_t imageBytes_ = 0;
  std::vector<std::uint8_t> pixels_, augmented_;
};

void requireEncodable(const ImageExportRequest& request) {
  if (!request.augmentedInEpoch) return;
  if (request.split != Split::train) {
    throw Error("augmentation",
                "only training images are augmented",
                "Export the split train, or leave the augmentation out.");
  }
  if (*request.augmentedInEpoch < 1) {
    throw Error("augmentation", "epochs are counted from 1", "Give an epoch of at least 1.");
  }
}

/// NumPy's text arrays have a fixed number of UTF-32 characters; bytes of UTF-8 are simpler to
/// read.
std::string classesArray(const std::vector<std::string>& names) {
  std::size_t longest = 1;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  const std::int64_t shape[] = {static_cast<std::int64_t>(names.size())};
  std::string array = npyHeader("'|S" + std::to_string(longest) + "'", shape);
  for (const std::string& name : names) array += name + std::string(longest - name.size(), '\0');
  return array;
}

std::string labelsArray(const LabeledImages& images) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(images.count())};
  const std::vector<std::int64_t> labels(images.labels.begin(), images.labels.end());
  std::string array = npyHeader("'<i8'", shape);
  array.append(reinterpret_cast<const char*>(labels.data()), labels.size() * sizeof(labels[0]));
  return array;
}

std::string imagesHeader(const LabeledImages& images) {
  std::vector<std::int64_t> shape{
      static_cast<std::int64_t>(images.count()), images.height, images.width};
  if (images.channels > 1) shape.push_back(images.channels);
  return npyHeader("'|u1'", shape);
}

using Proceed = std::function<bool(std::int64_t done, std::int64_t total)>;

std::optional<ExportedImages> writeArchive(SplitImages& split,
                                           const fs::path& out,
                                           const Proceed& proceed) {
  ZipWriter zip(out);
  const auto add = [&zip](const std::string& name, const std::string& array) {
    zip.begin(name, array.size());
    zip.append(std::as_bytes(std::span(array)));
  };
  add("labels.npy", labelsArray(split.images));
  add("classes.npy", classesArray(split.images.classNames));
  const std::string header = imagesHeader(split.images);
  zip.begin("images.npy", header.size() + split.images.pixels.size());
  zip.append(std::as_bytes(std::span(header)));
  for (std::size_t i = 0; i < split.images.count(); ++i) {
    if (!proceed(static_cast<std::int64_t>(i), split.count())) return std::nullopt;
    zip.append(std::as_bytes(split.at(i)));
  }
  zip.commit();
  return ExportedImages{split.count(), fs::file_size(out)};
}

/// The name of a class as that of a folder.
std::string folderName(const std::string& className, std::size_t index) {
  const bool isSafe = !className.empty() && className.front() != '.' && className.size() < 200 &&
                      className.find('/') == std::string::npos &&
                      className.find('\0') == std::string::npos;
  return isSafe ? className : "class-" + std::to_string(index);
}

Image pictureOf(std::span<const std::uint8_t> pixels, const LabeledImages& images) {
  Image picture{images.width, images.height, {}};
  if (images.channels == 3) {
    picture.rgb.assign(pixels.begin(), pixels.end());
  } else {
    for (const std::uint8_t grey : pixels) picture.rgb.insert(picture.rgb.end(), 3, grey);
  }
  return picture;
}

/// A folder that gets its name when it is complete, and is removed otherwise.
class FolderInWriting {
 public:
  explicit FolderInWriting(const fs::path& path)
      : path_(path), beside_(path.string() + "." + std::to_string(::getpid()) + ".part") {
    std::error_code error;
    if (fs::exists(path_, error) &&
        !(fs::is_directory(path_, error) && fs::is_empty(path_, error))) {
      throw Error(path_.string(), "it exists already", "Give the name of a new folder.");
    }
    fs::create_directories(beside_, error);
    if (error) throw Error(beside_.string(), "the folder can't be made: " + error.message());
  }

  ~FolderInWriting() {
    std::error_code ignored;
    fs::remove_all(beside_, ignored);
  }

  FolderInWriting(const FolderInWriting&) = delete;
  FolderInWriting& operator=(const FolderInWriting&) = delete;

  const fs::path& path() const { return beside_; }

  void publish() {
    std::error_code error;
    fs::rename(beside_, path_, error);
    if (error) throw Error(path_.string(), "the folder can't be named: " + error.message());
  }

 private:
  fs::path path_;
  fs::path beside_;
};

void writePlainFile(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw Error(path.string(), "this picture can't be written", "Check the space on the disk.");
  }
}

std::optional<ExportedImages> writeFolder(SplitImages& split,
                                          const fs::path& out,
                                          const Proceed& proceed) {
  if (split.images.channels != 1 && split.images.channels != 3) {
    throw Error(out.string(),
                "images of " + std::to_string(split.images.channels) + " channels are no pictures",
                "Give --out a name that ends in .npz.");
  }
  FolderInWriting folder(out);
  const std::vector<std::string>& names = split.images.classNames;
  for (std::size_t c = 0; c < names.size(); ++c) {
    fs::create_directories(folder.path() / folderName(names[c], c));
  }
  ExportedImages exported;
  for (std::size_t i = 0; i < split.images.count(); ++i) {
    if (!proceed(exported.images, split.count())) return std::nullopt;
    const std::size_t label = split.images.labels[i];
    const std::string number = std::to_string(i);
    const std::string file = std::string(6 - std::min<std::size_t>(6, number.size()), '0') + number;
    const std::string png = encodePng(pictureOf(split.at(i), split.images));
    writePlainFile(folder.path() / folderName(names[label], label) / (file + ".png"), png);
    ++exported.images;
    exported.bytes += png.size();
  }
  folder.publish();
  return exported;
}

}  // namespace

std::optional<ExportedImages> exportImages(const ImageExportRequest& request,
                                           const Proceed& proceed) {
  requireEncodable(request);
  SplitImages split(request);
  if (split.count() == 0) {
    throw Error(request.out.string(),
                "the split " + std::string(nameOf(request.split)) + " has no images",
                "Choose another split.");
  }
  return request.out.extension() == ".npz" ? writeArchive(split, request.out, proceed)
                                           : writeFolder(split, request.out, proceed);
}

}  // namespace lambda
