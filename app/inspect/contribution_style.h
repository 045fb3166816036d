#pragma once

#include <QString>

#include "engine/values/inspection/colormap.h"
#include "engine/values/inspection/contribution_maps.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

struct Equation;

/// "Content", "Position", "Total", "Effect".
QString titleOf(ContributionKind kind);

/// The name in a readout: "A total", "‖A v‖".
QString symbolOf(ContributionKind kind);

/// The part of an exported file's name: "contribution-total".
QString fileStemOf(ContributionKind kind);

/// A diverging map for contributions, which are signed; the effect, a norm, is not.
ColorMap colorMapOf(ContributionKind kind);

/// The limits of a map: those of its values, or `scale` where that is above 0 and the kind is
/// signed.
ColorRange rangeOf(ContributionKind kind, const Array& map, double scale = 0);

/// The equation of the layer with the weights of a map, and what its colours mean.
Equation equationOf(ContributionKind kind, const InspectableLayer& layer);

}  // namespace lambda
