#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <QElapsedTimer>
#include <QTimer>

#include "app/session/panel.h"
#include "engine/values/run/metrics.h"
#include "widgets/plots/curves/curve_plot.h"

namespace lambda {

class CurveToolbar;
class TrainingSession;

/// The curves of the training under way, or of the last one: loss and accuracy of batches and
/// epochs, with marks for events. Reads new records a few times a second, and only while it is
/// visible; the more there is to draw, the less often, so that drawing never takes more than a
/// small part of a core from the training. If asked, the curves of the run before stay, faint.
class CurvesPanel : public Panel {
  Q_OBJECT

 public:
  explicit CurvesPanel(TrainingSession& session, QWidget* parent = nullptr);

  CurvePlot& plot() { return *plot_; }

  CurveToolbar& toolbar() { return *toolbar_; }

  /// Checkable: shows the run before as a faint reference. Visible where there is one.
  QAction* referenceAction() const { return reference_; }

  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

  /// Moves the crosshair to an event.
  void showPlaceOf(const EventRecord& event);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void restart();
  void schedule();
  void catchUp();
  double epochOf(std::int64_t step) const;

  /// A run's records, kept when the next run begins.
  struct KnownRun {
    std::filesystem::path run;
    Metrics metrics;
    double stepsPerEpoch = 0;
  };

  double stepsPerEpoch() const;
  void showAll();
  std::vector<CurveSeries> referenceCurves() const;

  TrainingSession& session_;
  CurvePlot* plot_;
  CurveToolbar* toolbar_;
  QAction* reference_;
  KnownRun ended_;   ///< The last run that ended.
  KnownRun before_;  ///< The run before the present one.
  QTimer timer_;
  std::size_t batches_ = 0;  ///< Number of the session's batches that are drawn.
  std::size_t epochs_ = 0;
  std::size_t events_ = 0;
  std::vector<std::string> keys_;  ///< Keys of the plot's series.
};

}  // namespace lambda
