#pragma once

#include <functional>
#include <initializer_list>

#include <QEvent>
#include <QWidget>

namespace lambda {

/// Calls `react` each time after the widget has handled an event of one of these types.
void onChange(QWidget& widget,
              std::initializer_list<QEvent::Type> types,
              std::function<void()> react);

void onFontChange(QWidget& widget, std::function<void()> react);
void onPaletteChange(QWidget& widget, std::function<void()> react);

/// The same for what depends on the sizes of a widget's parts: they get their fonts one after the
/// other, and it reacts when all have theirs.
void onFontChangeOfParts(QWidget& widget, std::function<void()> react);

}  // namespace lambda
