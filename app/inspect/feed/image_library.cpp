#include "app/inspect/feed/image_library.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/data/dataset.h"

namespace lambda {

namespace {

constexpr int kNiceness = 10;
constexpr std::size_t kKept = 4;  // both splits of both sides of a comparison

LabeledImages read(const DataConfig& config, Split split) {
  if (split == Split::test) return loadTest(config);
  Dataset data = loadDataset(config);
  return split == Split::train ? std::move(data.train) : std::move(data.validation);
}

}  // namespace

bool isSameData(const DataConfig& a, const DataConfig& b) {
  DataConfig other = b;
  other.augmentation = a.augmentation;
  return a == other;
}

ImageLibrary::ImageLibrary(QObject* parent) : QObject(parent), thread_(kNiceness) {}

ImageLibrary::~ImageLibrary() = default;

std::shared_ptr<const LabeledImages> ImageLibrary::images(const DataConfig& config, Split split) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.split == split && isSameData(entry.config, config);
  });
  if (found != entries_.end()) {
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().images;
  }
  entries_.push_front({.config = config, .split = split, .images = nullptr});
  if (entries_.size() > kKept) entries_.pop_back();
  const auto answer = [this](auto call) {
    QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
  };
  thread_.post([this, answer, config, split] {
    try {
      auto images = std::make_shared<const LabeledImages>(read(config, split));
      answer([this, config, split, images] { take(config, split, images); });
    } catch (const std::exception& error) {
      const QString reason = QString::fromStdString(error.what());
      answer([this, config, split, reason] {
        drop(config, split);
        Q_EMIT failed(config, split, reason);
      });
    }
  });
  return nullptr;
}

void ImageLibrary::take(const DataConfig& config,
                        Split split,
                        std::shared_ptr<const LabeledImages> images) {
  for (Entry& entry : entries_) {
    if (entry.split == split && isSameData(entry.config, config)) entry.images = images;
  }
  Q_EMIT loaded(config, split, std::move(images));
}

void ImageLibrary::drop(const DataConfig& config, Split split) {
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.split == split && isSameData(entry.config, config);
  });
}

}  // namespace lambda
