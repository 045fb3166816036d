#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QString>

#include "app/train/newest_task.h"
#include "engine/data/normalization.h"
#include "engine/values/data_source.h"
#include "engine/values/labeled_images.h"

namespace lambda {

/// A few training images of a source, to show what augmentation does to them.
struct SampleSet {
  LabeledImages images;
  Normalization normalization;  ///< Of all training images.
  QString problem;              ///< Why there are none.
};

/// The first `count` training images, read or drawn. Blocks; never throws.
SampleSet readSamples(const DataSource& source, int count);

/// Fetches samples beside the window.
class SampleImages : public QObject {
  Q_OBJECT

 public:
  explicit SampleImages(QObject* parent = nullptr);

  /// The samples of a source that can be read; asked again for the same one, nothing happens.
  void request(const DataSource& source);

  /// Null before the first ones arrived.
  std::shared_ptr<const SampleSet> samples() const { return samples_; }

 Q_SIGNALS:
  void arrived();

 private:
  std::optional<DataSource> source_;
  std::shared_ptr<const SampleSet> samples_;
  NewestTask task_;
};

}  // namespace lambda
