#include "engine/values/architecture/mixers/mixer_check.h"

#include <algorithm>
#include <utility>

namespace lambda {

namespace {

/// 64 MiB of float32 for one image.
constexpr double kManyWeights = 1 << 24;

/// The scope of the lambda layers in the paper's large networks.
constexpr int kScopeOnLargeMaps = 23;
constexpr int kMostHeadsOfLambdas = 4;

/// The largest divisor of `depth` that is at most `heads`.
int mostDividing(int depth, int heads) {
  int divisor = std::min(heads, depth);
  while (depth % divisor != 0) --divisor;
  return divisor;
}

/// The largest side of a window of which every offset leads from some position to another one.
int largestWindow(const MapShape& map) {
  return 2 * std::max(map.height, map.width) - 1;
}

}  // namespace

void MixerCheck::check(const PlacedMixer& place) {
  std::visit([&](const auto& mixer) { checkOptions(*this, mixer, place); }, place.mixer);
}

void MixerCheck::add(Severity severity,
                     const std::string& path,
                     std::string text,
                     std::optional<Fix> fix) {
  problems_.push_back({path, severity, std::move(text), std::move(fix)});
}

std::string MixerCheck::pathOf(const PlacedMixer& place) {
  return "architecture.stages[" + std::to_string(place.stage) + "].blocks[" +
         std::to_string(place.block) + "].mixer";
}

Fix MixerCheck::setTo(const std::string& what, const std::string& path, const std::string& value) {
  return {"Set " + what + " to " + value, path, value};
}

void MixerCheck::requireCentre(int kernelSize, const PlacedMixer& place) {
  if (kernelSize % 2 != 0) return;
  const std::string path = pathOf(place) + ".kernelSize";
  add(Severity::error,
      path,
      "the side of the window must be odd, so that it has a centre",
      setTo("the kernel size", path, std::to_string(kernelSize + 1)));
}

void MixerCheck::requireHeads(int heads, const PlacedMixer& place) {
  const int d = place.output.channels;
  if (heads < 1 || d < 1 || d % heads == 0) return;
  const std::string path = pathOf(place) + ".h";
  add(Severity::error,
      path,
      "h = " + std::to_string(heads) + " does not divide the width " + std::to_string(d) +
          "; each head gives width / h channels",
      setTo("h", path, std::to_string(mostDividing(d, heads))));
}

void MixerCheck::requireEvenHeads(int heads, const PlacedMixer& place) {
  const int d = place.output.channels;
  if (heads < 1 || d < 1 || d % (2 * heads) == 0) return;
  const std::string path = pathOf(place) + ".h";
  const std::string text = "h = " + std::to_string(heads) + " does not divide the width " +
                           std::to_string(d) +
                           " into heads of an even depth, one half for row offsets and one for "
                           "column offsets";
  if (d % 2 == 0) {
    add(Severity::error, path, text, setTo("h", path, std::to_string(mostDividing(d / 2, heads))));
    return;
  }
  // No number of heads helps with an odd width.
  add(Severity::error,
      path,
      text,
      Fix{"Use axial self-attention",
          pathOf(place),
          R"({"kind": "axialAttention", "h": )" + std::to_string(mostDividing(d, heads)) + "}"});
}

void MixerCheck::requireGroups(int groups, const PlacedMixer& place) {
  const int in = place.input.channels, out = place.output.channels;
  if (groups < 1 || (in % groups == 0 && out % groups == 0)) return;
  int nearest = std::min({groups, in, out});
  while (nearest > 1 && (in % nearest != 0 || out % nearest != 0)) --nearest;
  const std::string path = pathOf(place) + ".groups";
  add(Severity::error,
      path,
      std::to_string(groups) + " groups do not divide " + std::to_string(in) + " input and " +
          std::to_string(out) + " output channels",
      setTo("the groups", path, std::to_string(std::max(1, nearest))));
}

void MixerCheck::requireWindow(int scope, const PlacedMixer& place) {
  const std::string path = pathOf(place) + ".scope";
  const int largest = largestWindow(place.input);
  if (scope % 2 == 0) {
    add(Severity::error,
        path,
        "the side of a local window must be odd, so that the query is its centre",
        setTo("the scope", path, std::to_string(std::min(scope + 1, largest))));
  } else if (scope > largest) {
    add(Severity::warning,
        path,
        "a window of " + std::to_string(scope) + " reaches beyond a map of " +
            sizeText(place.input) + ": the outer embeddings are never used",
        setTo("the scope", path, std::to_string(largest)));
  }
}

void MixerCheck::requireContext(const PlacedMixer& place) {
  if (place.input.positions() != 1) return;
  const std::string path = pathOf(place);
  add(Severity::warning,
      path,
      "a map of one position has no context: attention gives that position all the weight",
      Fix{"Use a convolution", path, "\"convolution\""});
}

void MixerCheck::requireWeights(double weights, const PlacedMixer& place) {
  if (weights <= kManyWeights) return;
  const std::string path = pathOf(place);
  const int heads = mostDividing(place.output.channels, kMostHeadsOfLambdas);
  const int scope = std::min(kScopeOnLargeMaps, largestWindow(place.input));
  add(Severity::warning,
      path,
      "its attention weights take " + std::to_string(static_cast<long long>(weights) >> 18) +
          " MiB for every image of a batch on a " + sizeText(place.input) + " map",
      Fix{"Use a lambda layer with a scope of " + std::to_string(scope),
          path,
          R"({"kind": "lambda", "h": )" + std::to_string(heads) + R"(, "scope": )" +
              std::to_string(scope) + "}"});
}

const PlacedMixer& MixerCheck::firstOfTable(const std::string& name, const PlacedMixer& place) {
  return firstOfTables_.emplace(name, place).first->second;
}

std::string sizeText(const MapShape& map) {
  return std::to_string(map.height) + "x" + std::to_string(map.width);
}

}  // namespace lambda
