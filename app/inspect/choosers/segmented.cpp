#include "app/inspect/choosers/segmented.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

Segmented::Segmented(const QStringList& choices, QWidget* parent)
    : QWidget(parent), group_(new QButtonGroup(this)) {
  auto* row = makeBareLayout<QHBoxLayout>(this, 2);
  for (const QString& choice : choices) {
    auto* button = new QToolButton;
    button->setText(choice);
    button->setCheckable(true);
    button->setProperty(kRole, u"quiet"_s);
    button->setFocusPolicy(Qt::StrongFocus);
    group_->addButton(button, static_cast<int>(group_->buttons().size()));
    row->addWidget(button);
  }
  group_->setExclusive(true);
  if (!group_->buttons().isEmpty()) group_->button(0)->setChecked(true);
  connect(group_, &QButtonGroup::idClicked, this, &Segmented::chosen);
}

int Segmented::current() const {
  return group_->checkedId();
}

void Segmented::setCurrent(int choice) {
  if (QAbstractButton* button = group_->button(choice)) button->setChecked(true);
}

void Segmented::setChoiceEnabled(int choice, bool enabled) {
  if (QAbstractButton* button = group_->button(choice)) button->setEnabled(enabled);
}

void Segmented::setChoiceToolTip(int choice, const QString& text) {
  if (QAbstractButton* button = group_->button(choice)) button->setToolTip(text);
}

}  // namespace lambda
