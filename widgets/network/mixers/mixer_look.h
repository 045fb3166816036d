#pragma once

#include <utility>
#include <vector>

#include <QColor>
#include <QString>
#include <QStringList>

#include "engine/values/architecture/graph.h"
#include "widgets/network/mixers/query_view.h"
#include "widgets/theme/colors.h"

namespace lambda {

/// The colours in which one kind of mixer is drawn.
struct MixerColors {
  QColor ground;  ///< Background of its chip.
  QColor ink;     ///< Text on the chip.
  QColor map;     ///< The feature map of a stage that has only this kind.
};

/// What a mixer does, as rich text.
struct MixerExplanation {
  QString formula;
  QString body;
  std::vector<std::pair<QString, QString>> numbers;  ///< Pairs of name and value.
};

/// The weights that Inspect shows of a mixer with attention.
struct AttentionWeightsText {
  QString formula;  ///< TeX
  QString meaning;  ///< What the colour of position m is.
};

/// How the studio shows one kind of mixer and what it offers for it. There is no general form: a
/// kind without its own look does not compile. Each look has
///   letter()                    on its chip, "λ"
///   colors(colors)              MixerColors in a set of colours
///   options(mixer)              what matters about it, short enough for its chip: "k16", "h4"
///   text(mixer)                 "Lambda layer, k 16, h 4, global"
///   brief()                     one sentence on what the kind does
///   view(mixer)                 QueryView: what a query sees
///   explanation(mixer, plan)    MixerExplanation of it in its block
///   fitted(mixer, width, map)   the same mixer with options that suit that width and map
/// and, where its output is not simply the sum of the weighted values,
///   weights()                   AttentionWeightsText
template <class M>
struct MixerLook;

}  // namespace lambda
