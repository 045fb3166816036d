#pragma once

#include <QObject>
#include <QString>

#include "app/session/inspection/image_cache.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// The images of the inspected run, out of the cache of all pages.
class RunImages : public QObject {
  Q_OBJECT

 public:
  /// `cache` outlives it.
  explicit RunImages(ImageCache& cache, QObject* parent = nullptr);

  /// Images of other data are dropped, also those that are still being read.
  void setData(const DataConfig& data);

  bool isOf(const DataConfig& data) const { return isSameData(data, data_); }

  /// The images of a split; null while they are being read: then arrived() or failed() follows.
  ImagesPointer of(Split split);

 Q_SIGNALS:
  void arrived(lambda::Split split);
  /// What happened, why and what to do.
  void failed(lambda::Split split, const QString& reason);

 private:
  ImageCache& cache_;
  DataConfig data_;
};

}  // namespace lambda
