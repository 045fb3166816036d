#include "widgets/network/mixers/attention_text.h"

#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

std::vector<std::pair<QString, QString>> attentionNumbers(const PlacedMixer& place,
                                                          int heads,
                                                          long long context) {
  const MapShape& map = place.input;
  const int depth = place.output.channels / std::max(1, heads);
  return {{u"Positions n"_s, u"%1 × %2 = %3"_s.arg(map.height).arg(map.width).arg(map.positions())},
          {u"Positions a query sees"_s, QString::number(context)},
          {u"Channels of a head, d / h"_s, QString::number(depth)}};
}

QString causalSentence(bool causal) {
  return causal ? u" It is causal: a query sees itself and the positions before it."_s : QString();
}

}  // namespace lambda
