#include "app/studio/render_run.h"

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "engine/formats/inspection/probe_snapshot.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/plots/curves/curve_plot.h"
#include "widgets/plots/curves/run_curves.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kSmoothing = 0.9;

// Far more than a picture can show. Every number is a line of the CSV file, every tile a picture of
// its own in SVG and PDF.
constexpr std::size_t kMostNumbers = 4U << 20;
constexpr int kMostTiles = 4096;

/// Appends a matrix to the tiles [count, rows, columns].
void appendTile(Array& tiles, const Array& tile) {
  if (tile.empty()) return;
  if (tiles.empty()) tiles.shape = {0, tile.shape[0], tile.shape[1]};
  ++tiles.shape[0];
  tiles.values.insert(tiles.values.end(), tile.values.begin(), tile.values.end());
}

void drawHeatmap(HeatmapData data, const PictureSink& sink) {
  if (data.array.empty()) return;
  if (data.array.values.size() > kMostNumbers || data.tileCount() > kMostTiles) {
    throw Error(data.title.toStdString(),
                "has " + std::to_string(data.array.values.size()) + " numbers in " +
                    std::to_string(data.tileCount()) + " tiles, too many for a picture",
                "Show the layer in Inspect instead.");
  }
  const QString title = data.title;
  HeatmapView view;
  view.setData(std::move(data));
  sink(view, title);
}

int halfOf(const Array& array, std::size_t dimension) {
  return static_cast<int>(array.shape[dimension] / 2);
}

void drawLayer(const ProbeLayer& layer, int epoch, const PictureSink& sink) {
  const QString name = QString::fromStdString(layer.name);
  const QString place = u"%1 after epoch %2"_s.arg(name).arg(epoch);

  HeatmapData lambdas{.array = {}};
  QStringList captions;
  for (const auto& [part, caption] :
       {std::pair{layer.lambdaContent, u"content"_s},
        std::pair{layer.lambdaPosition, u"position"_s},
        std::pair{sumOf(layer.lambdaContent, layer.lambdaPosition), u"total"_s}}) {
    if (part.empty()) continue;
    appendTile(lambdas.array, part);
    captions << caption;
  }
  lambdas.name = name + u"-lambda"_s;
  lambdas.title = u"Lambda of %1"_s.arg(place);
  lambdas.rows.label = u"k"_s;
  lambdas.columns.label = u"v"_s;
  lambdas.captions = captions;
  drawHeatmap(std::move(lambdas), sink);

  HeatmapData contributions{.array =
                                sumOf(layer.contributionsContent, layer.contributionsPosition)};
  contributions.name = name + u"-contributions"_s;
  contributions.title = u"Contributions to the middle pixel, %1, one tile per head"_s.arg(place);
  contributions.rows.label = u"row"_s;
  contributions.columns.label = u"column"_s;
  drawHeatmap(std::move(contributions), sink);

  HeatmapData embeddings{.array = layer.embeddings};
  if (!embeddings.array.empty()) {
    embeddings.name = name + u"-embeddings"_s;
    embeddings.title = u"Position embeddings of %1, one tile per query channel"_s.arg(place);
    embeddings.rows = {u"dy"_s, -halfOf(embeddings.array, 2), true};
    embeddings.columns = {u"dx"_s, -halfOf(embeddings.array, 3), true};
  }
  drawHeatmap(std::move(embeddings), sink);
}

}  // namespace

void drawCurves(const Metrics& metrics, const PictureSink& sink) {
  if (metrics.batches.empty() && metrics.epochs.empty()) return;
  const ScoreKind scoredBy = metrics.epochs.empty() ? metrics.batches.front().scoredBy
                                                    : metrics.epochs.front().train.scoredBy;
  CurvePlot plot(runPanels(scoredBy));
  plot.setSeries(runCurves(metrics));
  plot.setSmoothing(kSmoothing);
  plot.setExportName(u"curves"_s);
  sink(plot,
       u"Loss and %1 over the steps of the training: batches and their moving average, and after "
       "each epoch the training sample and the validation images"_s.arg(
           QString::fromUtf8(traitsOf(scoredBy).name)));
}

std::optional<ProbeSnapshot> lastProbeOf(const RunFolder& folder, const Architecture& network) {
  const std::vector<std::filesystem::path> probes = probeSnapshotsOf(folder.inspection());
  if (probes.empty()) return std::nullopt;
  return readProbeSnapshot(probes.back(), inspectableLayers(network));
}

void drawLayers(const ProbeSnapshot& probe, const PictureSink& sink) {
  for (const ProbeLayer& layer : probe.layers) drawLayer(layer, probe.epoch, sink);
}

QStringList renderRun(const QString& run, const QString& folder) {
  const RunFolder runFolder = RunFolder::open(run.toStdString());
  PictureWriter writer(folder);
  drawCurves(readMetrics(runFolder.metrics()), writer.sink());
  std::vector<Problem> ignored;
  const RunConfig config = readRunRecord(runFolder.record(), ignored).config;
  if (const auto probe = lastProbeOf(runFolder, config.architecture)) {
    drawLayers(*probe, writer.sink());
  }
  if (writer.files().isEmpty()) {
    throw Error(run.toStdString(),
                "there is nothing to draw: the run has no recorded step",
                "Train it on first.");
  }
  return writer.files();
}

}  // namespace lambda
