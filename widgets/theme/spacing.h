#pragma once

/// The distances of the window's grid, in pixels.
namespace lambda::spacing {

inline constexpr int kTight = 4;    ///< Between lines that belong together.
inline constexpr int kGap = 8;      ///< Between the parts of a view.
inline constexpr int kWide = 12;    ///< Around pictures and between them.
inline constexpr int kMargin = 16;  ///< At the edges of a view.

}  // namespace lambda::spacing
