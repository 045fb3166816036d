#pragma once

#include <QString>

#include "app/inspect/contribution_maps.h"
#include "engine/values/colormap.h"

namespace lambda {

/// "Content", "Position", "Total", "Effect".
QString titleOf(ContributionKind kind);

/// As a readout calls it: "A total", "‖A v‖".
QString symbolOf(ContributionKind kind);

/// Within the name of an exported file: "contribution-total".
QString fileStemOf(ContributionKind kind);

/// Contributions are signed; the effect, a norm, is not.
ColorMap colorMapOf(ContributionKind kind);

/// The limits of a map: of its own values, or of `scale` where that is above 0 and the kind signed.
ColorRange rangeOf(ContributionKind kind, const Array& map, double scale = 0);

}  // namespace lambda
