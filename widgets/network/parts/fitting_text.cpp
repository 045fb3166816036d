#include "widgets/network/parts/fitting_text.h"

#include "widgets/forms/field_rows.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr qsizetype kMostTexts = 3;

std::vector<FieldRow> optionsOf(const Mixer& mixer) {
  return std::visit([](const auto& options) { return rowsOf(options, "mixer"); }, mixer);
}

QString valueText(const FieldRow& row) {
  const QString text = QString::fromStdString(textOf(row, row.value));
  return text.isEmpty() ? u"own"_s : text;
}

}  // namespace

QString fittingText(const PartId& block, const Mixer& wanted, const Mixer& fitted) {
  const std::vector<FieldRow> before = optionsOf(wanted);
  QStringList changes;
  for (const FieldRow& row : optionsOf(fitted)) {
    const FieldRow* old = findRow(before, row.path);
    if (!old || old->value == row.value) continue;
    changes << u"%1 %2 instead of %3"_s.arg(
        QString::fromStdString(row.label), valueText(row), valueText(*old));
  }
  return changes.isEmpty() ? QString() : partTitle(block) + u": "_s + changes.join(u", "_s);
}

QString fittingNotice(const QStringList& texts) {
  QStringList shown = texts.mid(0, kMostTexts);
  if (texts.size() > kMostTexts) shown << u"%1 more"_s.arg(texts.size() - kMostTexts);
  return u"Fitted to the width and the map of the block. %1."_s.arg(shown.join(u"; "_s));
}

}  // namespace lambda
