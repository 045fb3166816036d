#include "app/report/report_figures.h"

#include <array>
#include <utility>
#include <vector>

#include "app/runs/compare/config_difference.h"
#include "app/runs/compare/overlay.h"
#include "app/studio/render_experiment.h"
#include "app/studio/render_run.h"
#include "engine/runtime/error.h"
#include "widgets/export/export_file.h"
#include "widgets/plots/curves/run_curves.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

std::vector<OverlayRun> overlayOf(const std::vector<ReportedRun>& runs) {
  const QStringList differences = legendTexts(recordsOf(runs));
  std::vector<OverlayRun> overlay;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    overlay.push_back({.row = runs[i].row,
                       .colorIndex = static_cast<int>(i),
                       .metrics = runs[i].metrics,
                       .log = {},
                       .difference = differences[static_cast<qsizetype>(i)]});
  }
  return overlay;
}

/// The loss above the score, as in the curves of one run.
void drawOverlay(const std::vector<OverlayRun>& runs,
                 const std::array<RunQuantity, 2>& quantities,
                 const QString& images,
                 const PictureSink& sink) {
  std::vector<CurveSeries> series;
  for (std::size_t panel = 0; panel < quantities.size(); ++panel) {
    for (CurveSeries& curve : overlayOf(runs, quantities[panel])) {
      curve.panel = static_cast<int>(panel);
      curve.key += std::to_string(panel);
      series.push_back(std::move(curve));
    }
  }
  if (series.empty()) return;
  const ScoreKind score = scoreOf(runs);
  CurvePlot plot(runPanels(score));
  plot.setAxis(CurveAxis::epochs);
  plot.setSeries(std::move(series));
  sink(plot,
       u"Loss and %1 on %2 after each epoch, a line for each run"_s.arg(
           QString::fromUtf8(traitsOf(score).name), images));
}

void drawRuns(const std::vector<ReportedRun>& runs, const PictureSink& sink) {
  if (runs.size() > 1) {
    const std::vector<OverlayRun> overlay = overlayOf(runs);
    drawOverlay(overlay,
                {RunQuantity::validationLoss, RunQuantity::validationScore},
                u"the validation images"_s,
                sink);
    drawOverlay(overlay,
                {RunQuantity::trainLoss, RunQuantity::trainScore},
                u"a fixed sample of the training images"_s,
                sink);
    return;
  }
  for (const ReportedRun& run : runs) {
    drawCurves(*run.metrics, sink);
    if (run.probe) drawLayers(*run.probe, sink);
  }
}

}  // namespace

ReportFigures drawFigures(const ReportContent& content) {
  ReportFigures drawn;
  const PictureSink sink = [&drawn](const Exportable& picture, const QString& text) {
    drawn.figures.append({text,
                          toDataUri(picture, {.size = {}, .colors = &printColors()}),
                          toDataUri(picture, {.size = {}, .colors = &darkColors()})});
  };
  try {
    if (content.experiment) {
      drawExperiment(content.experiment->state, sink);
    } else {
      drawRuns(content.runs, sink);
    }
  } catch (const Error& error) {
    drawn.remarks << QString::fromStdString(error.what());
  }
  return drawn;
}

}  // namespace lambda
