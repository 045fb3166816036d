#include "app/studio/render_experiment.h"

#include <set>

#include "app/experiments/pictures/experiment_figures.h"
#include "app/experiments/pictures/shown_values.h"
#include "engine/experiments/read_curves.h"
#include "engine/experiments/read_experiment.h"
#include "engine/runtime/error.h"
#include "widgets/pictures/heatmaps/named_heatmap.h"
#include "widgets/plots/effects/effect_plot.h"
#include "widgets/plots/intervals/interval_plot.h"
#include "widgets/plots/scatter/scatter_plot.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Creates and fills the pictures of one state.
class ExperimentRenderer {
 public:
  ExperimentRenderer(const ExperimentState& state, const PictureSink& sink)
      : state_(state), sink_(sink) {}

  void render(PictureKind picture) {
    if (picture == PictureKind::curves) {
      for (const CurveQuantity quantity : curveQuantitiesOf(state_)) {
        IntervalPlot plot(IntervalLook::bands);
        showCurves(plot, state_, quantity);
        draw(plot, plot.exportCaption());
      }
      return;
    }
    for (std::size_t measure = 0; measure < state_.results.size(); ++measure) {
      render(picture, measure);
    }
  }

 private:
  void render(PictureKind picture, std::size_t measure) {
    switch (picture) {
      case PictureKind::effects: {
        EffectPlot plot;
        showEffects(plot, state_, measure);
        return draw(
            plot,
            u"%1 of all variants: each run, the mean over seeds and its 95 % interval"_s.arg(
                plainTitle(state_.experiment.measures[measure])));
      }
      case PictureKind::sweep: {
        IntervalPlot plot(IntervalLook::bars);
        showSweep(plot, state_, measure);
        return draw(plot, plot.exportCaption());
      }
      case PictureKind::heatmap: {
        NamedHeatmap map;
        showHeatmap(map, state_, measure);
        return draw(map, map.exportCaption());
      }
      case PictureKind::costs: {
        // Several measures may have the same score.
        if (!scores_.insert(scoreOf(state_, measure)).second) return;
        for (const CostQuantity cost : kCostQuantities) {
          ScatterPlot plot;
          showCosts(plot, state_, measure, cost);
          draw(plot, plot.exportCaption());
        }
        return;
      }
      case PictureKind::curves:
        break;
    }
  }

  void draw(const Exportable& picture, const QString& text) {
    if (!picture.toCsv().isEmpty()) sink_(picture, text);
  }

  const ExperimentState& state_;
  const PictureSink& sink_;
  std::set<Quantity> scores_;  ///< Drawn against the costs so far.
};

}  // namespace

void drawExperiment(const ExperimentState& state, const PictureSink& sink) {
  ExperimentRenderer renderer(state, sink);
  for (const PictureKind picture : picturesOf(state)) renderer.render(picture);
}

QStringList renderExperiment(const QString& experiment, const QString& folder) {
  const ExperimentFolder opened = ExperimentFolder::open(experiment.toStdString());
  ExperimentState state = readExperiment(opened);
  readCurves(opened, state);
  PictureWriter writer(folder);
  drawExperiment(state, writer.sink());
  if (writer.files().isEmpty()) {
    throw Error(experiment.toStdString(),
                "there is nothing to draw: no run of the experiment has trained an epoch",
                "Run it first.");
  }
  return writer.files();
}

}  // namespace lambda
