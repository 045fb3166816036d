#include "app/train/live/live_explanations.h"

#include <algorithm>
#include <cmath>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

double greatest(const Array& array) {
  double most = 0;
  for (const float value : array.values)
    most = std::max(most, static_cast<double>(std::abs(value)));
  return most;
}

}  // namespace

ExplanationText lambdaExplanation(const InspectionSnapshot* snapshot) {
  ExplanationText text;
  text.title = u"The lambda matrix"_s;
  text.formula =
      u"λ<sub>n</sub> = Σ<sub>m</sub> (k̄<sub>m</sub> + e<sub>nm</sub>) v<sub>m</sub><sup>T</sup>,"
      "&nbsp;&nbsp; y<sub>n</sub> = λ<sub>n</sub><sup>T</sup> q<sub>n</sub>"_s;
  text.body =
      u"The layer sums all positions m of the image into one linear map for each position n, "
      "and applies it to that position's query. The picture shows the map at the middle of the "
      "probe image: rows are the k entries of a query, columns the v channels of its output. "
      "The content part comes from the keys and is the same everywhere; the position part "
      "comes from the position embeddings."_s;
  if (!snapshot) return text;
  const InspectableLayer& layer = snapshot->layer;
  const PartBalance& balance = snapshot->balance;
  const double energy = balance.contentEnergy + balance.positionEnergy;
  const bool isOfEachHead = layer.lambdas > 1;
  text.numbers = {{u"Size"_s, u"k %1 × v %2"_s.arg(layer.queryDepth).arg(layer.valueDepth)},
                  {isOfEachHead ? u"Heads, one below the other"_s : u"Heads that share it"_s,
                   QString::number(layer.heads)},
                  {u"Greatest entry"_s, numberText(greatest(snapshot->lambdas.total))},
                  {u"Step"_s, countText(snapshot->step)}};
  if (energy > 0) {
    text.numbers.emplace_back(u"Share of the positions in the output"_s,
                              percentText(balance.positionEnergy / energy));
  }
  return text;
}

ExplanationText positionExplanation(const InspectionSnapshot* snapshot) {
  ExplanationText text;
  text.title = u"Position embeddings"_s;
  text.formula = u"e<sub>nm</sub> = E[m − n]"_s;
  text.body =
      u"What the layer has learnt about positions. Each tile belongs to one of the k "
      "entries of a query and shows its embedding over the offset from the query's position, "
      "with 0 in the middle. At the start the embeddings are noise; Change shows only what "
      "training has added. The tiles are sorted, the strongest first."_s;
  if (!snapshot) return text;
  const InspectableLayer& layer = snapshot->layer;
  text.numbers = {{u"Tiles"_s, QString::number(snapshot->embeddings.order.size())},
                  {u"Reach"_s,
                   layer.scope == 0 ? u"the whole map, %1 × %2"_s.arg(layer.height).arg(layer.width)
                                    : u"%1 × %1"_s.arg(layer.scope)},
                  {u"Greatest entry"_s, numberText(greatest(snapshot->embeddings.tiles))}};
  if (!snapshot->embeddings.change.empty()) {
    text.numbers.emplace_back(u"Greatest change since the start"_s,
                              numberText(greatest(snapshot->embeddings.change)));
  }
  return text;
}

}  // namespace lambda
