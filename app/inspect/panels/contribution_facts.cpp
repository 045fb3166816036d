#include "app/inspect/panels/contribution_facts.h"

#include <algorithm>

#include <QLabel>

#include "app/inspect/panels/balance_bar.h"
#include "app/inspect/panels/panel_parts.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// A larger residual means that the sum is not the layer's arithmetic.
constexpr double kResidualLimit = 1e-4;
constexpr int kFactGapAcross = 24;  // where the lines stand side by side

}  // namespace

ContributionFacts::ContributionFacts(QWidget* parent)
    : QWidget(parent), residual_(makeNote()), balance_(new BalanceBar) {
  residual_->setParent(this);
  balance_->setParent(this);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  onFontChange(*this, [this] { arrange(); });
}

QString ContributionFacts::residualText() const {
  return residual_->text();
}

QString ContributionFacts::balanceText() const {
  return balance_->text();
}

void ContributionFacts::setProof(const QString& text, const QString& details, const QString& role) {
  residual_->setText(text);
  residual_->setToolTip(details);
  setRole(*residual_, role);
  updateGeometry();
  arrange();
}

void ContributionFacts::setSnapshot(const InspectionSnapshot* snapshot) {
  const bool isKnown = snapshot && !snapshot->effect.empty();
  const bool hasParts = isKnown && inspectedAs(snapshot->layer) == InspectedAs::lambdas;
  balance_->setBalance(hasParts ? std::optional(snapshot->balance) : std::nullopt);
  if (!isKnown) {
    const bool lacksMaps = snapshot && snapshot->contributions.total.empty();
    setProof(
        lacksMaps ? u"This snapshot keeps no contributions."_s : QString(), {}, u"secondary"_s);
    return;
  }
  showResidual(snapshot->residual);
}

void ContributionFacts::setResidual(const ContributionResidual& residual) {
  balance_->setBalance(std::nullopt);
  showResidual(residual);
}

void ContributionFacts::showResidual(const ContributionResidual& residual) {
  const bool isExact = residual.relative <= kResidualLimit;
  setProof(
      isExact
          ? u"✓ Adds up to the layer's output within %1"_s.arg(numberText(residual.relative, 1))
          : u"Differs from the layer's output by %1 of it"_s.arg(numberText(residual.relative, 2)),
      u"Greatest difference %1, as a share of the greatest output %2. The map is the "
      "layer's own arithmetic, not an interpretation."_s.arg(numberText(residual.absolute),
                                                             numberText(residual.relative)),
      isExact ? u"success"_s : u"warning"_s);
}

int ContributionFacts::besideIn(int width) const {
  const int text = residual_->fontMetrics().horizontalAdvance(residual_->text()) + 2;
  return width - kFactGapAcross - text >= balance_->sizeHint().width() ? text : 0;
}

int ContributionFacts::heightForWidth(int width) const {
  const int balance = balance_->sizeHint().height();
  if (const int text = besideIn(width)) {
    return std::max(balance, residual_->heightForWidth(text));
  }
  return residual_->heightForWidth(width) + spacing::kTight + balance;
}

void ContributionFacts::arrange() {
  const int balance = balance_->sizeHint().height();
  if (const int text = besideIn(width())) {
    residual_->setGeometry(0, 0, text, height());
    const int left = text + kFactGapAcross;
    balance_->setGeometry(left, (height() - balance) / 2, width() - left, balance);
    return;
  }
  residual_->setGeometry(0, 0, width(), height() - balance - spacing::kTight);
  balance_->setGeometry(0, height() - balance, width(), balance);
}

QSize ContributionFacts::sizeHint() const {
  const int width = residual_->sizeHint().width() + kFactGapAcross + balance_->sizeHint().width();
  return {width, heightForWidth(width)};
}

QSize ContributionFacts::minimumSizeHint() const {
  return {balance_->minimumSizeHint().width(), balance_->minimumSizeHint().height()};
}

void ContributionFacts::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace lambda
