#include "widgets/forms/number_editor.h"

#include <algorithm>
#include <cmath>

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSlider>
#include <QWheelEvent>

#include "widgets/forms/number_box.h"
#include "widgets/forms/sentence.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

namespace lambda {

namespace {

constexpr int kLongestSlider = 100;

// Lengths in pixels at text size 1.
constexpr double kBoxWidth = 88;
constexpr double kLeastSliderWidth = 28;

double toNumber(const FieldValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

// Positions of a slider: hundredths of a share, exponents of a power of two.

int positionOf(double number, Stepping stepping) {
  if (stepping == Stepping::hundredth) return static_cast<int>(std::lround(number * 100));
  return number < 1 ? 0 : static_cast<int>(std::lround(std::log2(number)));
}

double numberAt(int position, const NumberFormat& format) {
  const double number =
      format.stepping == Stepping::hundredth ? position / 100.0 : std::exp2(position);
  return std::clamp(number, format.min, format.max);
}

bool hasSlider(const NumberFormat& format) {
  if (!std::isfinite(format.min) || !std::isfinite(format.max)) return false;
  if (format.stepping != Stepping::hundredth && format.stepping != Stepping::doubling) return false;
  return positionOf(format.max, format.stepping) <= kLongestSlider;
}

/// The slider ignores the wheel, so that scrolling a form past it changes nothing.
class QuietSlider : public QSlider {
 public:
  using QSlider::QSlider;

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

}  // namespace

NumberEditor::NumberEditor(QWidget* parent)
    : FieldEditor(parent),
      box_(new NumberBox(this)),
      slider_(new QuietSlider(Qt::Horizontal, this)) {
  auto* layout = makeBareLayout<QHBoxLayout>(this, spacing::kGap);
  layout->addWidget(slider_, 1);
  layout->addWidget(box_);
  slider_->setFocusPolicy(Qt::NoFocus);
  slider_->setMinimumWidth(1);
  setFocusProxy(box_);

  connect(box_, &NumberBox::valueEdited, this, [this](double number) {
    const QSignalBlocker blocker(slider_);
    slider_->setValue(positionOf(number, box_->format().stepping));
    editInGesture(valueOf(number));
  });
  connect(box_, &NumberBox::rangeEnforced, this, &FieldEditor::noted);
  connect(box_, &NumberBox::editEnded, this, [this] { endGesture(); });
  connect(slider_, &QSlider::valueChanged, this, [this](int position) {
    const double number = numberAt(position, box_->format());
    box_->setValue(number);
    editInGesture(valueOf(number));
    if (!slider_->isSliderDown()) endGesture();
  });
  connect(slider_, &QSlider::sliderReleased, this, [this] { endGesture(); });
}

void NumberEditor::show(const FieldRow& row) {
  whole_ = std::holds_alternative<std::int64_t>(row.value);
  const NumberFormat format{row.min,
                            row.max,
                            whole_,
                            row.stepping,
                            QString::fromStdString(row.unit),
                            QString::fromStdString(row.zeroText)};
  const double number = toNumber(row.value);
  box_->setFormat(format);
  box_->setValue(number);
  if (row.mixed) box_->setMixed(true);
  box_->setAccessibleName(QString::fromStdString(row.label));
  box_->setToolTip(toolTipOf(row));

  arrange();
  if (!hasSlider(format)) return;
  const QSignalBlocker blocker(slider_);
  slider_->setRange(positionOf(format.min, format.stepping),
                    positionOf(format.max, format.stepping));
  slider_->setPageStep(format.stepping == Stepping::hundredth ? 10 : 1);
  slider_->setValue(positionOf(number, format.stepping));
}

void NumberEditor::resizeEvent(QResizeEvent* event) {
  FieldEditor::resizeEvent(event);
  arrange();
}

void NumberEditor::arrange() {
  const int boxWidth = qRound(kBoxWidth * textScale());
  const bool hasSpace =
      width() >= boxWidth + spacing::kGap + qRound(kLeastSliderWidth * textScale());
  const bool isShown = hasSpace && hasSlider(box_->format());
  slider_->setVisible(isShown);
  box_->setSizePolicy(isShown ? QSizePolicy::Fixed : QSizePolicy::Expanding, QSizePolicy::Fixed);
  box_->setMinimumWidth(boxWidth);
  box_->setMaximumWidth(isShown ? boxWidth : QWIDGETSIZE_MAX);
}

QWidget* NumberEditor::field() {
  return box_;
}

FieldValue NumberEditor::valueOf(double number) const {
  if (whole_) return static_cast<std::int64_t>(number);
  return number;
}

}  // namespace lambda
