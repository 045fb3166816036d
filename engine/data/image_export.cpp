#include "engine/data/image_export.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "engine/data/augmentation/augmentation.h"
#include "engine/data/augmentation/mixing.h"
#include "engine/data/dataset.h"
#include "engine/data/labelling.h"
#include "engine/formats/archives/zip_writer.h"
#include "engine/formats/inspection/png.h"
#include "engine/formats/tensors/npy.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// With what an image is mixed.
struct Mixture {
  std::size_t partner = 0;  ///< Index of the other image.
  std::size_t batch = 0;
};

/// The images of a split, each as it is or augmented.
class SplitImages {
 public:
  explicit SplitImages(const ImageExportRequest& request) {
    const DataConfig& data = request.config.data;
    if (request.split == Split::test) {
      images = loadTest(data);
    } else {
      Dataset dataset = loadDataset(withFittingSplit(data));
      images = std::move(request.split == Split::train ? dataset.train : dataset.validation);
      if (request.augmentedInEpoch) {
        augment(request,
                request.input.isKnown() ? request.input.normalization : dataset.normalization);
      }
    }
    matchLabels(images, request.input, textOf(data.source));
    if (!images.numberNames.empty()) {
      throw Error(textOf(data.source),
                  "images with numbers are not written",
                  "Use the pictures and the CSV file of the data set.");
    }
    imageBytes_ = static_cast<std::size_t>(images.channels) *
                  static_cast<std::size_t>(images.height) * static_cast<std::size_t>(images.width);
    pixels_.resize(imageBytes_);
    for (std::size_t i = 0; i < images.count(); ++i) noteLabels(i);
  }

  /// Image `index` [height, width, channels], valid until the next call.
  std::span<const std::uint8_t> at(std::size_t index) {
    const std::uint8_t* planes = images.pixels.data() + index * imageBytes_;
    if (augmenter_) {
      preview(index, augmented_);
      if (mixtures_[index]) mix(*mixtures_[index]);
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

  std::int64_t mixedCount() const {
    return std::ranges::count_if(mixtures_, [](const auto& each) { return each.has_value(); });
  }

  LabeledImages images;                      ///< In a mixed image, the label with the larger share.
  std::vector<std::uint16_t> partnerLabels;  ///< [count], the other label.
  std::vector<double> shares;                ///< [count] of the larger share.

 private:
  void augment(const ImageExportRequest& request, const Normalization& normalization) {
    const RunConfig& config = request.config;
    if (hasFewLabels(config.data)) images = imagesWithLabels(images, config.data).images;
    const MapShape shape{images.channels, images.height, images.width};
    augmenter_.emplace(shape, config.data.augmentation, normalization, config.seed);
    epoch_ = static_cast<std::uint64_t>(*request.augmentedInEpoch - 1);
    mixtures_.resize(images.count());
    const BatchMixer mixer(shape, config.data.augmentation, config.seed);
    if (mixer.mixes() && images.count() > 0) drawMixtures(mixer, config);
  }

  void drawMixtures(const BatchMixer& mixer, const RunConfig& config) {
    Recipe recipe = config.recipe;
    recipe.batchSize = std::min(recipe.batchSize, static_cast<int>(images.count()));
    BatchOrder order(config.seed, static_cast<std::uint32_t>(images.count()), recipe);
    for (std::int64_t batch = 0; batch < order.epoch().batches; ++batch) {
      const BatchPosition position{epoch_, static_cast<std::uint32_t>(batch)};
      const std::span<const std::uint32_t> indices = order.batch(position);
      draws_.push_back(mixer.draw(position, static_cast<std::uint32_t>(indices.size())));
      for (std::size_t i = 0; i < indices.size(); ++i) {
        mixtures_[indices[i]] = Mixture{indices[draws_.back().partners[i]], draws_.size() - 1};
      }
    }
    ownLabels_ = images.labels;
  }

  /// Fills in the labels of image `index` and their shares.
  void noteLabels(std::size_t index) {
    if (mixtures_.empty() || !mixtures_[index]) {
      partnerLabels.push_back(images.labels[index]);
      shares.push_back(1);
      return;
    }
    const auto& [partner, batch] = *mixtures_[index];
    const double share = draws_[batch].share;
    partnerLabels.push_back(ownLabels_[partner]);
    if (share < 0.5) std::swap(images.labels[index], partnerLabels.back());
    shares.push_back(std::max(share, 1 - share));
  }

  void preview(std::size_t index, std::vector<std::uint8_t>& planes) {
    planes.resize(imageBytes_);
    augmenter_->preview(images.pixels.data() + index * imageBytes_, epoch_, index, planes.data());
  }

  /// Mixes the augmented image with its partner, as mixed() does with a batch.
  void mix(const Mixture& mixture) {
    preview(mixture.partner, partner_);
    const MixingDraw& draw = draws_[mixture.batch];
    if (draw.kind == MixingKind::mixup) {
      for (std::size_t i = 0; i < imageBytes_; ++i) {
        const double value = draw.share * augmented_[i] + (1 - draw.share) * partner_[i];
        augmented_[i] = static_cast<std::uint8_t>(std::lround(value));
      }
      return;
    }
    for (int row = 0; row < images.channels * draw.box.height(); ++row) {
      const int channel = row / draw.box.height();
      const int y = draw.box.top + row % draw.box.height();
      const auto first = static_cast<std::ptrdiff_t>(
          (static_cast<std::size_t>(channel) * images.height + y) * images.width + draw.box.left);
      std::copy_n(partner_.begin() + first, draw.box.width(), augmented_.begin() + first);
    }
  }

  std::optional<Augmenter> augmenter_;
  std::uint64_t epoch_ = 0;
  std::vector<MixingDraw> draws_;                 ///< Of each batch.
  std::vector<std::optional<Mixture>> mixtures_;  ///< Of each image that is augmented.
  std::vector<std::uint16_t> ownLabels_;          ///< Before the images were mixed.
  std::size_t imageBytes_ = 0;
  std::vector<std::uint8_t> pixels_, augmented_, partner_;
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

template <class Number>
std::string arrayOf(const char* type, const std::vector<Number>& values) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(values.size())};
  std::string array = npyHeader(type, shape);
  array.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  return array;
}

std::string labelsArray(const std::vector<std::uint16_t>& labels) {
  return arrayOf("'<i8'", std::vector<std::int64_t>(labels.begin(), labels.end()));
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
  add("labels.npy", labelsArray(split.images.labels));
  if (split.mixedCount() > 0) {
    add("partnerLabels.npy", labelsArray(split.partnerLabels));
    add("shares.npy", arrayOf("'<f8'", split.shares));
  }
  add("classes.npy", classesArray(split.images.classNames));
  const std::string header = imagesHeader(split.images);
  zip.begin("images.npy", header.size() + split.images.pixels.size());
  zip.append(std::as_bytes(std::span(header)));
  for (std::size_t i = 0; i < split.images.count(); ++i) {
    if (!proceed(static_cast<std::int64_t>(i), split.count())) return std::nullopt;
    zip.append(std::as_bytes(split.at(i)));
  }
  zip.commit();
  return ExportedImages{split.count(), split.mixedCount(), fs::file_size(out)};
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
      : path_(path),
        beside_(path.string() + "." + std::to_string(std::random_device()()) + ".part") {
    std::error_code error;
    if (fs::exists(path_, error) &&
        !(fs::is_directory(path_, error) && fs::is_empty(path_, error))) {
      throw Error(path_.string(), "it exists already", "Give the name of a new folder.");
    }
    if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
    // It is new, because it will be removed with everything in it.
    if (!error && !fs::create_directory(beside_, error) && !error) {
      error = std::make_error_code(std::errc::file_exists);
    }
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
  ExportedImages exported{.mixed = split.mixedCount()};
  std::string mixing = "file,class,share,partner\n";
  for (std::size_t i = 0; i < split.images.count(); ++i) {
    if (!proceed(exported.images, split.count())) return std::nullopt;
    const std::size_t label = split.images.labels[i];
    const std::string number = std::to_string(i);
    const std::string file = std::string(6 - std::min<std::size_t>(6, number.size()), '0') + number;
    const std::string png = encodePng(pictureOf(split.at(i), split.images));
    const std::string place = folderName(names[label], label) + "/" + file + ".png";
    writePlainFile(folder.path() / place, png);
    mixing += csvCell(place) + "," + csvCell(names[label]) + "," + formatNumber(split.shares[i]) +
              "," + csvCell(names[split.partnerLabels[i]]) + "\n";
    ++exported.images;
    exported.bytes += png.size();
  }
  if (exported.mixed > 0) {
    writePlainFile(folder.path() / "mixing.csv", mixing);
    exported.bytes += mixing.size();
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
