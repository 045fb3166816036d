#pragma once

#include <array>

#include <QColor>

class QPalette;
class QWidget;

namespace lambda {

/// Every colour of the program. There are two sets, light and dark, and a third for printing; a
/// widget asks for the one that its palette belongs to and repaints on QEvent::PaletteChange, so
/// that the theme can change at run time.
struct Colors {
  bool dark = false;

  QColor page;      ///< The ground of pages and plots.
  QColor surface;   ///< Rails, side panels, status bar.
  QColor raised;    ///< Fields, cards, tables.
  QColor hairline;  ///< Separators and frames, one device-independent pixel.
  QColor hover;     ///< Ground of what is under the pointer.

  QColor text;
  QColor textSecondary;  ///< Labels, units, axes: at least 4.5:1 on all grounds.
  QColor textDisabled;

  QColor accent;      ///< The one accent: the main action, selection, focus.
  QColor accentText;  ///< On the accent.
  QColor accentSoft;  ///< Ground of what is selected.

  QColor success;
  QColor warning;
  QColor error;

  QColor lambdaChip;           ///< Ground of a lambda layer's chip.
  QColor lambdaChipText;       ///< On it.
  QColor convolutionChip;      ///< Ground of a convolution's chip.
  QColor convolutionChipText;  ///< On it.

  /// Series of plots in their order, told apart by people with any colour vision (Okabe and Ito,
  /// 2008).
  std::array<QColor, 8> series;
};

const Colors& lightColors();
const Colors& darkColors();

/// For paper: the light set on white.
const Colors& printColors();

/// The set that a widget is shown in, known from its palette.
const Colors& colorsOf(const QWidget& widget);

/// What Qt's own drawing takes from a set.
QPalette paletteOf(const Colors& colors);

}  // namespace lambda
