#pragma once

#include <array>

#include <QColor>

class QPalette;
class QWidget;

namespace lambda {

/// Every colour of the program. There are two sets, light and dark, and a third for printing; a
/// widget asks for the set of its palette and repaints on QEvent::PaletteChange, so that the theme
/// can change at run time.
struct Colors {
  bool dark = false;

  QColor page;      ///< Background of pages and plots.
  QColor surface;   ///< Rails, side panels, status bar.
  QColor raised;    ///< Fields, cards, tables.
  QColor hairline;  ///< Separators and frames, one device-independent pixel.
  QColor hover;     ///< Background of hovered items.

  QColor text;
  QColor textSecondary;  ///< Labels, units, axes: contrast of at least 4.5:1 on all backgrounds.
  QColor textDisabled;

  QColor accent;      ///< The only accent: main action, selection, focus.
  QColor accentText;  ///< Text on the accent.
  QColor accentSoft;  ///< Background of selected items.

  QColor success;
  QColor warning;
  QColor error;

  QColor lambdaChip;           ///< Background of a lambda layer's chip.
  QColor lambdaChipText;       ///< Text on that chip.
  QColor convolutionChip;      ///< Background of a convolution's chip.
  QColor convolutionChipText;  ///< Text on that chip.

  /// Colours of plotted series in their order, which people with any colour vision can tell apart
  /// (Okabe and Ito, 2008).
  std::array<QColor, 8> series;
};

const Colors& lightColors();
const Colors& darkColors();

/// The set for paper: the light one on white.
const Colors& printColors();

/// The set of a widget, derived from its palette.
const Colors& colorsOf(const QWidget& widget);

/// The two colours mixed; share = 0 is the first one, without its opacity.
QColor blended(const QColor& from, const QColor& to, double share);

/// The palette for Qt's own drawing in a set.
QPalette paletteOf(const Colors& colors);

}  // namespace lambda
