#include "app/runs/panels/choice_bar.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

ChoiceBar::ChoiceBar(const QStringList& choices, const QString& name, QWidget* parent)
    : QWidget(parent), buttons_(new QButtonGroup(this)) {
  auto* row = makeBareLayout<QHBoxLayout>(this, 2);
  for (int i = 0; i < choices.size(); ++i) {
    auto* button = new QToolButton(this);
    button->setText(choices[i]);
    button->setCheckable(true);
    button->setChecked(i == 0);
    button->setProperty(kRole, u"quiet"_s);
    button->setAccessibleName(name + u": "_s + choices[i]);
    buttons_->addButton(button, i);
    row->addWidget(button);
  }
  connect(buttons_, &QButtonGroup::idClicked, this, &ChoiceBar::chosen);
}

int ChoiceBar::current() const {
  return buttons_->checkedId();
}

void ChoiceBar::setCurrent(int choice) {
  if (QAbstractButton* button = buttons_->button(choice)) button->setChecked(true);
}

void ChoiceBar::setTextOf(int choice, const QString& text) {
  buttons_->button(choice)->setText(text);
}

void ChoiceBar::setToolTipOf(int choice, const QString& text) {
  buttons_->button(choice)->setToolTip(text);
}

}  // namespace lambda
