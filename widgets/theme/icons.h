#pragma once

#include <QIcon>
#include <QSize>
#include <QString>

class QColor;
class QWidget;

namespace lambda {

/// The icon :/icons/NAME.svg drawn in a widget's text colour, its disabled state in the disabled
/// one. The files use only currentColor. Must be requested again on QEvent::PaletteChange. Empty
/// for an unknown name.
QIcon icon(const QString& name, const QWidget& widget);

/// The same in the given colour, for signs of problems and on coloured backgrounds.
QIcon icon(const QString& name, const QColor& color);

/// The size of icons beside text, which grows with it. Buttons have it from the theme.
QSize iconSizeForText();

}  // namespace lambda
