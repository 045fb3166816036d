#include "app/session/inspection/image_cache.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/data/dataset.h"

namespace lambda {

namespace {

constexpr std::size_t kKeptSplits = 4;  // both splits of both sides of a comparison

struct ReadImages {
  ImagesPointer images;
  QString problem;
};

ReadImages readImages(const DataConfig& data, Split split) {
  try {
    if (split == Split::test) return {std::make_shared<const LabeledImages>(loadTest(data)), {}};
    Dataset all = loadDataset(data);
    LabeledImages& wanted = split == Split::train ? all.train : all.validation;
    return {std::make_shared<const LabeledImages>(std::move(wanted)), {}};
  } catch (const std::exception& error) {
    return {nullptr, QString::fromStdString(error.what())};
  }
}

}  // namespace

bool isSameData(const DataConfig& a, const DataConfig& b) {
  DataConfig other = b;
  other.augmentation = a.augmentation;
  return a == other;
}

ImageCache::ImageCache(QObject* parent) : QObject(parent), tasks_(*this) {}

ImageCache::~ImageCache() = default;

std::deque<ImageCache::Entry>::iterator ImageCache::find(const DataConfig& data, Split split) {
  return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.split == split && isSameData(entry.data, data);
  });
}

ImagesPointer ImageCache::images(const DataConfig& data,
                                 Split split,
                                 QObject& context,
                                 std::function<void()> arrived,
                                 FailedCall failed) {
  const auto found = find(data, split);
  if (found == entries_.end()) {
    entries_.push_front({.data = data, .split = split, .images = nullptr, .readers = {}});
    dropOldest();
    read(data, split);
  } else {
    std::rotate(entries_.begin(), found, found + 1);
  }
  Entry& entry = entries_.front();
  if (entry.images) return entry.images;
  std::erase_if(entry.readers, [&](const Reader& reader) {
    return reader.context.isNull() || reader.context == &context;
  });
  entry.readers.push_back({&context, std::move(arrived), std::move(failed)});
  return nullptr;
}

void ImageCache::read(const DataConfig& data, Split split) {
  tasks_.run([data, split] { return readImages(data, split); },
             [this, data, split](const ReadImages& read) {
               const auto entry = find(data, split);
               entry->images = read.images;
               const std::vector<Reader> readers = std::exchange(entry->readers, {});
               // A failed reading is repeated at the next request.
               if (!read.images) entries_.erase(entry);
               for (const Reader& reader : readers) {
                 if (reader.context.isNull()) continue;
                 if (read.images) {
                   reader.arrived();
                 } else if (reader.failed) {
                   reader.failed(read.problem);
                 }
               }
             });
}

void ImageCache::dropOldest() {
  while (entries_.size() > kKeptSplits) {
    const auto oldest = std::find_if(
        entries_.rbegin(), entries_.rend(), [](const Entry& entry) { return entry.images; });
    if (oldest == entries_.rend()) return;
    entries_.erase(std::next(oldest).base());
  }
}

}  // namespace lambda
