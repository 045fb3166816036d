#include "widgets/network/mixers/lambda_look.h"

#include <algorithm>

#include "engine/values/architecture/mixers/lambda_mask.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kPaperScope = 23;
/// Position pairs times k u above which global scope is slow; validate() warns from the same number
/// on.
constexpr long long kManyPairs = 1LL << 26;

QString embeddingText(const LambdaMixer& mixer, const MapShape& map) {
  if (mixer.embedding == PositionEmbedding::none) return u"none"_s;
  return u"%1 × k %2"_s.arg(embeddingRows(mixer, map)).arg(mixer.queryDepth) +
         (mixer.intraDepth > 1 ? u" × u %1"_s.arg(mixer.intraDepth) : QString()) +
         (mixer.multiHead ? u" × h %1"_s.arg(mixer.heads) : QString());
}

/// The options beyond those of the usual layer, as few words as can be.
QStringList unusualOptions(const LambdaMixer& mixer) {
  QStringList options;
  if (mixer.multiHead) options << u"multi-head"_s;
  if (mixer.mask == ContextMask::causal) options << u"causal"_s;
  if (mixer.mask == ContextMask::custom) options << u"masked"_s;
  if (mixer.content && mixer.keyNormalization == KeyNormalization::l2) options << u"L2 keys"_s;
  if (mixer.content && mixer.keyNormalization == KeyNormalization::none) options << u"raw keys"_s;
  if (mixer.softmaxQueries) options << u"softmax q"_s;
  if (mixer.embedding != PositionEmbedding::none && mixer.embeddingDeviation != 1) {
    options << u"σ %1"_s.arg(roundedText(mixer.embeddingDeviation));
  }
  if (mixer.tokenOrder == TokenOrder::channelRuns) options << u"channel runs"_s;
  if (mixer.normAxes == NormAxes::positions) options << u"norms by position"_s;
  return options;
}

QString lambdaFormula(const LambdaMixer& mixer) {
  QString sum = u"k̄<sub>m</sub> + e<sub>nm</sub>"_s;
  if (mixer.embedding == PositionEmbedding::none) sum = u"k̄<sub>m</sub>"_s;
  if (!mixer.content) sum = u"e<sub>nm</sub>"_s;
  return u"λ<sub>n</sub> = Σ<sub>m</sub> ("_s + sum +
         u") v<sub>m</sub><sup>T</sup>, &nbsp; y<sub>n</sub> = λ<sub>n</sub><sup>T</sup> "
         u"q<sub>n</sub>"_s;
}

}  // namespace

QString MixerLook<LambdaMixer>::letter() {
  return u"λ"_s;
}

MixerColors MixerLook<LambdaMixer>::colors(const Colors& colors) {
  return {colors.lambdaChip, colors.lambdaChipText, colors.lambdaChip};
}

QStringList MixerLook<LambdaMixer>::options(const LambdaMixer& mixer) {
  QStringList options{u"k%1"_s.arg(mixer.queryDepth), u"h%1"_s.arg(mixer.heads)};
  if (mixer.intraDepth > 1) options << u"u%1"_s.arg(mixer.intraDepth);
  if (mixer.embedding == PositionEmbedding::none) {
    options << u"content"_s;
  } else {
    if (mixer.scope > 0) options << u"r%1"_s.arg(mixer.scope);
    if (mixer.embedding == PositionEmbedding::absolute) options << u"abs"_s;
    if (!mixer.content) options << u"position"_s;
  }
  return options + unusualOptions(mixer);
}

QString MixerLook<LambdaMixer>::text(const LambdaMixer& mixer) {
  QStringList parts{u"Lambda layer"_s,
                    u"k "_s + QString::number(mixer.queryDepth),
                    u"h "_s + QString::number(mixer.heads)};
  if (mixer.intraDepth > 1) parts << u"u "_s + QString::number(mixer.intraDepth);
  if (mixer.embedding == PositionEmbedding::none) {
    parts << u"content alone"_s;
  } else {
    parts << (mixer.scope == 0 ? u"global"_s : u"scope %1×%1"_s.arg(mixer.scope));
    if (mixer.embedding == PositionEmbedding::absolute) parts << u"absolute positions"_s;
    if (!mixer.content) parts << u"position alone"_s;
  }
  return (parts + unusualOptions(mixer)).join(u", "_s);
}

QString MixerLook<LambdaMixer>::brief() {
  return u"Sums the context into a small linear map, the lambda, and applies it to each query."_s;
}

QueryView MixerLook<LambdaMixer>::view(const LambdaMixer& mixer) {
  const bool hasWindow = mixer.scope > 0 && mixer.embedding == PositionEmbedding::relative;
  // The content lambda has no window.
  return {.reach = hasWindow && !mixer.content ? QueryView::Reach::window : QueryView::Reach::map,
          .side = hasWindow ? mixer.scope : 0,
          .weights = QueryView::Weights::lambda};
}

MixerExplanation MixerLook<LambdaMixer>::explanation(const LambdaMixer& mixer,
                                                     const PlacedMixer& place) {
  const MapShape& map = place.input;
  const int depth = place.output.channels / std::max(1, mixer.heads);
  return {
      lambdaFormula(mixer),
      u"Every position n sums its surroundings into a small matrix, its lambda: keys k̄ say "
      "what there is, embeddings e where it is, values v what to pass on. The lambda then "
      "turns the queries of all heads into the output. No softmax stands between queries and "
      "context, so that what the studio shows is the layer's exact arithmetic."_s,
      {{u"Positions n"_s, u"%1 × %2 = %3"_s.arg(map.height).arg(map.width).arg(map.positions())},
       {u"A lambda, k × v"_s, u"%1 × %2"_s.arg(mixer.queryDepth).arg(depth)},
       {u"Heads that share it"_s, QString::number(mixer.multiHead ? 1 : mixer.heads)},
       {u"Position embeddings"_s, embeddingText(mixer, map)}}};
}

LambdaMixer MixerLook<LambdaMixer>::fitted(LambdaMixer mixer, int width, const MapShape& map) {
  if (width > 0) {
    mixer.heads = std::clamp(mixer.heads, 1, width);
    while (width % mixer.heads != 0) --mixer.heads;
  }
  mixer.sharedEmbeddings.clear();
  const int side = std::max({map.height, map.width, 1});
  const long long n = map.positions();
  const long long lambdas = mixer.multiHead ? mixer.heads : 1;
  const bool isDense = n * n * lambdas * mixer.queryDepth * mixer.intraDepth > kManyPairs;
  if (mixer.embedding == PositionEmbedding::relative) {
    if (mixer.scope == 0 && isDense) mixer.scope = kPaperScope;
    if (mixer.scope > 2 * side - 1) mixer.scope = 0;
  }
  if (mixer.mask == ContextMask::custom && !maskFault(mixer, map).empty()) {
    mixer.mask = ContextMask::none;
    mixer.maskRows.clear();
  }
  return mixer;
}

}  // namespace lambda
