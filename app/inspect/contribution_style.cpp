#include "app/inspect/contribution_style.h"

#include "engine/values/config/kinds.h"
#include "widgets/equations/equation_view.h"
#include "widgets/network/mixers/mixer_looks.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The weight of position m that a map shows.
QString formulaOf(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::content:
      return u"A_m = q_n \\cdot \\bar{k}_m"_s;
    case ContributionKind::position:
      return u"A_m = q_n \\cdot e_{nm}"_s;
    case ContributionKind::total:
      return u"A_m = q_n \\cdot (\\bar{k}_m + e_{nm})"_s;
    case ContributionKind::effect:
      return u"\\|A_m v_m\\|\\,\\text{with}\\,A_m = q_n \\cdot (\\bar{k}_m + e_{nm})"_s;
  }
  return {};
}

QString meaningOf(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::content:
      return u"The colour of position m is the part of its weight A in the output "
             "at the framed position n that comes from what is there."_s;
    case ContributionKind::position:
      return u"The colour of position m is the part of its weight A in the output "
             "at the framed position n that comes from where it lies."_s;
    case ContributionKind::total:
      return u"The colour of position m is the weight A with which its value v "
             "enters the output at the framed position n."_s;
    case ContributionKind::effect:
      return u"The colour of position m is how much it changes the output at the "
             "framed position n: its weight A times its value v."_s;
  }
  return {};
}

Equation attentionEquation(ContributionKind kind, const InspectableLayer& layer) {
  const AttentionWeightsText weights = attentionWeightsText(valueOfKind<Mixer>(layer.kind));
  return {.formulas = {weights.formula},
          .number = {},
          .source = QString::fromUtf8(kMixerTraits[layer.kind].meaning),
          .explanation =
              kind == ContributionKind::effect
                  ? u"The colour of position m is how much it changes the output at the framed "
                    "position n: its weight a times its value v."_s
                  : weights.meaning,
          .letters = {}};
}

}  // namespace

QString titleOf(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::content:
      return u"Content"_s;
    case ContributionKind::position:
      return u"Position"_s;
    case ContributionKind::total:
      return u"Total"_s;
    case ContributionKind::effect:
      return u"Effect"_s;
  }
  return {};
}

QString symbolOf(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::content:
      return u"A content"_s;
    case ContributionKind::position:
      return u"A position"_s;
    case ContributionKind::total:
      return u"A total"_s;
    case ContributionKind::effect:
      return u"‖A v‖"_s;
  }
  return {};
}

QString fileStemOf(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::content:
      return u"contribution-content"_s;
    case ContributionKind::position:
      return u"contribution-position"_s;
    case ContributionKind::total:
      return u"contribution-total"_s;
    case ContributionKind::effect:
      return u"effect"_s;
  }
  return {};
}

ColorMap colorMapOf(ContributionKind kind) {
  return kind == ContributionKind::effect ? ColorMap::viridis : ColorMap::diverging;
}

ColorRange rangeOf(ContributionKind kind, const Array& map, double scale) {
  if (kind == ContributionKind::effect) return {0, rangeOf(ColorMap::viridis, map.values).high};
  if (scale > 0) return {-scale, scale};
  return rangeOf(ColorMap::diverging, map.values);
}

Equation equationOf(ContributionKind kind, const InspectableLayer& layer) {
  switch (inspectedAs(layer)) {
    case InspectedAs::attention:
      return attentionEquation(kind, layer);
    case InspectedAs::gates:
      return {.formulas = {u"y_m = g_m x_m"_s},
              .number = {},
              .source = QString::fromUtf8(kMixerTraits[layer.kind].meaning),
              .explanation =
                  u"The colour of position m is the factor g by which all its channels "
                  "are multiplied. It does not depend on the framed position."_s,
              .letters = {}};
    case InspectedAs::lambdas:
    case InspectedAs::nothing:
      break;
  }
  return {.formulas = {u"y_n = \\lambda_n^T q_n = \\sum_m A_m v_m"_s, formulaOf(kind)},
          .number = u"(1, 2)"_s,
          .source = u"Equations 1 and 2 of the paper"_s,
          .explanation = meaningOf(kind),
          .letters = {}};
}

}  // namespace lambda
