#pragma once

namespace lambda {

// Distances on the Experiments page, in pixels.
inline constexpr int kExperimentMargin = 16;  ///< At the edges of a view.
inline constexpr int kExperimentGap = 8;      ///< Between its parts.

}  // namespace lambda
