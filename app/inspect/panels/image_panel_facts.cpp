// The texts of the image panel about the numbers behind its picture.

#include <algorithm>

#include "app/inspect/panels/balance_bar.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/panel_parts.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kResidualLimit =
    1e-4;  // a larger residual means that the sum is not the layer's arithmetic

}  // namespace

QString ImagePanel::residualText() const {
  return residual_->fullText();
}

QString ImagePanel::balanceText() const {
  return balance_->text();
}

void ImagePanel::updateResidual() {
  const bool isKnown = snapshot_ && !snapshot_->effect.empty();
  balance_->setBalance(isKnown ? std::optional(snapshot_->balance) : std::nullopt);
  if (!isKnown) {
    const bool lacksMaps = snapshot_ && snapshot_->contributions.total.empty();
    residual_->setText(lacksMaps ? tr("This snapshot keeps no contributions.") : QString());
    residual_->setDetails({});
    setRole(*residual_, u"secondary"_s);
    fitFacts();
    return;
  }
  const ContributionResidual& residual = snapshot_->residual;
  const bool isExact = residual.relative <= kResidualLimit;
  residual_->setText(
      isExact
          ? tr("✓ Adds up to the layer's output within %1").arg(numberText(residual.relative, 1))
          : tr("Differs from the layer's output by %1 of it")
                .arg(numberText(residual.relative, 2)));
  residual_->setDetails(tr("Greatest difference %1, as a share of the greatest output %2. The map "
                           "is the layer's own arithmetic, not an interpretation.")
                            .arg(numberText(residual.absolute), numberText(residual.relative)));
  setRole(*residual_, isExact ? u"success"_s : u"warning"_s);
  fitFacts();
}

ExplanationText ImagePanel::explanation() const {
  ExplanationText text{
      .title = tr("Contributions to one position"),
      .formula = tr("A<sub>m</sub> = q<sub>n</sub> &middot; (k&#772;<sub>m</sub> + "
                    "e<sub>nm</sub>)<br>y<sub>n</sub> = &Sigma;<sub>m</sub> A<sub>m</sub> "
                    "v<sub>m</sub>"),
      .body =
          tr("Click a position n: the colours say with which weight A every other position's "
             "value enters the output there, red positive, blue negative. They are not "
             "normalised and may have any sign. Effect is ‖A v‖: weight times size of the value "
             "there. This is the layer's own arithmetic: the sum is the output."),
      .numbers = {}};
  if (!snapshot_ || snapshot_->effect.empty()) return text;
  const InspectionSnapshot& s = *snapshot_;
  const Array map = mapOf(headMapsOf(s, ContributionKind::total), ContributionKind::total, head_);
  text.numbers.emplace_back(tr("Position n"),
                            tr("row %1, column %2").arg(s.queryRow).arg(s.queryColumn));
  if (!map.values.empty()) {
    const auto [least, most] = std::minmax_element(map.values.begin(), map.values.end());
    text.numbers.emplace_back(tr("A, smallest … greatest"),
                              numberText(static_cast<double>(*least)) + u" … "_s +
                                  numberText(static_cast<double>(*most)));
  }
  text.numbers.emplace_back(tr("‖y content‖²"), numberText(s.balance.contentEnergy));
  text.numbers.emplace_back(tr("‖y position‖²"), numberText(s.balance.positionEnergy));
  text.numbers.emplace_back(tr("Cosine between them"), numberText(s.balance.cosine));
  text.numbers.emplace_back(tr("Σ A v − y"), numberText(s.residual.absolute));
  return text;
}

}  // namespace lambda
