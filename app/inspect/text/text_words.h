#pragma once

#include <cstdint>
#include <vector>

#include <QString>

#include "engine/values/inspection/contribution_maps.h"
#include "engine/values/inspection/token_inspection.h"
#include "widgets/pictures/colored_text.h"

namespace lambda {

struct Equation;

// How the panels for a network of tokens name what they show.

/// A token in a sentence: "“e”", "line break", "space", "byte 0xe2", "token 17".
QString tokenName(std::int64_t token, bool isByte);

/// The tokens of a snapshot as cells. The bytes of a character beyond ASCII are cells of their own:
/// the first one shows the character, the others a dot.
std::vector<ShownToken> shownTokens(const TokenSnapshot& snapshot);

/// Stem of an exported file: "stage1.block2-map-total".
QString exportStem(const TokenSnapshot& snapshot, const QString& what);

/// The caption of an exported figure: what it shows, of which layer, for which text, at which step.
QString exportCaption(const TokenSnapshot& snapshot, const QString& what);

/// The equation of the layer with the weights that the colours show, and what they mean.
Equation textEquation(ContributionKind kind, const InspectableLayer& layer);

/// "A total"; of layers without lambdas "a", as their equations call it.
QString textSymbol(ContributionKind kind, const InspectableLayer& layer);

}  // namespace lambda
