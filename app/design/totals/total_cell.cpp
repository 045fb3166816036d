#include "app/design/totals/total_cell.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

TotalCell::TotalCell(const QString& name, QWidget* parent)
    : QWidget(parent),
      name_(new QLabel(name, this)),
      value_(new QLabel(this)),
      difference_(new QLabel(this)) {
  name_->setProperty(kRole, u"secondary"_s);
  value_->setProperty(kRole, u"heading"_s);
  auto* line = new QHBoxLayout;
  line->setSpacing(6);
  line->addWidget(value_);
  line->addWidget(difference_);
  line->addStretch();
  auto* layout = makeBareLayout<QVBoxLayout>(this, 2);
  layout->addWidget(name_);
  layout->addLayout(line);
}

void TotalCell::setName(const QString& name) {
  name_->setText(name);
}

void TotalCell::setValue(const QString& value, const QString& difference, bool isMore) {
  value_->setText(value);
  value_->setAccessibleName(name_->text() + u" "_s + value);
  difference_->setText(difference);
  difference_->setVisible(!difference.isEmpty());
  const QString role = isMore ? u"error"_s : u"success"_s;
  setRole(*difference_, role);
}

QString TotalCell::value() const {
  return value_->text();
}

QString TotalCell::difference() const {
  return difference_->text();
}

}  // namespace lambda
