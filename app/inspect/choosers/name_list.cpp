#include "app/inspect/choosers/name_list.h"

#include <QHelpEvent>
#include <QStyleOptionComboBox>
#include <QToolTip>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kTextMargin = 4;

}  // namespace

NameList::NameList(QWidget* parent) : QComboBox(parent) {
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
}

bool NameList::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QComboBox::event(event);
  const QString tip = currentText().isEmpty() ? toolTip() : currentText() + u"\n"_s + toolTip();
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), tip, this);
  return true;
}

void NameList::initStyleOption(QStyleOptionComboBox* option) const {
  QComboBox::initStyleOption(option);
  const QRect area =
      style()->subControlRect(QStyle::CC_ComboBox, option, QStyle::SC_ComboBoxEditField, this);
  option->currentText =
      fontMetrics().elidedText(option->currentText, Qt::ElideMiddle, area.width() - kTextMargin);
}

}  // namespace lambda
