#include "app/runs/panels/details/run_facts.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kNameWidth = 104;

}  // namespace

RunFacts::RunFacts(const QString& heading, QWidget* parent)
    : QWidget(parent), lines_(new QGridLayout) {
  auto* title = new QLabel(heading, this);
  title->setProperty(kRole, u"heading"_s);
  lines_->setContentsMargins(0, 0, 0, 0);
  lines_->setHorizontalSpacing(12);
  lines_->setVerticalSpacing(4);
  lines_->setColumnStretch(1, 1);
  auto* column = makeBareLayout<QVBoxLayout>(this, 6);
  column->addWidget(title);
  column->addLayout(lines_);
}

void RunFacts::setFacts(const std::vector<Fact>& facts) {
  while (QLayoutItem* item = lines_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  lines_->setColumnMinimumWidth(0, qRound(kNameWidth * textScale()));
  int line = 0;
  for (const Fact& fact : facts) {
    if (fact.value.isEmpty()) continue;
    auto* name = new QLabel(fact.name, this);
    name->setProperty(kRole, u"secondary"_s);
    auto* value = new QLabel(this);
    value->setWordWrap(true);
    value->setFont(numberFont());
    value->setToolTip(fact.toolTip);
    if (fact.link.isEmpty()) {
      value->setTextFormat(Qt::PlainText);
      value->setText(fact.value);
      value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    } else {
      const bool isBehind = !fact.linkText.isEmpty();
      const QString link = u"<a href=\"%1\">%2</a>"_s.arg(
          fact.link.toHtmlEscaped(), (isBehind ? fact.linkText : fact.value).toHtmlEscaped());
      value->setText(isBehind ? fact.value.toHtmlEscaped() + u" &nbsp; "_s + link : link);
      value->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
      connect(value, &QLabel::linkActivated, this, &RunFacts::linkClicked);
    }
    lines_->addWidget(name, line, 0, Qt::AlignTop);
    lines_->addWidget(value, line, 1, Qt::AlignTop);
    ++line;
  }
  setVisible(line > 0);
}

}  // namespace lambda
