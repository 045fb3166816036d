#pragma once

#include <functional>

#include <QAccessible>
#include <QRect>
#include <QString>
#include <QStringList>

class QWidget;

namespace lambda {

/// One part of a painted view, as assistive technologies show it.
struct AccessiblePart {
  QString name;
  QString value;     ///< What it shows, for example "0.0417"; may be empty.
  QRect place = {};  ///< In the view's coordinates; empty = all of the view.
  bool isSelected = false;
};

/// The parts of a view in reading order. They are asked for when somebody reads them.
struct AccessibleParts {
  std::function<int()> count;
  std::function<AccessiblePart(int)> part;
};

/// Makes the parts of a view that paints its content its accessible children, beside its child
/// widgets. Called once, first in the view's constructor.
void describeParts(QWidget& view,
                   AccessibleParts parts,
                   QAccessible::Role role = QAccessible::Graphic);

/// The same for a view whose parts are a few lines of text.
void describeLines(QWidget& view, std::function<QStringList()> lines);

}  // namespace lambda
