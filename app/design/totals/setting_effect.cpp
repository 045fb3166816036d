#include "app/design/totals/setting_effect.h"

#include <cstdlib>

#include <QStringList>

#include "app/design/options/selection_form.h"
#include "widgets/forms/number_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::size_t kMostChoices = 3;

/// The value one step up, or down where there is none; as far as the field's steps go.
FieldValue nextNumber(const FieldRow& row, double value, bool isWhole) {
  double next = stepped(value, 1, row.stepping, row.min, row.max, isWhole);
  if (next == value) next = stepped(value, -1, row.stepping, row.min, row.max, isWhole);
  if (isWhole) return static_cast<std::int64_t>(next);
  return next;
}

/// The values whose cost is compared with that of the present one.
std::vector<FieldValue> otherValues(const FieldRow& row) {
  if (const auto* flag = std::get_if<bool>(&row.value)) return {!*flag};
  if (const auto* whole = std::get_if<std::int64_t>(&row.value)) {
    return {nextNumber(row, static_cast<double>(*whole), true)};
  }
  if (const auto* number = std::get_if<double>(&row.value)) {
    return {nextNumber(row, *number, false)};
  }
  std::vector<FieldValue> values;
  if (const auto* choice = std::get_if<Choice>(&row.value)) {
    for (int i = 0; i < std::ssize(choice->names) && values.size() < kMostChoices; ++i) {
      if (i != choice->index) values.emplace_back(Choice{i, choice->names});
    }
  }
  return values;
}

QString signedText(long long difference, const QString& amount) {
  return (difference > 0 ? u"+"_s : u"−"_s) + amount;
}

QString differenceText(const NetworkCost& now, const NetworkCost& then) {
  QStringList parts, perImage;
  if (const long long by = then.parameters - now.parameters) {
    parts << u"%1 parameters"_s.arg(signedText(by, shortCountText(std::abs(by))));
  }
  if (const long long by = then.flops - now.flops) {
    perImage << u"%1 FLOPs"_s.arg(signedText(by, shortCountText(std::abs(by))));
  }
  if (const long long by = then.activationBytes - now.activationBytes) {
    perImage << u"%1 of activations"_s.arg(signedText(by, bytesText(std::abs(by), 3)));
  }
  if (!perImage.isEmpty()) parts << perImage.join(u" and "_s) + u" per image"_s;
  return parts.isEmpty() ? u"the same cost"_s : parts.join(u", "_s);
}

}  // namespace

QString effectOf(const Architecture& architecture,
                 const NetworkCosts& costs,
                 const Selection& selection,
                 const FieldRow& row,
                 const MixerMemory& memory) {
  QStringList effects;
  for (const FieldValue& value : otherValues(row)) {
    const std::optional<Architecture> next =
        withField(architecture, selection, row.path, value, memory);
    if (!next) continue;
    QString change = u"With "_s + QString::fromStdString(textOf(row, value));
    if (const auto* flag = std::get_if<bool>(&value)) {
      change = *flag ? u"Switched on"_s : u"Switched off"_s;
    }
    effects << u"%1: %2."_s.arg(change, differenceText(costs.total, costsOf(*next).total));
  }
  return effects.join(u' ');
}

}  // namespace lambda
