#include "app/design/options/property_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/design/options/part_explanation.h"
#include "app/design/options/selection_form.h"
#include "app/design/totals/setting_effect.h"
#include "widgets/network/parts/fitting_text.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kLongestValue = 40;

QString titleOf(const Architecture& architecture, const Selection& selection) {
  if (selection.empty()) {
    const QString name = QString::fromStdString(architecture.name);
    return name.isEmpty() ? u"Network"_s : name;
  }
  if (selection.size() == 1) return partTitle(*selection.begin());
  bool areBlocks = true;
  for (const PartId& part : selection) areBlocks &= part.kind == PartKind::block;
  return areBlocks ? u"%1 blocks"_s.arg(selection.size()) : u"%1 parts"_s.arg(selection.size());
}

/// "Set heads h to 8": the name of an undo step.
QString stepText(const FieldRow& row, const FieldValue& value) {
  QString label = QString::fromStdString(row.label);
  if (label.size() > 1 && label[1].isLower()) label[0] = label[0].toLower();
  QString text = QString::fromStdString(textOf(row, value));
  if (text.size() > kLongestValue) text = text.left(kLongestValue) + u"…"_s;
  return text.isEmpty() ? u"Clear %1"_s.arg(label) : u"Set %1 to %2"_s.arg(label, text);
}

}  // namespace

PropertyPanel::PropertyPanel(QWidget* parent)
    : QFrame(parent),
      title_(new ElidedLabel(this)),
      cost_(new QLabel(this)),
      form_(new FieldForm(this)) {
  setProperty(kRole, u"panel"_s);
  title_->setProperty(kRole, u"heading"_s);
  title_->setTextFormat(Qt::PlainText);
  cost_->setProperty(kRole, u"secondary"_s);
  cost_->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 10, 0, 0);
  layout->setSpacing(0);
  auto* header = new QVBoxLayout;
  header->setContentsMargins(16, 0, 12, 4);
  header->setSpacing(2);
  auto* line = new QHBoxLayout;
  line->addWidget(title_, 1);
  line->addWidget(makeExplanationButton(
      *this, [this] { return explanationOf(architecture_, costs_, selection_); }));
  header->addLayout(line);
  header->addWidget(cost_);
  layout->addLayout(header);
  layout->addWidget(form_, 1);
  form_->setEffects([this](const FieldRow& row) {
    return effectOf(architecture_, costs_, selection_, row, memory_);
  });
  form_->setVariable(true);
  connect(form_, &FieldForm::varyRequested, this, &PropertyPanel::vary);
  connect(form_, &FieldForm::edited, this, &PropertyPanel::edit);
  connect(form_, &FieldForm::fixRequested, this, &PropertyPanel::fixRequested);
  connect(form_, &FieldForm::pickRequested, this, [this] {
    Q_EMIT mixerChoiceRequested(mixerOffers(architecture_, selection_, memory_));
  });
}

void PropertyPanel::show(const Architecture& architecture,
                         const NetworkCosts& costs,
                         const Selection& selection,
                         const std::vector<Problem>& problems) {
  architecture_ = architecture;
  costs_ = costs;
  selection_ = existing(architecture, selection);
  memory_.remember(architecture);
  showHeader();
  form_->setSections(sectionsFor(architecture, selection_));
  form_->setProblems(problemsOf(problems, architecture, selection_));
}

void PropertyPanel::showHeader() {
  title_->setText(titleOf(architecture_, selection_));
  if (selection_.empty()) {
    cost_->setText(u"Select a part to see its options."_s);
    return;
  }
  PartCost sum;
  for (const PartId& part : selection_) {
    const PartCost& cost = costs_.parts.at(part);
    // The sum of a stage already includes its blocks.
    if (part.kind == PartKind::block && selection_.contains(stagePart(part.stage))) continue;
    sum.parameters += cost.parameters;
    sum.flops += cost.flops;
    sum.activationBytes += cost.activationBytes;
    sum.output = cost.output;
  }
  if (selection_ == Selection{kInputPart}) {
    cost_->setText(mapShapeText(sum.output));
    return;
  }
  const QString numbers = u"%1 parameters, %2 FLOPs, %3 per image"_s.arg(
      shortCountText(sum.parameters), shortCountText(sum.flops), bytesText(sum.activationBytes, 3));
  cost_->setText(selection_.size() == 1 ? u"Gives %1. "_s.arg(mapShapeText(sum.output)) + numbers
                                        : numbers);
}

bool PropertyPanel::focusField(const std::string& path) {
  std::string row = rowPathOf(path);
  if (form_->focusField(row)) return true;
  return form_->focusField(row + ".kind");
}

void PropertyPanel::chooseMixer(std::size_t kind) {
  edit(kMixerKindPath, Choice{static_cast<int>(kind), {}}, {});
  form_->focusField(kMixerKindPath);
}

void PropertyPanel::focusFirst() {
  const std::vector<FormSection> sections = sectionsFor(architecture_, selection_);
  if (!sections.empty() && !sections.front().rows.empty()) {
    form_->focusField(sections.front().rows.front().path);
  }
}

void PropertyPanel::vary(const FieldRow& row) {
  const std::optional<std::string> path = variedPathOf(architecture_, selection_, row);
  if (!path) {
    Q_EMIT told(
        u"An experiment varies a field of one part, or of all parts that have it: select those."_s,
        true);
    return;
  }
  FieldRow varied = row;
  varied.path = *path;
  Q_EMIT varyRequested(varied);
}

void PropertyPanel::edit(const std::string& path, const FieldValue& value, const QString& gesture) {
  QStringList fittings;
  const std::optional<Architecture> next =
      withField(architecture_, selection_, path, value, memory_, &fittings);
  if (!next) return;
  for (const FormSection& section : sectionsFor(architecture_, selection_)) {
    if (const FieldRow* row = findRow(section.rows, path)) {
      Q_EMIT architectureEdited(*next, stepText(*row, value), gesture);
      if (!fittings.isEmpty()) Q_EMIT told(fittingNotice(fittings), false);
      return;
    }
  }
}

}  // namespace lambda
