#pragma once

#include <filesystem>
#include <memory>

#include "app/runs/panels/runs_panel.h"
#include "app/session/inspection/prediction_store.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/predictions.h"
#include "engine/values/run/run_record.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace lambda {

class GripSplitter;
class CellImages;
class ChoiceBar;
class ConfusionView;
class TruthPlot;
class ImageCache;

/// The confusion matrix of a run, and the images behind it; of a regression, the predicted numbers
/// over the true ones. Classifies on request, and warns before
/// the test set is scored.
class ConfusionPanel : public RunsPanel {
  Q_OBJECT

 public:
  explicit ConfusionPanel(const RunsContext& context);

  void setCurrentRun(const std::filesystem::path& run) override;

  const ConfusionView& view() const { return *view_; }

  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  Split split() const;
  QWidget* makeMessage();
  QWidget* makeResult();
  QWidget* makeNumbers();
  void updateSizes();
  void refresh();
  void showMessage(const QString& title, const QString& text, const QString& button);
  void showLack();
  void showFailure(const RunRecord& record, const QString& reason);
  void showProgress(const PredictionStore::Entry& entry);
  void showPredictions(const std::shared_ptr<const Predictions>& predictions);
  void scoreUnasked();
  void showBeginning();
  void showImages();
  void showNumbers();

  const RunTableModel& runs_;
  std::filesystem::path run_;
  PredictionStore& store_;
  ImageCache& images_;
  ChoiceBar* splits_;
  ChoiceBar* scales_;
  QLabel* summary_;
  QToolButton* again_;
  QStackedWidget* pages_;
  QWidget* messageColumn_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* text_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QPushButton* button_ = nullptr;
  GripSplitter* result_ = nullptr;
  ConfusionView* view_ = nullptr;
  CellImages* cellImages_ = nullptr;
  QWidget* matrixExport_ = nullptr;
  QWidget* numbersPage_ = nullptr;
  QComboBox* number_ = nullptr;
  TruthPlot* truth_ = nullptr;
  std::shared_ptr<const Predictions> shown_;
};

}  // namespace lambda
