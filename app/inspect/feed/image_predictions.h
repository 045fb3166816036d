#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include <QObject>

#include "app/session/inspection/prediction_store.h"

namespace lambda {

/// The predictions of the inspected checkpoint for the images of the chosen split, from the store
/// that all pages share.
class ImagePredictions : public QObject {
  Q_OBJECT

 public:
  /// `store` outlives it.
  explicit ImagePredictions(PredictionStore& store, QObject* parent = nullptr);

  /// An empty path stands for weights that are no checkpoint and have no predictions.
  void setSubject(const std::filesystem::path& checkpoint, Split split);

  /// The step of the weights as they were inspected: predictions of other weights, which the file
  /// had before, are not shown.
  void setStep(std::int64_t step);

  /// Null where they are not known.
  const PredictionsPointer& known() const { return entry_.predictions; }

  /// Classifies the images, unless that was done.
  void request();
  void cancel();

 Q_SIGNALS:
  /// known() returns other predictions than before.
  void changed();
  /// The images were classified just now.
  void scored();
  /// None = no request is under way.
  void progressed(std::optional<std::pair<qint64, qint64>> doneOfTotal);
  /// What happened, why and what to do.
  void failed(const QString& reason);

 private:
  void refresh();

  PredictionStore& store_;
  std::filesystem::path checkpoint_;
  Split split_ = Split::validation;
  std::optional<std::int64_t> step_;  ///< None = not inspected yet.
  PredictionStore::Entry entry_;      ///< As last told.
};

}  // namespace lambda
