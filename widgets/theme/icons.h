#pragma once

#include <QIcon>
#include <QString>

class QColor;
class QWidget;

namespace lambda {

/// The icon :/icons/NAME.svg drawn in a widget's text colour, its disabled state in the disabled
/// one. The files use currentColor alone. To be asked for again on QEvent::PaletteChange. Empty for
/// an unknown name.
QIcon icon(const QString& name, const QWidget& widget);

/// The same in a colour of its own, for signs of problems and on coloured grounds.
QIcon icon(const QString& name, const QColor& color);

}  // namespace lambda
