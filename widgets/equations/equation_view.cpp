#include "widgets/equations/equation_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/equations/formula_line.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

EquationView::EquationView(QWidget* parent)
    : QWidget(parent),
      toggle_(new QToolButton),
      formulas_(new FormulaLine),
      number_(new QLabel),
      text_(new QLabel) {
  toggle_->setProperty(kRole, u"quiet"_s);
  toggle_->setStyleSheet(u"padding: 2px;"_s);
  toggle_->setToolTip(u"Shows or hides the equation"_s);
  for (QLabel* label : {number_, text_}) label->setProperty(kRole, u"secondary"_s);
  text_->setWordWrap(true);
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  row->addWidget(toggle_, 0, Qt::AlignTop);
  row->addWidget(formulas_, 1);
  row->addWidget(number_, 0, Qt::AlignTop);
  auto* column = makeBareLayout<QVBoxLayout>(this, 2);
  column->addLayout(row);
  column->addWidget(text_);
  connect(toggle_, &QToolButton::clicked, this, [this] { setOpen(!isOpen_); });
  showEquation();
}

void EquationView::setEquation(const Equation& equation) {
  if (equation == equation_) return;
  equation_ = equation;
  showEquation();
}

void EquationView::setOpen(bool open) {
  isOpen_ = open;
  showEquation();
}

void EquationView::showEquation() {
  toggle_->setArrowType(isOpen_ ? Qt::DownArrow : Qt::RightArrow);
  toggle_->setAccessibleName(equation_.source);
  number_->setText(isOpen_ ? equation_.number : equation_.source);
  number_->setToolTip(equation_.source);
  formulas_->setFormulas(equation_.formulas);
  // Folded, its name stands alone beside the arrow.
  number_->setAlignment(isOpen_ ? Qt::AlignRight : Qt::AlignLeft);
  number_->setSizePolicy(isOpen_ ? QSizePolicy::Preferred : QSizePolicy::Expanding,
                         QSizePolicy::Preferred);
  formulas_->setVisible(isOpen_);
  text_->setText(equation_.letters.isEmpty() ? equation_.explanation
                                             : equation_.explanation + u' ' + equation_.letters);
  text_->setVisible(isOpen_);
}

}  // namespace lambda
