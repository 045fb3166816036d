#include "app/experiments/theory/theory_form.h"

#include <cmath>

#include <QApplication>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/forms/field_form.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// From this range on the order of magnitude of a whole number matters, and not the next one.
constexpr double kWideRange = 200;

FieldRow rowOf(const TheoryParameter& parameter, double value) {
  const auto fieldValue = [&](double number) -> FieldValue {
    if (parameter.isWhole) return std::int64_t{std::llround(number)};
    return number;
  };
  FieldRow row;
  row.path = parameter.name;
  row.label = parameter.title;
  row.hint = parameter.hint;
  row.value = fieldValue(value);
  row.initial = fieldValue(parameter.value);
  row.min = parameter.least;
  row.max = parameter.greatest;
  const bool isCountedUp =
      parameter.isWhole &&
      (parameter.greatest - parameter.least < kWideRange || parameter.name == "seed");
  row.stepping = isCountedUp ? Stepping::one : Stepping::oneTwoFive;
  return row;
}

double numberIn(const FieldValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

}  // namespace

TheoryForm::TheoryForm(QWidget* parent)
    : QWidget(parent), form_(new FieldForm(this)), defaults_(new QPushButton(u"Defaults"_s, this)) {
  defaults_->setObjectName(u"theoryDefaults"_s);
  defaults_->setToolTip(u"Set all parameters to the values that the experiment comes with"_s);
  auto* column = makeBareLayout<QVBoxLayout>(this);
  column->addWidget(form_, 1);
  column->addWidget(defaults_, 0, Qt::AlignLeft);
  connect(
      form_, &FieldForm::edited, this, [this](const std::string& path, const FieldValue& value) {
        TheorySettings settings = settings_;
        settings[path] = numberIn(value);
        change(settings);
      });
  connect(defaults_, &QPushButton::clicked, this, [this] { change(defaults()); });
}

void TheoryForm::setExperiment(const TheoryDescription& description,
                               const TheorySettings& settings) {
  description_ = description;
  settings_ = defaults();
  for (const auto& [name, value] : settings) settings_[name] = value;
  showFields();
}

void TheoryForm::finishTyping() {
  QWidget* focused = QApplication::focusWidget();
  if (focused && isAncestorOf(focused)) focused->clearFocus();
}

void TheoryForm::change(const TheorySettings& settings) {
  settings_ = settings;
  showFields();
  Q_EMIT edited();
}

void TheoryForm::showFields() {
  FormSection section{u"Parameters"_s, {}};
  for (const TheoryParameter& parameter : description_.parameters)
    section.rows.push_back(rowOf(parameter, settings_.at(parameter.name)));
  form_->setSections({section});
  defaults_->setEnabled(isEnabled() && settings_ != defaults());
}

TheorySettings TheoryForm::defaults() const {
  TheorySettings values;
  for (const TheoryParameter& parameter : description_.parameters)
    values[parameter.name] = parameter.value;
  return values;
}

}  // namespace lambda
