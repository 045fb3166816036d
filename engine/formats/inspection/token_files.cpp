#include "engine/formats/inspection/token_files.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/formats/inspection/inspection_folder.h"
#include "engine/values/inspection/contribution_maps.h"
#include "engine/values/text/token_label.h"

namespace lambda {

namespace {

constexpr int kMapSide = 1024;  // pixels that the picture of all pairs should not exceed
constexpr int kLargestCell = 8;

constexpr const char* kQuantityNames[] = {"content", "position", "total", "effect"};

const char* quantityName(ContributionKind quantity) {
  return kQuantityNames[static_cast<std::size_t>(quantity)];
}

ColorMap colorsOf(ContributionKind quantity) {
  return quantity == ContributionKind::effect ? ColorMap::viridis : ColorMap::diverging;
}

ColorRange colorRangeOf(ContributionKind quantity, const Array& map) {
  const ColorRange range = rangeOf(colorsOf(quantity), map.values);
  return quantity == ContributionKind::effect ? ColorRange{0, range.high} : range;
}

class TokenInspectionWriter {
 public:
  TokenInspectionWriter(const std::filesystem::path& folder,
                        const TokenSnapshot& snapshot,
                        FileSystem& system)
      : folder_(folder, system), snapshot_(snapshot) {}

  std::vector<std::string> run() {
    writeTokens();
    for (const ContributionKind quantity : kContributionKinds) writeMap(quantity);
    writeChannels();
    for (const KeptPart& part : snapshot_.kept) {
      folder_.heatmap("kept-" + part.name, part.meaning, part.values);
    }
    writeProbabilities();
    return writeSummary();
  }

 private:
  std::string label(std::int64_t token) const { return tokenLabel(token, snapshot_.areBytes); }

  std::size_t position() const { return static_cast<std::size_t>(snapshot_.position); }

  /// The tokens with what each adds to the output at the chosen one, of all heads together.
  void writeTokens() {
    FloatTable table{"token", {}, {"index", "number"}, {}};
    std::vector<Array> maps;
    for (const ContributionKind quantity : kContributionKinds) {
      Array map = mapOf(headMapsOf(*snapshot_.maps, quantity), quantity, -1);
      if (map.empty()) continue;
      maps.push_back(std::move(map));
      table.columns.emplace_back(quantityName(quantity));
    }
    const std::size_t count = snapshot_.tokens.size();
    for (std::size_t i = 0; i < count; ++i) {
      table.rows.push_back(label(snapshot_.tokens[i]));
      table.values.push_back(static_cast<float>(i));
      table.values.push_back(static_cast<float>(snapshot_.tokens[i]));
      for (const Array& map : maps) table.values.push_back(map.values[position() * count + i]);
    }
    folder_.table("tokens", table);
  }

  /// Writes map-QUANTITY: a picture of all heads together, with a frame around the row of the
  /// chosen token, and the numbers of each.
  void writeMap(ContributionKind quantity) {
    const Array& maps = headMapsOf(*snapshot_.maps, quantity);
    if (maps.empty()) return;
    const Array map = mapOf(maps, quantity, -1);
    const int count = static_cast<int>(map.shape[0]);
    const ColorRange range = colorRangeOf(quantity, map);
    Image image{count, count, {}};
    for (const float value : map.values) {
      const Rgb color = colorOf(colorsOf(quantity), range, value);
      image.rgb.insert(image.rgb.end(), color.begin(), color.end());
    }
    const int side = std::clamp(kMapSide / count, 1, kLargestCell);
    Image picture = magnified(image, side);
    drawFrame(picture, 0, snapshot_.position * side, count * side, side);
    folder_.map(std::string("map-") + quantityName(quantity),
                quantity == ContributionKind::effect
                    ? "norm of what every token m (across) adds to the output at every token n "
                      "(down); the picture is of all heads together"
                    : "weight of every token m (across) in the output at every token n (down); the "
                      "picture is the sum of all heads",
                maps,
                {.map = colorsOf(quantity), .range = range},
                picture);
  }

  /// The channels by falling half-life where they have one, otherwise in their order.
  std::vector<int> channelOrder() const {
    std::vector<int> order;
    for (const ChannelDecay& decay : snapshot_.decays) order.push_back(decay.channel);
    for (int i = 0; order.size() < static_cast<std::size_t>(snapshot_.channelWeights.shape[0]);
         ++i) {
      order.push_back(i);
    }
    return order;
  }

  void writeChannels() {
    const Array& weights = snapshot_.channelWeights;
    if (weights.empty()) return;
    const bool haveDecays = !snapshot_.decays.empty();
    Array sorted{weights.shape, {}};
    for (const int channel : channelOrder()) {
      const auto first = weights.values.begin() + channel * weights.shape[1];
      sorted.values.insert(sorted.values.end(), first, first + weights.shape[1]);
    }
    folder_.heatmap("channel-weights",
                    std::string("weight of every token (across) at the chosen one in every channel "
                                "(down)") +
                        (haveDecays ? ", the longest half-life first, as in decays.csv" : ""),
                    sorted,
                    {.map = haveDecays ? ColorMap::viridis : ColorMap::diverging});
    if (!haveDecays) return;
    FloatTable decays{"channel", {}, {"half-life", "rate", "bonus"}, {}};
    const auto channels = static_cast<std::int64_t>(snapshot_.decays.size());
    Array kept{{1, channels}, {}}, bonus{{1, channels}, {}};
    for (const ChannelDecay& decay : snapshot_.decays) {
      decays.rows.push_back(std::to_string(decay.channel));
      for (const double value : {decay.halfLife, decay.rate, decay.bonus}) {
        decays.values.push_back(static_cast<float>(value));
      }
      kept.values.push_back(static_cast<float>(std::exp(-decay.rate)));
      bonus.values.push_back(static_cast<float>(decay.bonus));
    }
    folder_.table("decays", decays);
    folder_.heatmap("decay",
                    "share of a weight that is left after one more token, e^-w, in the order of "
                    "decays.csv",
                    kept,
                    {.map = ColorMap::viridis, .range = ColorRange{0, 1}});
    folder_.heatmap("bonus", "what the present token's key gets, u, in the same order", bonus);
  }

  void writeProbabilities() {
    FloatTable table{"next", {}, {"probability"}, snapshot_.probabilities};
    for (std::size_t token = 0; token < snapshot_.probabilities.size(); ++token) {
      table.rows.push_back(label(static_cast<std::int64_t>(token)));
    }
    folder_.table("probabilities", table);
  }

  std::vector<std::string> writeSummary() {
    const InspectableLayer& layer = snapshot_.layer;
    nlohmann::ordered_json summary;
    summary["schema"] = 1;
    summary["layer"] = {{"name", layer.name},
                        {"kind", std::string(kMixerTraits[layer.kind].kind)},
                        {"h", layer.heads},
                        {"v", layer.valueDepth},
                        {"length", layer.width}};
    summary["step"] = snapshot_.step;
    summary["epoch"] = snapshot_.epoch;
    summary["weights"] = std::string(nameOf(snapshot_.weights));
    if (!snapshot_.request.tokens) {
      summary["split"] = std::string(nameOf(snapshot_.request.split));
      summary["sequence"] = snapshot_.request.sequence;
    }
    summary["tokens"] = snapshot_.tokens.size();
    summary["position"] = snapshot_.position;
    if (const std::int64_t target = snapshot_.targets[position()]; target >= 0) {
      summary["next"] = target;
      summary["nextProbability"] = snapshot_.probabilities[static_cast<std::size_t>(target)];
    }
    summary["residual"] = {{"absolute", snapshot_.residual.absolute},
                           {"relative", snapshot_.residual.relative}};
    return folder_.finish(std::move(summary));
  }

  InspectionFolder folder_;
  const TokenSnapshot& snapshot_;
};

}  // namespace

std::vector<std::string> writeInspection(const std::filesystem::path& folder,
                                         const TokenSnapshot& snapshot,
                                         FileSystem& system) {
  return TokenInspectionWriter(folder, snapshot, system).run();
}

}  // namespace lambda
