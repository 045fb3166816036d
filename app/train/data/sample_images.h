#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QString>

#include "engine/data/normalization.h"
#include "engine/values/config/data_source.h"
#include "engine/values/images/labeled_images.h"
#include "widgets/work/work.h"

namespace lambda {

/// A few training images of a source, to show the effect of augmentation.
struct SampleSet {
  LabeledImages images;
  Normalization normalization;  ///< Computed from all training images.
  QString problem;              ///< Why there are no images.
};

/// The first `count` training images, read or drawn. Blocks; never throws.
SampleSet readSamples(const DataSource& source, int count);

/// Loads samples without blocking the window.
class SampleImages : public QObject {
  Q_OBJECT

 public:
  explicit SampleImages(QObject* parent = nullptr);

  /// Loads the samples of a readable source; a repeated request for the same source does nothing.
  void request(const DataSource& source);

  /// Null before the first samples have arrived.
  std::shared_ptr<const SampleSet> samples() const { return samples_; }

 Q_SIGNALS:
  void arrived();

 private:
  std::optional<DataSource> source_;
  std::shared_ptr<const SampleSet> samples_;
  Work task_;
};

}  // namespace lambda
