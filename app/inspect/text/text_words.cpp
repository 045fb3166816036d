#include "app/inspect/text/text_words.h"

#include <string>

#include "app/generated/token_words.h"
#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/contribution_style.h"
#include "engine/values/text/text_safety.h"
#include "engine/values/text/token_label.h"
#include "widgets/equations/equation_view.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::size_t kLongestCharacter = 4;  // of a character in UTF-8

/// The number of bytes of the character beyond ASCII that begins at a token; 0 = there is none.
std::size_t characterAt(const std::vector<std::int64_t>& tokens, std::size_t at) {
  if (tokens[at] < 0x80) return 0;
  std::string bytes;
  for (std::size_t i = at; i < std::min(tokens.size(), at + kLongestCharacter); ++i) {
    bytes += static_cast<char>(tokens[i]);
    if (!isUtf8(bytes)) continue;
    const QString character = QString::fromStdString(bytes);
    const QList<uint> codes = character.toUcs4();
    return !codes.empty() && !isControl(codes.front()) ? bytes.size() : 0;
  }
  return 0;
}

/// What the colours of a layer mean whose weights are no products with queries.
QString meaningOfColour(ContributionKind kind, const QString& weight) {
  return kind == ContributionKind::effect
             ? u"The colour of token m is how much it changes the output at the framed token n: "
               "the length of the vector that it adds."_s
             : u"The colour of token m is its weight at the framed token n, "_s + weight;
}

Equation rwkvEquation(ContributionKind kind, const InspectableLayer& layer) {
  return {.formulas = {u"y_n = W_o (σ(r_n) ⊙ \\sum_{m≤n} a_{nm} ⊙ v_m)"_s,
                       u"a_{nm} ∝ e^{k_m − (n − 1 − m) w},\\,a_{nn} ∝ e^{k_n + u}"_s},
          .number = {},
          .source = QString::fromUtf8(kMixerTraits[layer.kind].meaning),
          .explanation =
              meaningOfColour(kind,
                              u"the mean over the channels, each of which has weights of its "
                              "own that add up to 1."_s),
          .letters = {}};
}

Equation depthwiseEquation(ContributionKind kind, const InspectableLayer& layer) {
  return {.formulas = {u"y_{nc} = \\sum_{m≤n} w_{n−m,c} x_{mc}"_s},
          .number = {},
          .source = QString::fromUtf8(kMixerTraits[layer.kind].meaning),
          .explanation = meaningOfColour(kind, u"the mean over the channels' filters."_s),
          .letters = {}};
}

}  // namespace

QString tokenName(std::int64_t token, bool isByte) {
  return isByte ? tokenWords(token, isByte) : u"token %1"_s.arg(token);
}

std::vector<ShownToken> shownTokens(const TokenSnapshot& snapshot) {
  std::vector<ShownToken> shown;
  const std::vector<std::int64_t>& tokens = snapshot.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t bytes = snapshot.areBytes ? characterAt(tokens, i) : 0;
    if (bytes > 0) {
      const std::string raw(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                            tokens.begin() + static_cast<std::ptrdiff_t>(i + bytes));
      const QString character = QString::fromStdString(raw);
      for (std::size_t j = 0; j < bytes; ++j) {
        shown.push_back({.label = j == 0 ? character : u"·"_s,
                         .name = u"%1 of “%2”"_s.arg(tokenWords(tokens[i + j], true), character),
                         .isBreakable = false,
                         .isFaint = j > 0});
      }
      i += bytes - 1;
      continue;
    }
    const std::int64_t token = tokens[i];
    shown.push_back({.label = QString::fromStdString(tokenLabel(token, snapshot.areBytes)),
                     .name = tokenName(token, snapshot.areBytes),
                     .endsLine = snapshot.areBytes && token == '\n',
                     .isBreakable = !snapshot.areBytes || token == ' ',
                     .isFaint = snapshot.areBytes && (token <= ' ' || token > '~')});
  }
  return shown;
}

QString exportStem(const TokenSnapshot& snapshot, const QString& what) {
  return layerTitle(snapshot.layer.name) + u'-' + what;
}

QString exportCaption(const TokenSnapshot& snapshot, const QString& what) {
  const TokenInspectionRequest& request = snapshot.request;
  const QString split = request.split == Split::test ? u"test"_s : u"validation"_s;
  const QString text =
      request.tokens ? u"own text"_s : u"%1 sequence %2"_s.arg(split).arg(request.sequence);
  return u"%1. Layer %2, %3, step %4"_s.arg(
      what, layerTitle(snapshot.layer.name), text, countText(snapshot.step));
}

Equation textEquation(ContributionKind kind, const InspectableLayer& layer) {
  if (layer.kind == mixerKindOf<RwkvMixer>()) return rwkvEquation(kind, layer);
  if (layer.kind == mixerKindOf<DepthwiseConvolutionMixer>()) {
    return depthwiseEquation(kind, layer);
  }
  return equationOf(kind, layer);
}

QString textSymbol(ContributionKind kind, const InspectableLayer& layer) {
  if (inspectedAs(layer) == InspectedAs::lambdas) return symbolOf(kind);
  return kind == ContributionKind::effect ? u"effect"_s : u"weight"_s;
}

}  // namespace lambda
