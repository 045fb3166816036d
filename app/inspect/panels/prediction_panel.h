#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "app/inspect/panels/panel_parts.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/predictions.h"

class QLabel;
class QPushButton;

namespace lambda {

class BarList;

/// The network's prediction for the image beside the true class, with the probabilities of all
/// classes.
class PredictionPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PredictionPanel(QWidget* parent = nullptr);

  void setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot);

  /// For a network without lambda layers: shows one image's part of the predictions for all images.
  void setPrediction(const Predictions& predictions, int image);

  /// Offers to classify all images of a split, for sources that can't classify a single one. An
  /// offer for the test set says that this scores it.
  void setOffer(std::optional<Split> split);

  BarList& bars() { return *bars_; }

  QString verdict() const { return words_.text; }

  const PredictionText& words() const { return words_; }

 Q_SIGNALS:
  void predictionsRequested();

 private:
  void setVerdict(const PredictionText& words);

  PredictionText words_;
  QLabel* verdict_;
  QLabel* details_;
  BarList* bars_;
  QPushButton* offer_;
};

}  // namespace lambda
