#include "widgets/network/mixers/lambda_look.h"

#include <algorithm>

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
         (mixer.intraDepth > 1 ? u" × u %1"_s.arg(mixer.intraDepth) : QString());
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
  return options;
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
  return parts.join(u", "_s);
}

MixerExplanation MixerLook<LambdaMixer>::explanation(const LambdaMixer& mixer,
                                                     const BlockPlan& plan) {
  const MapShape& map = plan.mixerInput;
  const int depth = plan.mixerOutput.channels / std::max(1, mixer.heads);
  return {
      lambdaFormula(mixer),
      u"Every position n sums its surroundings into a small matrix, its lambda: keys k̄ say "
      "what there is, embeddings e where it is, values v what to pass on. The lambda then "
      "turns the queries of all heads into the output. No softmax stands between queries and "
      "context, so that what the studio shows is the layer's exact arithmetic."_s,
      {{u"Positions n"_s, u"%1 × %2 = %3"_s.arg(map.height).arg(map.width).arg(map.positions())},
       {u"A lambda, k × v"_s, u"%1 × %2"_s.arg(mixer.queryDepth).arg(depth)},
       {u"Heads that share it"_s, QString::number(mixer.heads)},
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
  const bool isDense = n * n * mixer.queryDepth * mixer.intraDepth > kManyPairs;
  if (mixer.embedding == PositionEmbedding::relative) {
    if (mixer.scope == 0 && isDense) mixer.scope = kPaperScope;
    if (mixer.scope > 2 * side - 1) mixer.scope = 0;
  }
  return mixer;
}

}  // namespace lambda
