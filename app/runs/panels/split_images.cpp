#include "app/runs/panels/split_images.h"

#include <exception>
#include <utility>

#include "engine/data/dataset.h"

namespace lambda {

namespace {

/// A low priority, below all work that somebody waits for.
constexpr int kNiceness = 10;

/// Of the training set only the requested images stay in memory: the rest of CIFAR-10 takes 140 MB.
LabeledImages read(const DataConfig& data, Split split) {
  if (split == Split::test) return loadTest(data);
  Dataset dataset = loadDataset(data);
  return split == Split::train ? std::move(dataset.train) : std::move(dataset.validation);
}

/// The settings that decide which images there are.
DataConfig keyOf(DataConfig data) {
  data.augmentation = {};
  return data;
}

}  // namespace

SplitImages::SplitImages(QObject* parent) : QObject(parent) {}

SplitImages::~SplitImages() = default;

std::shared_ptr<const LabeledImages> SplitImages::images(const DataConfig& data, Split split) {
  const DataConfig key = keyOf(data);
  if (!isKnown_ || key != data_ || split != split_) {
    data_ = key;
    split_ = split;
    images_.reset();
    isKnown_ = true;
    load();
  }
  return images_;
}

void SplitImages::load() {
  if (!thread_) thread_ = std::make_unique<WorkerThread>(kNiceness);
  thread_->post([this, id = ++asked_, data = data_, split = split_] {
    std::shared_ptr<const LabeledImages> images;
    QString reason;
    try {
      images = std::make_shared<const LabeledImages>(read(data, split));
    } catch (const std::exception& error) {
      reason = QString::fromStdString(error.what());
    }
    QMetaObject::invokeMethod(
        this,
        [this, id, images, reason] {
          if (id != asked_) return;
          images_ = images;
          if (images) {
            Q_EMIT loaded();
          } else {
            isKnown_ = false;  // The next request tries again.
            Q_EMIT failed(reason);
          }
        },
        Qt::QueuedConnection);
  });
}

}  // namespace lambda
