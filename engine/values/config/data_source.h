#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/values/architecture/architecture.h"
#include "engine/values/config/sequence_source.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// The built-in images that need no file, see engine/data/shapes10.h.
struct Shapes10Source {
  int trainCount = 12000;  ///< Images drawn for training and validation together.
  int testCount = 2000;    ///< Images drawn for the test set.

  bool operator==(const Shapes10Source&) const = default;
};

/// CIFAR-10, binary version: 32x32 colour photographs (Krizhevsky, 2009).
struct Cifar10Source {
  std::string path = "cifar10";  ///< A folder or an archive.

  bool operator==(const Cifar10Source&) const = default;
};

/// Which of the two labels of a CIFAR-100 image is used.
enum class Cifar100Labels {
  fine,    ///< One of 100 classes.
  coarse,  ///< One of 20 superclasses.
};

/// CIFAR-100, binary version: images as in CIFAR-10, in 100 classes.
struct Cifar100Source {
  std::string path = "cifar100";  ///< A folder or an archive.
  Cifar100Labels labels = Cifar100Labels::fine;

  bool operator==(const Cifar100Source&) const = default;
};

/// MNIST and its relatives: images and labels in IDX files, plain or gzipped.
struct IdxSource {
  std::string path = "mnist";  ///< The folder with the four files.

  bool operator==(const IdxSource&) const = default;
};

/// What happens to a picture that can't be decoded.
enum class CorruptPictures {
  refuse,  ///< The data set is refused, and the picture named.
  skip,    ///< The picture is left out and counted.
};

/// What happens to a picture with pixels that are not opaque.
enum class TransparentPictures {
  white,   ///< It is composited on white.
  refuse,  ///< It counts as corrupt.
};

/// Where the validation images of an image folder come from.
enum class ValidationPictures {
  drawn,   ///< From the training pictures, by chance.
  folder,  ///< They are all pictures of the folder val/, beside train/ and test/.
};

/// JPEG, PNG and WebP pictures, a folder for each class.
struct ImageFolderSource {
  std::string path = "images";  ///< The folder with train/ and test/ or val/, or with the classes.
  int size = 64;                ///< Side in pixels that pictures are resized and cropped to.
  CorruptPictures corrupt = CorruptPictures::refuse;
  TransparentPictures transparent = TransparentPictures::white;
  /// recognizeDataSource() chooses the folder where there is one.
  ValidationPictures validation = ValidationPictures::drawn;

  bool operator==(const ImageFolderSource&) const = default;
};

/// JPEG, PNG and WebP pictures with numbers, which a CSV file lists.
struct PictureNumbersSource {
  std::string path = "numbers.csv";  ///< The file; pictures are named from its folder.
  int size = 64;                     ///< Side in pixels that pictures are resized and cropped to.
  CorruptPictures corrupt = CorruptPictures::refuse;
  TransparentPictures transparent = TransparentPictures::white;

  bool operator==(const PictureNumbersSource&) const = default;
};

/// Where a run's images or sequences come from. A new kind of data set is a new alternative: every
/// std::visit and every list of overloads that omits it fails to compile.
using DataSource = std::variant<Shapes10Source,
                                Cifar10Source,
                                Cifar100Source,
                                IdxSource,
                                ImageFolderSource,
                                PictureNumbersSource,
                                TextSource,
                                RecallSource,
                                CopySource>;

/// The properties of a data set that a network and a recipe depend on.
struct DatasetInfo {
  MapShape shape;                    ///< Of every image; of a sequence {1, 1, length}.
  Task task = Task::classification;  ///< What can be learnt from it.
  int classes = 10;  ///< Or how many numbers each image has, or the vocabulary of sequences.
  /// Of the classes, in the order of the labels, or of the numbers; empty if not read yet.
  std::vector<std::string> classNames;
  std::int64_t trainCount = 0;  ///< Images or sequences for training and validation together.
  std::int64_t testCount = 0;   ///< 0 = no test set.
  /// How many of trainCount are a validation set of the data's own; 0 = it has none that is used.
  std::int64_t validationCount = 0;
  /// What is left out or was guessed, a sentence each, where this is known without reading all.
  std::vector<std::string> notes = {};

  bool operator==(const DatasetInfo&) const = default;
};

/// Properties that all data sets of one kind share.
struct DataSourceTraits {
  std::string_view kind;     ///< The value of "kind" in JSON, and a name for --data.
  std::string_view title;    ///< The name shown to users.
  std::string_view meaning;  ///< A description in a sentence or two.
  std::string_view layout;   ///< The files that a path of this kind holds; empty = no path.
  /// Whether the classes are directions, so that a mirrored or shifted image shows another class.
  bool classesAreDirections = false;
  bool canBeDownloaded = false;
  bool isSequences = false;  ///< The examples are sequences of tokens, for Task::tokens.
  /// Its tokens are drawn by this program, and mean nothing outside of their sequences.
  bool tokensAreDrawn = false;
};

// The list of the kinds, in the order of DataSource.

constexpr DataSourceTraits traitsOf(std::type_identity<Shapes10Source>) {
  return {.kind = "shapes10",
          .title = "shapes10",
          .meaning =
              "Drawn by this program: a shape and, far from it, a dot. Needs no download; learnt "
              "in minutes.",
          .layout = "",
          .classesAreDirections = true};
}

constexpr DataSourceTraits traitsOf(std::type_identity<Cifar10Source>) {
  return {.kind = "cifar10",
          .title = "CIFAR-10",
          .meaning = "60,000 photographs of 32×32 pixels in ten classes.",
          .layout =
              "data_batch_1.bin to data_batch_5.bin and test_batch.bin, in a folder or in "
              "cifar-10-binary.tar.gz",
          .canBeDownloaded = true};
}

constexpr DataSourceTraits traitsOf(std::type_identity<Cifar100Source>) {
  return {.kind = "cifar100",
          .title = "CIFAR-100",
          .meaning =
              "60,000 photographs of 32×32 pixels in 100 classes, which form 20 "
              "superclasses.",
          .layout = "train.bin and test.bin, in a folder or in cifar-100-binary.tar.gz"};
}

constexpr DataSourceTraits traitsOf(std::type_identity<IdxSource>) {
  return {.kind = "idx",
          .title = "IDX files",
          .meaning =
              "MNIST and its relatives: a file of images and a file of labels each for "
              "training and test.",
          .layout =
              "train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and "
              "t10k-labels-idx1-ubyte, plain or with .gz, in a folder"};
}

constexpr DataSourceTraits traitsOf(std::type_identity<ImageFolderSource>) {
  return {.kind = "imageFolder",
          .title = "Image folder",
          .meaning = "JPEG, PNG and WebP pictures in a folder for each class.",
          .layout =
              "a folder with train/ (and test/ or val/) that has a folder of JPEG, PNG or WebP "
              "pictures for each class, or with these class folders themselves"};
}

constexpr DataSourceTraits traitsOf(std::type_identity<PictureNumbersSource>) {
  return {.kind = "pictureNumbers",
          .title = "Numbers (CSV)",
          .meaning = "JPEG, PNG and WebP pictures, and a CSV file with numbers to predict.",
          .layout =
              "a CSV file with a line of column names: the first column names a picture, a column "
              "named split says train, validation or test, all others are numbers"};
}

constexpr DataSourceTraits traitsOf(std::type_identity<TextSource>) {
  return {
      .kind = "text",
      .title = "Text",
      .meaning = "Text as bytes, of one file or of all files of a folder; each byte is a token.",
      .layout = "a UTF-8 text file, or a folder of text files without pictures",
      .isSequences = true};
}

constexpr DataSourceTraits traitsOf(std::type_identity<RecallSource>) {
  return {.kind = "recall",
          .title = "Recall",
          .meaning =
              "Drawn by this program: pairs of a key and a value; the values are asked for later "
              "in the sequence. Needs no download.",
          .layout = "",
          .isSequences = true,
          .tokensAreDrawn = true};
}

constexpr DataSourceTraits traitsOf(std::type_identity<CopySource>) {
  return {.kind = "copy",
          .title = "Copy",
          .meaning =
              "Drawn by this program: a string of symbols, which is to be repeated. Needs no "
              "download.",
          .layout = "",
          .isSequences = true,
          .tokensAreDrawn = true};
}

template <class Source>

requires(!std::same_as<Source, DataSource> &&
         std::constructible_from<DataSource, Source>) constexpr DataSourceTraits
    traitsOf(const Source&) {
  return traitsOf(std::type_identity<Source>());
}

template <std::same_as<DataSource> Source>
constexpr DataSourceTraits traitsOf(const Source& source) {
  return std::visit([](const auto& options) { return traitsOf(options); }, source);
}

template <class Source>
inline constexpr bool kHasSequences = traitsOf(std::type_identity<Source>()).isSequences;

/// A kind of data with sequences.
template <class Source>
concept SequenceSource = kHasSequences<Source>;

template <Either<Shapes10Source> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"trainCount", "images drawn for training and validation together", 20, 1000000},
              {"Training images", Stepping::oneTwoFive},
              "More images generalise better; the time of an epoch grows linearly."},
        value.trainCount);
  visit(Field{{"testCount", "images drawn for the test set", 10, 1000000},
              {"Test images", Stepping::oneTwoFive},
              "More images measure the accuracy more exactly; no effect on training."},
        value.testCount);
}

template <Either<Cifar10Source> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"path", "folder or archive with the binary version of CIFAR-10"},
              {"Place"},
              "The files of the data set."},
        value.path);
}

template <Either<Cifar100Source> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"path", "folder or archive with the binary version of CIFAR-100"},
              {"Place"},
              "The files of the data set."},
        value.path);
  visit(Field{{"labels", "fine: 100 classes; coarse: the 20 superclasses"},
              {"Labels"},
              "Coarse classes are easier and give higher accuracies, which are not comparable."},
        value.labels);
}

template <Either<IdxSource> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"path", "folder with the IDX files of MNIST or a relative"},
              {"Place"},
              "The files of the data set."},
        value.path);
}

/// How pictures of any size become images.
template <class Value, class Visit>
void visitPictureFields(Value& value, Visit&& visit) {
  visit(Field{{"size", "side in pixels that pictures are resized and cropped to", 8, 512},
              {"Image size", Stepping::eights, "px"},
              "Larger pictures show more detail; FLOPs and memory grow with the area, those of "
              "global lambda layers with its square."},
        value.size);
  visit(Field{{"corrupt", "a picture that can't be decoded: refuse the data set, or skip it"},
              {"Corrupt images"},
              "Leaving pictures out trains on fewer images than the folder has."},
        value.corrupt);
  visit(Field{{"transparent",
               "a picture that is not opaque: on white, or refuse it as one that can't be decoded"},
              {"Transparent images"},
              "Photographs are opaque; icons and drawings often are not. The network never sees "
              "the colours below transparency."},
        value.transparent);
}

template <Either<ImageFolderSource> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"path", "folder with a folder of pictures for each class"},
              {"Place"},
              "The files of the data set."},
        value.path);
  visitPictureFields(value, visit);
  visit(Field{{"validation",
               "validation images: drawn from the training pictures, or those of the folder val/"},
              {"Validation from"},
              "Take the folder where somebody has chosen its pictures, such as other photographs "
              "of the same things. All of them are then used."},
        value.validation);
}

template <Either<PictureNumbersSource> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"path", "CSV file with pictures and numbers"},
              {"File"},
              "Its first column names pictures, from its own folder on; the other columns are the "
              "numbers that are learnt."},
        value.path);
  visitPictureFields(value, visit);
}

/// The known properties of a data set that is not read; empty for kinds with arbitrary content.
std::optional<DatasetInfo> announcedInfo(const DataSource& source);

/// The path of the data set; null for a kind without files.
const std::string* pathOf(const DataSource& source);
std::string* pathOf(DataSource& source);

/// Lets pictures be resized to that side in pixels, where the kind of data resizes its pictures.
void setImageSize(DataSource& source, int side);

/// "3x32x32": channels, height and width.
std::string shapeText(const MapShape& shape);

/// The path, or the kind where there is no path, for tables and logs.
std::string textOf(const DataSource& source);

}  // namespace lambda
