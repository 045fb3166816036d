#include "app/inspect/feed/run_images.h"

namespace lambda {

RunImages::RunImages(ImageCache& cache, QObject* parent) : QObject(parent), cache_(cache) {}

void RunImages::setData(const DataConfig& data) {
  data_ = data;
}

ImagesPointer RunImages::of(Split split) {
  const auto isCurrent = [this, data = data_] { return isOf(data); };
  return cache_.images(
      data_,
      split,
      *this,
      [this, split, isCurrent] {
        if (isCurrent()) Q_EMIT arrived(split);
      },
      [this, split, isCurrent](const QString& reason) {
        if (isCurrent()) Q_EMIT failed(split, reason);
      });
}

}  // namespace lambda
