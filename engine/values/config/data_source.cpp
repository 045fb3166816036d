#include "engine/values/config/data_source.h"

namespace lambda {

namespace {

// The published data sets (Krizhevsky, 2009).
constexpr MapShape kCifarShape{3, 32, 32};
constexpr std::int64_t kCifarTrainCount = 50'000;
constexpr std::int64_t kCifarTestCount = 10'000;

std::optional<DatasetInfo> announced(const Shapes10Source& source) {
  return DatasetInfo{.shape = {3, 32, 32},
                     .classes = 10,
                     .classNames = {},
                     .trainCount = source.trainCount,
                     .testCount = source.testCount};
}

std::optional<DatasetInfo> announced(const Cifar10Source&) {
  return DatasetInfo{.shape = kCifarShape,
                     .classes = 10,
                     .classNames = {},
                     .trainCount = kCifarTrainCount,
                     .testCount = kCifarTestCount};
}

std::optional<DatasetInfo> announced(const Cifar100Source& source) {
  return DatasetInfo{.shape = kCifarShape,
                     .classes = source.labels == Cifar100Labels::fine ? 100 : 20,
                     .classNames = {},
                     .trainCount = kCifarTrainCount,
                     .testCount = kCifarTestCount};
}

std::optional<DatasetInfo> announced(const IdxSource&) {
  return std::nullopt;
}

std::optional<DatasetInfo> announced(const ImageFolderSource&) {
  return std::nullopt;
}

std::optional<DatasetInfo> announced(const PictureNumbersSource&) {
  return std::nullopt;
}

std::optional<DatasetInfo> announced(const TextSource&) {
  return std::nullopt;
}

template <class Source>
DatasetInfo infoOfDrawn(const Source& source) {
  return {.shape = {1, 1, source.length},
          .task = Task::tokens,
          .classes = source.vocabulary,
          .classNames = {},
          .trainCount = std::int64_t{source.trainCount} + source.validationCount,
          .testCount = source.testCount,
          .validationCount = source.validationCount};
}

std::optional<DatasetInfo> announced(const RecallSource& source) {
  return infoOfDrawn(source);
}

std::optional<DatasetInfo> announced(const CopySource& source) {
  return infoOfDrawn(source);
}

template <class Path, class Source>
Path* pathIn(Source& source) {
  return std::visit(
      [](auto& options) -> Path* {
        if constexpr (requires { options.path; }) {
          return &options.path;
        } else {
          return nullptr;
        }
      },
      source);
}

}  // namespace

std::optional<DatasetInfo> announcedInfo(const DataSource& source) {
  return std::visit([](const auto& options) { return announced(options); }, source);
}

const std::string* pathOf(const DataSource& source) {
  return pathIn<const std::string>(source);
}

std::string* pathOf(DataSource& source) {
  return pathIn<std::string>(source);
}

void setImageSize(DataSource& source, int side) {
  const auto set = [side](auto& options) {
    if constexpr (requires { options.size = side; }) options.size = side;
  };
  std::visit(set, source);
}

std::string shapeText(const MapShape& shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" +
         std::to_string(shape.width);
}

std::string textOf(const DataSource& source) {
  const std::string* path = pathOf(source);
  return path ? *path : std::string(traitsOf(source).kind);
}

}  // namespace lambda
