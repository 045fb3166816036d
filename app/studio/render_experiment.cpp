#include "app/studio/render_experiment.h"

#include <set>

#include "app/experiments/pictures/experiment_figures.h"
#include "app/studio/picture_writer.h"
#include "engine/experiments/read_curves.h"
#include "engine/experiments/read_experiment.h"
#include "engine/runtime/error.h"
#include "widgets/pictures/heatmaps/named_heatmap.h"
#include "widgets/plots/effects/effect_plot.h"
#include "widgets/plots/intervals/interval_plot.h"
#include "widgets/plots/scatter/scatter_plot.h"

namespace lambda {

namespace {

/// Creates, fills and writes the pictures of one state.
class ExperimentRenderer {
 public:
  ExperimentRenderer(const ExperimentState& state, PictureWriter& writer)
      : state_(state), writer_(writer) {}

  void render(PictureKind picture) {
    if (picture == PictureKind::curves) {
      for (const CurveQuantity quantity : curveQuantitiesOf(state_)) {
        IntervalPlot plot(IntervalLook::bands);
        showCurves(plot, state_, quantity);
        write(plot);
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
        return write(plot);
      }
      case PictureKind::sweep: {
        IntervalPlot plot(IntervalLook::bars);
        showSweep(plot, state_, measure);
        return write(plot);
      }
      case PictureKind::heatmap: {
        NamedHeatmap map;
        showHeatmap(map, state_, measure);
        return write(map);
      }
      case PictureKind::costs: {
        // Several measures may have the same score.
        if (!scores_.insert(scoreOf(state_, measure)).second) return;
        for (const CostQuantity cost : kCostQuantities) {
          ScatterPlot plot;
          showCosts(plot, state_, measure, cost);
          write(plot);
        }
        return;
      }
      case PictureKind::curves:
        break;
    }
  }

  void write(const Exportable& picture) {
    if (!picture.toCsv().isEmpty()) writer_.write(picture);
  }

  const ExperimentState& state_;
  PictureWriter& writer_;
  std::set<Quantity> scores_;  ///< Drawn against the costs so far.
};

}  // namespace

QStringList renderExperiment(const QString& experiment, const QString& folder) {
  const ExperimentFolder opened = ExperimentFolder::open(experiment.toStdString());
  ExperimentState state = readExperiment(opened);
  readCurves(opened, state);
  PictureWriter writer(folder);
  ExperimentRenderer renderer(state, writer);
  for (const PictureKind picture : picturesOf(state)) renderer.render(picture);
  if (writer.files().isEmpty()) {
    throw Error(experiment.toStdString(),
                "there is nothing to draw: no run of the experiment has trained an epoch",
                "Run it first.");
  }
  return writer.files();
}

}  // namespace lambda
