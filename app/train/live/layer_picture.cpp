#include "app/train/live/layer_picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/formats/inspection/epoch_files.h"
#include "engine/formats/inspection/probe_snapshot.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kMostTiles = 16;

std::size_t tileSize(const Array& tiles) {
  if (tiles.shape.size() != 4) return 0;
  return static_cast<std::size_t>(tiles.shape[2] * tiles.shape[3]);
}

std::vector<int> orderByNorm(const Array& tiles) {
  const std::size_t size = tileSize(tiles);
  if (size == 0) return {};
  std::vector<double> norms;
  for (std::size_t first = 0; first + size <= tiles.values.size(); first += size) {
    const auto begin = tiles.values.begin() + static_cast<std::ptrdiff_t>(first);
    norms.push_back(
        std::inner_product(begin, begin + static_cast<std::ptrdiff_t>(size), begin, 0.0));
  }
  std::vector<int> order(norms.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) {
    return norms[static_cast<std::size_t>(a)] > norms[static_cast<std::size_t>(b)];
  });
  return order;
}

LayerPicture pictureOf(const ProbeSnapshot& probe, const ProbeLayer& layer) {
  LayerPicture picture;
  picture.layer = layer.name;
  picture.step = probe.step;
  picture.epoch = probe.epoch;
  picture.lambdas.content = layer.lambdaContent;
  picture.lambdas.position = layer.lambdaPosition;
  picture.lambdas.total = sumOf(layer.lambdaContent, layer.lambdaPosition);
  picture.tiles = layer.embeddings;
  picture.change = layer.embeddingChange;
  picture.order = orderByNorm(picture.tiles);
  picture.changeOrder = orderByNorm(picture.change);
  return picture;
}

/// The parts as tiles [parts, k, v], with their names.
Array allParts(const LambdaParts& parts, QStringList& names) {
  Array all;
  if (parts.total.shape.size() != 2) return all;
  const std::pair<const Array*, QString> named[] = {
      {&parts.total, u"total"_s}, {&parts.content, u"content"_s}, {&parts.position, u"position"_s}};
  for (const auto& [part, name] : named) {
    if (part->shape != parts.total.shape) continue;
    all.values.insert(all.values.end(), part->values.begin(), part->values.end());
    names << name;
  }
  all.shape = {names.size(), parts.total.shape[0], parts.total.shape[1]};
  return all;
}

/// The file name: layer, quantity and epoch.
QString nameOf(const LayerPicture& picture, const QString& quantity) {
  return QString::fromStdString(picture.layer) + u"-"_s + quantity + u"-step"_s +
         QString::number(picture.step);
}

QString captionOf(const LayerPicture& picture, const QString& what) {
  return u"%1. Layer %2, step %3"_s.arg(
      what, QString::fromStdString(picture.layer), countText(picture.step));
}

}  // namespace

LayerPicture pictureOf(const InspectionSnapshot& snapshot) {
  LayerPicture picture;
  picture.layer = snapshot.layer.name;
  picture.step = snapshot.step;
  picture.epoch = snapshot.epoch;
  picture.lambdas = snapshot.lambdas;
  picture.tiles = snapshot.embeddings.tiles;
  picture.change = snapshot.embeddings.change;
  picture.order = snapshot.embeddings.order;
  picture.changeOrder = orderByNorm(picture.change);
  return picture;
}

std::vector<LayerPicture> storedPictures(const std::filesystem::path& run,
                                         const std::vector<InspectableLayer>& layers,
                                         const std::string& layer,
                                         const std::set<int>& known) {
  std::set<std::string> knownFiles;
  for (const int epoch : known) knownFiles.insert(epochFileName(epoch));
  std::vector<LayerPicture> pictures;
  for (const std::filesystem::path& file : probeSnapshotsOf(run / "inspection")) {
    if (knownFiles.contains(file.filename().string())) continue;
    try {
      const ProbeSnapshot probe = readProbeSnapshot(file, layers);
      const auto found = std::ranges::find(probe.layers, layer, &ProbeLayer::name);
      if (found != probe.layers.end()) pictures.push_back(pictureOf(probe, *found));
    } catch (const std::exception&) {
      // The strip lacks this epoch; the run itself does not depend on it.
    }
  }
  return pictures;
}

const Array& partOf(const LambdaParts& parts, LambdaPart part) {
  switch (part) {
    case LambdaPart::content:
      return parts.content;
    case LambdaPart::position:
      return parts.position;
    case LambdaPart::all:
    case LambdaPart::total:
      break;
  }
  return parts.total;
}

HeatmapData lambdaHeatmap(const LayerPicture& picture, LambdaPart part) {
  HeatmapData data;
  data.array = part == LambdaPart::all ? allParts(picture.lambdas, data.captions)
                                       : partOf(picture.lambdas, part);
  data.name = nameOf(picture, u"lambda"_s);
  data.caption = captionOf(picture, u"Lambda matrix"_s);
  data.rows.label = u"k"_s;
  data.columns.label = u"v"_s;
  return data;
}

HeatmapData embeddingHeatmap(const LayerPicture& picture, bool change) {
  const Array& all = change ? picture.change : picture.tiles;
  HeatmapData data;
  data.name = nameOf(picture, change ? u"embedding-change"_s : u"embeddings"_s);
  data.caption = captionOf(
      picture,
      change ? u"Position embeddings, change since the start"_s : u"Position embeddings"_s);
  const std::size_t size = tileSize(all);
  if (size == 0) return data;
  const std::int64_t depth = std::max<std::int64_t>(all.shape[1], 1);
  const std::vector<int>& order = change ? picture.changeOrder : picture.order;
  const auto count = std::min<std::size_t>(kMostTiles, order.size());
  data.array.shape = {static_cast<std::int64_t>(count), all.shape[2], all.shape[3]};
  for (std::size_t i = 0; i < count; ++i) {
    const auto tile = static_cast<std::size_t>(order[i]);
    const auto begin = all.values.begin() + static_cast<std::ptrdiff_t>(tile * size);
    data.array.values.insert(
        data.array.values.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
    const auto k = static_cast<std::int64_t>(tile) / depth;
    const auto u = static_cast<std::int64_t>(tile) % depth;
    data.captions << (depth > 1 ? u"k%1, u%2"_s.arg(k).arg(u) : u"k%1"_s.arg(k));
  }
  const auto offsets = [](const QString& label, std::int64_t length) {
    return HeatmapAxis{label, static_cast<int>(-(length / 2)), true};
  };
  data.rows = offsets(u"dy"_s, all.shape[2]);
  data.columns = offsets(u"dx"_s, all.shape[3]);
  return data;
}

int strongestTile(const LayerPicture& picture) {
  const std::vector<int>& order = picture.changeOrder.empty() ? picture.order : picture.changeOrder;
  return order.empty() ? -1 : order.front();
}

Array tileOf(const LayerPicture& picture, int tile, bool change) {
  const Array& all = change ? picture.change : picture.tiles;
  const std::size_t size = tileSize(all);
  const std::size_t first = static_cast<std::size_t>(std::max(tile, 0)) * size;
  if (tile < 0 || size == 0 || first + size > all.values.size()) return {};
  const auto begin = all.values.begin() + static_cast<std::ptrdiff_t>(first);
  return {{all.shape[2], all.shape[3]}, {begin, begin + static_cast<std::ptrdiff_t>(size)}};
}

}  // namespace lambda
