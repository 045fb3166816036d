#include "app/inspect/choosers/name_list.h"

#include <QStyleOptionComboBox>

#include "widgets/theme/tool_tips.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kTextMargin = 4;

}  // namespace

NameList::NameList(QWidget* parent) : QComboBox(parent) {
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setToolTips(*this, [this](const QPoint&) {
    return currentText().isEmpty() ? toolTip() : currentText() + u"\n"_s + toolTip();
  });
}

void NameList::initStyleOption(QStyleOptionComboBox* option) const {
  QComboBox::initStyleOption(option);
  const QRect area =
      style()->subControlRect(QStyle::CC_ComboBox, option, QStyle::SC_ComboBoxEditField, this);
  option->currentText =
      fontMetrics().elidedText(option->currentText, Qt::ElideMiddle, area.width() - kTextMargin);
}

}  // namespace lambda
