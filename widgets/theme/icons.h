#pragma once

#include <QIcon>
#include <QString>

class QWidget;

namespace lambda {

/// The icon :/icons/NAME.svg drawn in a widget's text colour, its disabled state in the disabled
/// one. The files use currentColor alone. To be asked for again on QEvent::PaletteChange. Empty for
/// an unknown name.
QIcon icon(const QString& name, const QWidget& widget);

}  // namespace lambda
