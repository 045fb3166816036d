#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <QString>

#include "engine/values/architecture/graph.h"

namespace lambda {

/// The numbers that explain an attention layer; `context`: how many positions a query sees.
std::vector<std::pair<QString, QString>> attentionNumbers(const PlacedMixer& place,
                                                          int heads,
                                                          long long context);

/// What a causal layer's explanation ends with; empty for another one.
QString causalSentence(bool causal);

/// The mixer with the most heads, up to its own, that divide the width.
template <class M>
M withFittedHeads(M mixer, int width) {
  if (width < 1) return mixer;
  mixer.heads = std::clamp(mixer.heads, 1, width);
  while (width % mixer.heads != 0) --mixer.heads;
  return mixer;
}

}  // namespace lambda
