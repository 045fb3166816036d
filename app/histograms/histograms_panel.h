#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <QTimer>

#include "app/session/panel.h"
#include "engine/values/run/histogram.h"
#include "widgets/histograms/histogram_plot.h"
#include "widgets/work/work.h"

class QButtonGroup;
class QComboBox;
class QToolButton;

namespace lambda {

class ElidedLabel;

/// A run whose histograms are shown.
struct HistogramSource {
  std::filesystem::path run = {};  ///< Empty = none.
  bool isRecorded = true;          ///< Its configuration records histograms.
  bool isTraining = false;         ///< More of them can come.

  bool operator==(const HistogramSource&) const = default;
};

/// The histograms of a run for one layer and kind over the steps. Follows the run's file while the
/// panel is visible, on a thread of its own.
class HistogramsPanel : public Panel {
  Q_OBJECT

 public:
  explicit HistogramsPanel(QWidget* parent = nullptr);

  /// Replaces the run. `textWithoutRun` says why there is none and what to do.
  void setSource(const HistogramSource& source, const QString& textWithoutRun);

  HistogramPlot& plot() { return *plot_; }

  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  struct Followed;
  struct News;
  using Record = std::shared_ptr<const HistogramRecord>;

  QWidget* makeChoices();
  QWidget* makeForms();
  void begin();
  void read();
  void take(News news);
  void showChoices();
  void showHistograms();
  QString emptyText() const;
  HistogramKind kind() const;

  HistogramSource source_;
  QString textWithoutRun_;
  std::shared_ptr<Followed> followed_;  ///< Null without a run.
  bool isReading_ = false;
  QString problem_;  ///< Why the file can't be read; empty if it can.
  std::vector<Record> records_;
  QComboBox* kinds_;
  QComboBox* layers_;
  QButtonGroup* forms_;
  QToolButton* logarithmic_;
  QToolButton* quantiles_;
  HistogramPlot* plot_;
  ElidedLabel* readout_;
  QTimer timer_;
  Work tasks_;
};

}  // namespace lambda
