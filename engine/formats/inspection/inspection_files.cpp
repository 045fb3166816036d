#include "engine/formats/inspection/inspection_files.h"

#include <algorithm>
#include <limits>

#include "engine/formats/inspection/inspection_folder.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr int kImageSide = 384;  // side in pixels that the magnified image should reach

/// The three parts of a quantity with their names in files.
constexpr std::pair<const char*, Array LambdaParts::*> kParts[] = {
    {"content", &LambdaParts::content},
    {"position", &LambdaParts::position},
    {"total", &LambdaParts::total}};

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
  InspectionWriter(const fs::path& folder, const InspectionSnapshot& snapshot, FileSystem& system)
      : folder_(folder, system), snapshot_(snapshot) {}

  std::vector<std::string> run() {
    writeImage();
    writeLambdas();
    writeContributions();
    writeEmbeddings();
    writeKeys();
    writeVectors();
    return writeSummary();
  }

 private:
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
    folder_.picture("image", large);
  }

  void writeLambdas() {
    const ColorRange range = commonRange(snapshot_.lambdas);
    for (const auto& [part, slot] : kParts) {
      const Array& lambda = snapshot_.lambdas.*slot;
      if (lambda.empty()) continue;
      const std::string name = std::string("lambda-") + part;
      folder_.heatmap(name, "lambda of the query, k rows, v columns", lambda, {.range = range});
      folder_.table(name,
                    {"",
                     numberedNames("k", lambda.shape[0]),
                     numberedNames("v", lambda.shape[1]),
                     lambda.values});
    }
  }

  void writeContributions() {
    const ColorRange range = commonRange(snapshot_.contributions);
    const int intraDepth = snapshot_.layer.intraDepth;
    for (const auto& [part, slot] : kParts) {
      folder_.heatmap(
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
      folder_.picture(name, renderHeatmap(map, {.range = range, .mark = queryCell()}));
      folder_.table(name,
                    {"",
                     numberedNames("row", map.shape[0]),
                     numberedNames("column", map.shape[1]),
                     map.values});
    }
    folder_.heatmap("effect",
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
    folder_.heatmap("embeddings",
                    "position embeddings over offsets, greatest norm first",
                    reordered(embeddings.tiles, embeddings.order),
                    style);
    if (embeddings.change.empty()) return;
    folder_.heatmap("embeddings-change",
                    "change of the position embeddings since the start of training",
                    reordered(embeddings.change, embeddings.order),
                    style);
  }

  void writeKeys() {
    folder_.heatmap(
        "keys",
        "normalised keys: where each of the k keys gathers values from; a scale for each tile",
        snapshot_.keys.regions,
        {.map = ColorMap::viridis, .rangePerTile = true});
  }

  void writeSpectrum() {
    const Array& queries = snapshot_.queries;
    folder_.table("queries",
                  {"",
                   numberedNames("head", queries.shape[0]),
                   numberedNames("k", queries.shape[1]),
                   queries.values});
    FloatTable spectrum{
        "part", {}, numberedNames("s", snapshot_.singularValues.total.shape.back()), {}};
    for (const auto& [name, part] : kParts) {
      const Array& values = snapshot_.singularValues.*part;
      if (values.empty()) continue;
      const std::int64_t heads = values.shape.size() == 1 ? 1 : values.shape.front();
      for (std::int64_t head = 1; head <= heads; ++head) {
        spectrum.rows.push_back(heads == 1 ? name : name + ("-head" + std::to_string(head)));
      }
      spectrum.values.insert(spectrum.values.end(), values.values.begin(), values.values.end());
    }
    folder_.table("singular-values", spectrum);
  }

  void writeVectors() {
    if (inspectedAs(snapshot_.layer) == InspectedAs::lambdas) writeSpectrum();
    if (!snapshot_.numbers.empty()) return writeNumbers();
    std::vector<std::string> classes = snapshot_.classNames;
    if (classes.size() != snapshot_.probabilities.size()) {
      classes = numberedNames("class", static_cast<std::int64_t>(snapshot_.probabilities.size()));
    }
    folder_.table("probabilities", {"class", classes, {"probability"}, snapshot_.probabilities});
  }

  void writeNumbers() {
    FloatTable numbers{"number", {}, {"predicted", "true"}, {}};
    for (const NumberPrediction& number : snapshot_.numbers) {
      numbers.rows.push_back(number.name);
      numbers.values.push_back(static_cast<float>(number.predicted));
      numbers.values.push_back(number.truth ? static_cast<float>(*number.truth)
                                            : std::numeric_limits<float>::quiet_NaN());
    }
    folder_.table("numbers", numbers);
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

  std::vector<std::string> writeSummary() {
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
    return folder_.finish(std::move(summary));
  }

  InspectionFolder folder_;
  const InspectionSnapshot& snapshot_;
};

}  // namespace

std::vector<std::string> writeInspection(const fs::path& folder,
                                         const InspectionSnapshot& snapshot,
                                         FileSystem& system) {
  return InspectionWriter(folder, snapshot, system).run();
}

}  // namespace lambda
