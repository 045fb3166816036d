#include "engine/formats/inspection/inspection_files.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/png.h"
#include "engine/formats/json/json.h"
#include "engine/formats/metrics/csv.h"
#include "engine/formats/tensors/npy.h"
#include "engine/runtime/error.h"
#include "engine/values/inspection/heatmap.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr int kImageSide = 384;  // side in pixels that the magnified image should reach

/// The three parts of a quantity with their names in files.
constexpr std::pair<const char*, Array LambdaParts::*> kParts[] = {
    {"content", &LambdaParts::content},
    {"position", &LambdaParts::position},
    {"total", &LambdaParts::total}};

std::vector<std::string> numbered(const std::string& what, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(what + std::to_string(i));
  return names;
}

/// One scale for all parts of a signed quantity.
ColorRange commonRange(const LambdaParts& parts) {
  std::vector<float> all;
  for (const auto& [name, part] : kParts) {
    all.insert(all.end(), (parts.*part).values.begin(), (parts.*part).values.end());
  }
  return rangeOf(ColorMap::diverging, all);
}

/// The tiles of an array [k, u, rows, columns] in another order, as [k u, rows, columns].
Array reordered(const Array& tiles, const std::vector<int>& order) {
  Array sorted;
  const std::int64_t rows = tiles.shape[2], columns = tiles.shape[3];
  sorted.shape = {tiles.shape[0] * tiles.shape[1], rows, columns};
  for (const int tile : order) {
    const auto first = tiles.values.begin() + tile * rows * columns;
    sorted.values.insert(sorted.values.end(), first, first + rows * columns);
  }
  return sorted;
}

/// One tile of an array [.., rows, columns].
Array tileOf(const Array& array, std::int64_t tile) {
  const std::int64_t rows = array.shape[array.shape.size() - 2], columns = array.shape.back();
  const auto first = array.values.begin() + tile * rows * columns;
  return {{rows, columns}, {first, first + rows * columns}};
}

/// The meaning of the picture of the contributions of all pixels m.
const char* meaningOfContributions(InspectedAs shown) {
  switch (shown) {
    case InspectedAs::attention:
      return "attention weight a_nm of every pixel m; tiles: heads";
    case InspectedAs::gates:
      return "factor g_m of every pixel m, whatever the query";
    case InspectedAs::lambdas:
    case InspectedAs::nothing:
      break;
  }
  return "q . (kbar_m + e_nm) of every pixel m; tiles: heads, then intra-depth";
}

class InspectionWriter {
 public:
  InspectionWriter(fs::path folder, const InspectionSnapshot& snapshot, FileSystem& system)
      : folder_(std::move(folder)), snapshot_(snapshot), system_(system) {}

  std::vector<std::string> run() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
      throw Error(folder_.string(),
                  "can't create the folder: " + error.message(),
                  "name a folder that you may write to");
    }
    writeImage();
    writeLambdas();
    writeContributions();
    writeEmbeddings();
    writeKeys();
    writeVectors();
    writeSummary();
    return std::move(files_);
  }

 private:
  fs::path file(const std::string& name) {
    files_.push_back(name);
    return folder_ / name;
  }

  /// Writes NAME.png and NAME.npy, and adds the meaning of the colours to the summary.
  void heatmap(const std::string& name,
               const std::string& meaning,
               const Array& array,
               HeatmapStyle style) {
    if (array.empty()) return;
    if (!style.range) style.range = rangeOf(style.map, array.values);
    writePng(file(name + ".png"), renderHeatmap(array, style), system_);
    writeNpy(file(name + ".npy"), array.values, array.shape, system_);
    nlohmann::ordered_json entry;
    entry["meaning"] = meaning;
    entry["shape"] = array.shape;
    entry["colors"] = style.map == ColorMap::viridis ? "viridis" : "blue-white-red";
    entry["low"] = style.rangePerTile ? 0 : style.range->low;
    entry["high"] = style.range->high;
    entry["scalePerTile"] = style.rangePerTile;
    pictures_[name] = std::move(entry);
  }

  void table(const std::string& name, FloatTable values) {
    writeCsv(file(name + ".csv"), values, system_);
  }

  Cell queryCell() const { return {snapshot_.queryRow, snapshot_.queryColumn}; }

  void writeImage() {
    const Image& image = snapshot_.image;
    if (image.width == 0 || image.height == 0) return;
    const int factor = std::max(1, kImageSide / std::max(image.width, image.height));
    Image large = magnified(image, factor);
    const auto edge = [](int index, int size, int pixels) { return index * pixels / size; };
    const InspectableLayer& layer = snapshot_.layer;
    const int left = edge(snapshot_.queryColumn, layer.width, large.width);
    const int top = edge(snapshot_.queryRow, layer.height, large.height);
    drawFrame(large,
              left,
              top,
              edge(snapshot_.queryColumn + 1, layer.width, large.width) - left,
              edge(snapshot_.queryRow + 1, layer.height, large.height) - top);
    writePng(file("image.png"), large, system_);
  }

  void writeLambdas() {
    const ColorRange range = commonRange(snapshot_.lambdas);
    for (const auto& [part, slot] : kParts) {
      const Array& lambda = snapshot_.lambdas.*slot;
      if (lambda.empty()) continue;
      const std::string name = std::string("lambda-") + part;
      heatmap(name, "lambda of the query, k rows, v columns", lambda, {.range = range});
      table(name,
            {"", numbered("k", lambda.shape[0]), numbered("v", lambda.shape[1]), lambda.values});
    }
  }

  void writeContributions() {
    const ColorRange range = commonRange(snapshot_.contributions);
    const int intraDepth = snapshot_.layer.intraDepth;
    for (const auto& [part, slot] : kParts) {
      heatmap(
          std::string("contribution-") + part,
          meaningOfContributions(inspectedAs(snapshot_.layer)),
          snapshot_.contributions.*slot,
          {.range = range, .mark = queryCell(), .tilesPerRow = intraDepth > 1 ? intraDepth : 0});
    }
    const Array& total = snapshot_.contributions.total;
    for (int tile = 0; !total.empty() && tile < snapshot_.layer.heads * intraDepth; ++tile) {
      std::string name = "contribution-total-head" + std::to_string(tile / intraDepth + 1);
      if (intraDepth > 1) name += "-depth" + std::to_string(tile % intraDepth + 1);
      const Array map = tileOf(total, tile);
      writePng(
          file(name + ".png"), renderHeatmap(map, {.range = range, .mark = queryCell()}), system_);
      table(name,
            {"", numbered("row", map.shape[0]), numbered("column", map.shape[1]), map.values});
    }
    heatmap("effect",
            "norm of every pixel's contribution to the output; tiles: heads",
            snapshot_.effect,
            {.map = ColorMap::viridis, .mark = queryCell()});
  }

  void writeEmbeddings() {
    const EmbeddingTiles& embeddings = snapshot_.embeddings;
    if (embeddings.tiles.empty()) return;
    HeatmapStyle style;
    style.mark = snapshot_.layer.embedding == PositionEmbedding::absolute
                     ? queryCell()
                     : Cell{static_cast<int>(embeddings.tiles.shape[2] / 2),
                            static_cast<int>(embeddings.tiles.shape[3] / 2)};
    heatmap("embeddings",
            "position embeddings over offsets, greatest norm first",
            reordered(embeddings.tiles, embeddings.order),
            style);
    if (embeddings.change.empty()) return;
    heatmap("embeddings-change",
            "change of the position embeddings since the start of training",
            reordered(embeddings.change, embeddings.order),
            style);
  }

  void writeKeys() {
    heatmap("keys",
            "normalised keys: where each of the k keys gathers values from; a scale for each tile",
            snapshot_.keys.regions,
            {.map = ColorMap::viridis, .rangePerTile = true});
  }

  void writeSpectrum() {
    const Array& queries = snapshot_.queries;
    table(
        "queries",
        {"", numbered("head", queries.shape[0]), numbered("k", queries.shape[1]), queries.values});
    FloatTable spectrum{"part", {}, numbered("s", snapshot_.singularValues.total.shape.back()), {}};
    for (const auto& [name, part] : kParts) {
      const Array& values = snapshot_.singularValues.*part;
      if (values.empty()) continue;
      const std::int64_t heads = values.shape.size() == 1 ? 1 : values.shape.front();
      for (std::int64_t head = 1; head <= heads; ++head) {
        spectrum.rows.push_back(heads == 1 ? name : name + ("-head" + std::to_string(head)));
      }
      spectrum.values.insert(spectrum.values.end(), values.values.begin(), values.values.end());
    }
    table("singular-values", spectrum);
  }

  void writeVectors() {
    if (inspectedAs(snapshot_.layer) == InspectedAs::lambdas) writeSpectrum();
    if (!snapshot_.numbers.empty()) return writeNumbers();
    std::vector<std::string> classes = snapshot_.classNames;
    if (classes.size() != snapshot_.probabilities.size()) {
      classes = numbered("class", static_cast<std::int64_t>(snapshot_.probabilities.size()));
    }
    table("probabilities", {"class", classes, {"probability"}, snapshot_.probabilities});
  }

  void writeNumbers() {
    FloatTable numbers{"number", {}, {"predicted", "true"}, {}};
    for (const NumberPrediction& number : snapshot_.numbers) {
      numbers.rows.push_back(number.name);
      numbers.values.push_back(static_cast<float>(number.predicted));
      numbers.values.push_back(number.truth ? static_cast<float>(*number.truth)
                                            : std::numeric_limits<float>::quiet_NaN());
    }
    table("numbers", numbers);
  }

  std::string className(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return index >= 0 && i < snapshot_.classNames.size() ? snapshot_.classNames[i]
                                                         : std::to_string(index);
  }

  nlohmann::ordered_json layerSummary() const {
    const InspectableLayer& layer = snapshot_.layer;
    return {{"name", layer.name},
            {"kind", std::string(kMixerTraits[layer.kind].kind)},
            {"k", layer.queryDepth},
            {"h", layer.heads},
            {"lambdas", layer.lambdas},
            {"u", layer.intraDepth},
            {"v", layer.valueDepth},
            {"height", layer.height},
            {"width", layer.width},
            {"scope", layer.scope},
            {"embedding", std::string(nameOf(layer.embedding))},
            {"content", layer.content}};
  }

  void writeSummary() {
    nlohmann::ordered_json summary;
    summary["schema"] = 1;
    summary["layer"] = layerSummary();
    summary["step"] = snapshot_.step;
    summary["epoch"] = snapshot_.epoch;
    summary["weights"] = std::string(nameOf(snapshot_.weights));
    summary["split"] = std::string(nameOf(snapshot_.request.split));
    summary["image"] = snapshot_.request.image;
    summary["query"] = {{"row", snapshot_.queryRow}, {"column", snapshot_.queryColumn}};
    if (snapshot_.label >= 0) summary["label"] = className(snapshot_.label);
    summary["predicted"] = className(snapshot_.predicted);
    if (!snapshot_.effect.empty()) {
      summary["residual"] = {{"absolute", snapshot_.residual.absolute},
                             {"relative", snapshot_.residual.relative}};
    }
    if (inspectedAs(snapshot_.layer) == InspectedAs::lambdas) {
      summary["balance"] = {{"contentEnergy", snapshot_.balance.contentEnergy},
                            {"positionEnergy", snapshot_.balance.positionEnergy},
                            {"cosine", snapshot_.balance.cosine}};
      summary["keyEntropy"] = snapshot_.keys.entropy;
      summary["embeddingNorms"] = snapshot_.embeddings.norms;
      summary["embeddingOrder"] = snapshot_.embeddings.order;
    }
    summary["pictures"] = pictures_;
    writeFileDurably(file("summary.json"), formatJson(summary), system_);
  }

  fs::path folder_;
  const InspectionSnapshot& snapshot_;
  FileSystem& system_;
  std::vector<std::string> files_;
  nlohmann::ordered_json pictures_ = nlohmann::ordered_json::object();
};

}  // namespace

std::vector<std::string> writeInspection(const fs::path& folder,
                                         const InspectionSnapshot& snapshot,
                                         FileSystem& system) {
  return InspectionWriter(folder, snapshot, system).run();
}

}  // namespace lambda
