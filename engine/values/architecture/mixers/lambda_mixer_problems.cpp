#include <algorithm>
#include <string>

#include "engine/values/architecture/mixers/lambda_mask.h"
#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/shared_tables.h"

namespace lambda {

namespace {

constexpr long long kLargePositionTable = 1LL << 26;
constexpr int kPaperScope = 23;
/// 64 MiB of float32 for one image.
constexpr double kManyMaskedKeys = 1 << 24;

bool isUnsafeInName(char c) {
  const bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '-' || c == '_';
  return !safe;
}

void checkScope(MixerCheck& check, const LambdaMixer& mixer, const PlacedMixer& place) {
  if (mixer.scope == 0 || mixer.embedding == PositionEmbedding::none) return;
  if (mixer.embedding != PositionEmbedding::absolute)
    return check.requireWindow(mixer.scope, place);
  const std::string path = MixerCheck::pathOf(place) + ".scope";
  check.add(Severity::error,
            path,
            "absolute embeddings have no local scope: a window is relative to its query",
            MixerCheck::setTo("the scope", path, "0"));
}

void checkInteractions(MixerCheck& check, const LambdaMixer& mixer, const PlacedMixer& place) {
  const std::string path = MixerCheck::pathOf(place);
  if (!mixer.content && mixer.embedding == PositionEmbedding::none) {
    check.add(Severity::error,
              path + ".content",
              "without a content or a position lambda the layer's output is always 0",
              MixerCheck::setTo("content", path + ".content", "true"));
  }
  const long long n = place.input.positions();
  const long long tables = mixer.multiHead ? mixer.heads : 1;
  const long long tableDepth = tables * mixer.queryDepth * mixer.intraDepth;
  if (n == 1) {
    check.add(
        Severity::warning,
        path,
        "a map of one position has no context: the key softmax is always 1 and the layer is a "
        "product of two projections",
        Fix{"Use a convolution", path, "\"convolution\""});
  }
  if (mixer.embedding == PositionEmbedding::absolute && n > 0 &&
      n * n * tableDepth > kLargePositionTable) {
    check.add(Severity::error,
              path + ".embedding",
              "absolute embeddings of a " + sizeText(place.input) + " map are " +
                  std::to_string(n * n * tableDepth * 4 >> 20) + " MiB",
              Fix{"Use relative embeddings", path + ".embedding", "\"relative\""});
  } else if (mixer.embedding == PositionEmbedding::relative && mixer.scope == 0 &&
             n * n * tableDepth > kLargePositionTable) {
    const int side = std::max(place.input.height, place.input.width);
    check.add(
        Severity::warning,
        path + ".scope",
        "global scope on a " + sizeText(place.input) + " map computes " + std::to_string(n * n) +
            " position pairs per image",
        MixerCheck::setTo(
            "the scope", path + ".scope", std::to_string(std::min(kPaperScope, 2 * side - 1))));
  }
}

/// Lets every query see every position, by a mask that fits the map.
Fix fixOfRows(const std::string& path, const PlacedMixer& place) {
  const auto n = static_cast<std::size_t>(std::max(0LL, place.input.positions()));
  return {"Let every query see all positions", path, "\"" + std::string(n, '1') + "\""};
}

void checkMask(MixerCheck& check, const LambdaMixer& mixer, const PlacedMixer& place) {
  const std::string path = MixerCheck::pathOf(place) + ".mask";
  const std::string rowsPath = MixerCheck::pathOf(place) + ".maskRows";
  if (mixer.mask == ContextMask::custom) {
    std::string fault = maskFault(mixer, place.input);
    if (fault.empty() && seenPairs(mixer, place.input) == 0) {
      fault = "the mask lets no query see anything: the layer's output is always 0";
    }
    if (!fault.empty()) check.add(Severity::error, rowsPath, fault, fixOfRows(rowsPath, place));
  } else if (!mixer.maskRows.empty()) {
    check.add(Severity::warning,
              rowsPath,
              "mask rows have no effect unless the mask is custom",
              Fix{"Remove the mask rows", rowsPath, "\"\""});
  }
  const auto n = static_cast<double>(place.input.positions());
  const double keys =
      n * n * mixer.intraDepth * mixer.queryDepth * (mixer.multiHead ? mixer.heads : 1);
  if (mixer.mask != ContextMask::none && mixer.content && keys > kManyMaskedKeys) {
    check.add(Severity::warning,
              path,
              "with a mask every query has keys of its own: on a " + sizeText(place.input) +
                  " map they take " + std::to_string(static_cast<long long>(keys) >> 18) +
                  " MiB for every image of a batch",
              MixerCheck::setTo("the mask", path, "\"none\""));
  }
}

void checkSharing(MixerCheck& check, const LambdaMixer& mixer, const PlacedMixer& place) {
  if (mixer.sharedEmbeddings.empty() || mixer.embedding == PositionEmbedding::none) return;
  const std::string path = MixerCheck::pathOf(place) + ".sharedEmbeddings";
  std::string safe = mixer.sharedEmbeddings;
  std::replace_if(safe.begin(), safe.end(), isUnsafeInName, '_');
  if (safe != mixer.sharedEmbeddings) {
    check.add(
        Severity::error,
        path,
        "the name becomes part of a parameter's name: it may only have letters, digits, - and _",
        MixerCheck::setTo("the name", path, "\"" + safe + "\""));
    return;
  }
  const PlacedMixer& first = check.firstOfTable(mixer.sharedEmbeddings, place);
  if (canShareTable(first, place)) return;
  check.add(Severity::error,
            path,
            "the layer shares embeddings with " + first.name +
                ", but their k, u, scope, embedding, initial deviation, heads with embeddings of "
                "their own, or map size differ",
            Fix{"Use its own embeddings", path, "\"\""});
}

}  // namespace

void checkOptions(MixerCheck& check, const LambdaMixer& mixer, const PlacedMixer& place) {
  check.requireHeads(mixer.heads, place);
  checkScope(check, mixer, place);
  checkInteractions(check, mixer, place);
  checkMask(check, mixer, place);
  checkSharing(check, mixer, place);
}

}  // namespace lambda
