#pragma once

#include "app/inspect/panels/inspect_panel.h"
#include "app/inspect/panels/prediction_text.h"

class QLabel;
class QPushButton;

namespace lambda {

class BarList;

/// The network's prediction for the image beside the true class, with the probabilities of all
/// classes.
class PredictionPanel : public InspectPanel {
  Q_OBJECT

 public:
  explicit PredictionPanel(QWidget* parent = nullptr);

  BarList& bars() { return *bars_; }

  QString verdict() const { return words_.text; }

  std::vector<const Exportable*> exports() const override;

 protected:
  void showState(const PanelState& state) override;

 private:
  void showSnapshot(const InspectionSnapshot& snapshot);
  void showPrediction(const Predictions& predictions, int image);
  void showNone();
  void setOffer(std::optional<Split> split);
  void setVerdict(const PredictionText& words);

  PredictionText words_;
  QLabel* verdict_;
  QLabel* details_;
  BarList* bars_;
  QPushButton* offer_;
};

}  // namespace lambda
