#include "app/experiments/draft/axis_row.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/experiments/draft/proposed_axis.h"
#include "engine/values/text/text.h"
#include "widgets/forms/field_rows.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kNumberWidth = 90;

QString labelOf(const std::string& path) {
  return QString::fromStdString(path.empty() ? path : labelAt(path));
}

QLineEdit* makeNumber(const QString& name) {
  auto* edit = new QLineEdit;
  edit->setObjectName(name);
  edit->setAccessibleName(name);
  edit->setFixedWidth(kNumberWidth);
  return edit;
}

/// The number that a text is, with a point in every locale.
std::optional<double> numberIn(const QLineEdit& edit) {
  const std::string text = edit.text().trimmed().toStdString();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Leaves a text alone that is no number yet.
void showNumber(QLineEdit& edit, double value) {
  if (std::isfinite(value) && numberIn(edit) != value)
    edit.setText(QString::fromStdString(formatNumber(value)));
}

}  // namespace

AxisRow::AxisRow(QWidget* parent)
    : QWidget(parent),
      name_(new QLabel),
      path_(new QLabel),
      scale_(new QComboBox),
      stack_(new QStackedWidget),
      values_(new QLineEdit),
      from_(makeNumber(u"from"_s)),
      to_(makeNumber(u"to"_s)),
      count_(new QSpinBox),
      seed_(new QSpinBox),
      seedPart_(new QWidget) {
  build();
  connect(scale_, &QComboBox::currentIndexChanged, this, &AxisRow::requestScale);
  connect(values_, &QLineEdit::textEdited, this, [this](const QString& text) {
    Axis next = axis_;
    next.values = valuesFromText(text.toStdString());
    Q_EMIT edited(next);
  });
  for (QLineEdit* edit : {from_, to_}) {
    connect(edit, &QLineEdit::textEdited, this, &AxisRow::requestRange);
  }
  for (QSpinBox* box : {count_, seed_}) {
    connect(box, &QSpinBox::valueChanged, this, &AxisRow::requestRange);
  }
}

void AxisRow::build() {
  scale_->setObjectName(u"scale"_s);
  scale_->setAccessibleName(u"How the values are given"_s);
  scale_->addItems(
      {u"List"_s, u"Equal steps"_s, u"Equal ratios"_s, u"Random"_s, u"Random, logarithmic"_s});
  values_->setObjectName(u"values"_s);
  values_->setAccessibleName(u"Values"_s);
  values_->setPlaceholderText(u"Values with commas between them: 0.05, 0.1, 0.2"_s);
  count_->setObjectName(u"count"_s);
  count_->setRange(1, static_cast<int>(kMostVariants));
  seed_->setRange(0, std::numeric_limits<int>::max());

  auto* seedLine = makeBareLayout<QHBoxLayout>(seedPart_);
  seedLine->addWidget(new QLabel(u"drawn with seed"_s));
  seedLine->addWidget(seed_);
  auto* range = new QWidget;
  auto* rangeLine = makeBareLayout<QHBoxLayout>(range, spacing::kGap);
  rangeLine->addWidget(count_);
  rangeLine->addWidget(new QLabel(u"values from"_s));
  rangeLine->addWidget(from_);
  rangeLine->addWidget(new QLabel(u"to"_s));
  rangeLine->addWidget(to_);
  rangeLine->addWidget(seedPart_);
  rangeLine->addStretch();
  stack_->addWidget(values_);
  stack_->addWidget(range);

  auto* remove = new QToolButton;
  remove->setObjectName(u"removeAxis"_s);
  remove->setIcon(icon(u"close"_s, *this));
  remove->setToolTip(u"Do not vary this field"_s);
  remove->setAccessibleName(remove->toolTip());
  connect(remove, &QToolButton::clicked, this, &AxisRow::removeRequested);
  auto* line = new QHBoxLayout;
  line->setSpacing(spacing::kGap);
  line->addWidget(scale_);
  line->addWidget(stack_, 1);
  line->addWidget(remove);
  auto* column = makeBareLayout<QVBoxLayout>(this, 2);
  path_->setProperty(kRole, u"secondary"_s);
  auto* head = new QHBoxLayout;
  head->setSpacing(spacing::kGap);
  head->addWidget(name_);
  head->addWidget(path_, 1);
  column->addLayout(head);
  column->addLayout(line);
}

void AxisRow::setAxis(const Axis& axis) {
  axis_ = axis;
  const QSignalBlocker blockers[] = {
      QSignalBlocker(scale_), QSignalBlocker(count_), QSignalBlocker(seed_)};
  name_->setText(labelOf(axis.path));
  path_->setText(QString::fromStdString(axis.path));
  scale_->setCurrentIndex(static_cast<int>(axis.scale));
  const bool isList = axis.scale == AxisScale::list;
  stack_->setCurrentIndex(isList ? 0 : 1);
  if (valuesFromText(values_->text().toStdString()) != axis.values) {
    values_->setText(QString::fromStdString(valuesText(axis.values)));
  }
  showNumber(*from_, axis.from);
  showNumber(*to_, axis.to);
  count_->setValue(axis.count);
  seed_->setValue(static_cast<int>(axis.seed));
  seedPart_->setVisible(axis.scale == AxisScale::random ||
                        axis.scale == AxisScale::randomLogarithmic);
}

void AxisRow::requestScale(int index) {
  Axis next = axis_;
  next.scale = static_cast<AxisScale>(index);
  Q_EMIT edited(next);
}

void AxisRow::requestRange() {
  Axis next = axis_;
  // A text that is no number yet leaves a bound that gives no values: the problem says so.
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  next.from = numberIn(*from_).value_or(kNone);
  next.to = numberIn(*to_).value_or(kNone);
  next.count = count_->value();
  next.seed = static_cast<std::uint64_t>(seed_->value());
  Q_EMIT edited(next);
}

}  // namespace lambda
