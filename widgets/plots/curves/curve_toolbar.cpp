#include "widgets/plots/curves/curve_toolbar.h"

#include <algorithm>
#include <cmath>

#include <QAction>
#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QSlider>
#include <QToolButton>

#include "widgets/export/export_menu.h"
#include "widgets/plots/curves/curve_plot.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

// The slider's positions are evenly spaced in the number of points that the average covers,
// 1 / (1 - weight).
constexpr int kSliderSteps = 60;
constexpr double kDecades = 3;
constexpr int kSpacing = 2;
const QString kScaleKey = u"scale"_s;  // Absent where the lines decide.
const QString kLogarithmic = u"logarithmic"_s;
const QString kLinear = u"linear"_s;

double weightOf(int place) {
  return place == 0 ? 0 : 1 - std::pow(10, -kDecades * place / kSliderSteps);
}

int placeOf(double weight) {
  return static_cast<int>(std::lround(-std::log10(1 - weight) * kSliderSteps / kDecades));
}

QToolButton* quietButton(QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setProperty(kRole, u"quiet"_s);
  return button;
}

}  // namespace

CurveToolbar::CurveToolbar(CurvePlot& plot, int logPanel, QWidget* parent)
    : QWidget(parent), plot_(plot), logPanel_(logPanel) {
  auto* row = makeBareLayout<QHBoxLayout>(this, kSpacing);
  addAxisButtons(*row);
  row->addStretch();
  addSmoothing(*row);
  addToggles(*row);
  row->addWidget(makeExportButton(plot_, plot_));
  updateSizes();
  updateIcons();
  onPaletteChange(*this, [this] { updateIcons(); });
  onFontChange(*this, [this] {
    setCompact(false);
    updateSizes();
  });
}

void CurveToolbar::addAxisButtons(QHBoxLayout& row) {
  axes_ = new QButtonGroup(this);
  const std::pair<CurveAxis, QString> axes[] = {{CurveAxis::steps, u"Steps"_s},
                                                {CurveAxis::epochs, u"Epochs"_s},
                                                {CurveAxis::time, u"Time"_s}};
  for (const auto& [axis, text] : axes) {
    QToolButton* button = quietButton(this);
    button->setText(text);
    button->setCheckable(true);
    button->setToolTip(axis == CurveAxis::time ? u"Over training time, without pauses"_s
                                               : u"Over %1"_s.arg(text.toLower()));
    button->setChecked(plot_.axis() == axis);
    axes_->addButton(button, static_cast<int>(axis));
    row.addWidget(button);
  }
  connect(axes_, &QButtonGroup::idClicked, this, [this](int id) {
    plot_.setAxis(static_cast<CurveAxis>(id));
  });
  connect(&plot_, &CurvePlot::axisChanged, this, [this](CurveAxis axis) {
    axes_->button(static_cast<int>(axis))->setChecked(true);
  });
}

void CurveToolbar::addSmoothing(QHBoxLayout& row) {
  smoothingWord_ = new QLabel(u"Smoothing"_s, this);
  smoothingWord_->setProperty(kRole, u"secondary"_s);
  smoothing_ = new QSlider(Qt::Horizontal, this);
  smoothing_->setRange(0, kSliderSteps);
  smoothing_->setPageStep(kSliderSteps / 6);
  smoothing_->setAccessibleName(u"Smoothing"_s);
  smoothing_->setToolTip(
      u"Smoothing: weight of the past in the moving average over all batches; without bias at "
      "the start"_s);
  smoothingWord_->setBuddy(smoothing_);
  smoothingValue_ = new QLabel(this);
  smoothingValue_->setFont(numberFont());
  smoothingValue_->setProperty(kRole, u"number"_s);
  row.addWidget(smoothingWord_);
  row.addSpacing(4);
  row.addWidget(smoothing_);
  row.addSpacing(4);
  row.addWidget(smoothingValue_);
  const auto show = [this] {
    const double weight = plot_.smoothing();
    smoothing_->setValue(placeOf(weight));
    smoothingValue_->setText(fixedText(weight, weight > 0.985 ? 3 : 2));
  };
  connect(smoothing_, &QSlider::valueChanged, this, [this](int place) {
    if (place != placeOf(plot_.smoothing())) plot_.setSmoothing(weightOf(place));
  });
  connect(&plot_, &CurvePlot::smoothingChanged, this, show);
  show();
}

void CurveToolbar::addToggles(QHBoxLayout& row) {
  const auto addButton = [&](QAction* action) {
    QToolButton* button = quietButton(this);
    button->setDefaultAction(action);
    row.addWidget(button);
    return button;
  };
  if (logPanel_ >= 0) {
    logAction_ = new QAction(u"Logarithmic loss"_s, this);
    logAction_->setIconText(u"Log"_s);
    logAction_->setCheckable(true);
    logAction_->setToolTip(
        u"Logarithmic scale. Until you choose, it is on where the loss spans more than two "
        "decades"_s);
    logAction_->setChecked(plot_.isLogScale(logPanel_));
    connect(logAction_, &QAction::triggered, this, [this](bool on) {
      plot_.setLogScale(logPanel_, on);
    });
    connect(&plot_, &CurvePlot::logScaleChanged, this, [this](int panel, bool on) {
      if (panel == logPanel_) logAction_->setChecked(on);
    });
    addButton(logAction_)->setToolButtonStyle(Qt::ToolButtonTextOnly);
  }
  follow_ = addButton(plot_.followAction());
  follow_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  fit_ = addButton(plot_.fitAction());
  fit_->setToolButtonStyle(Qt::ToolButtonIconOnly);
}

QList<QAction*> CurveToolbar::plotActions() const {
  QList<QAction*> actions{plot_.fitAction(), plot_.followAction()};
  if (logAction_) actions << logAction_;
  return actions;
}

void CurveToolbar::saveLayout(QSettings& settings) const {
  settings.setValue(u"axis"_s, static_cast<int>(plot_.axis()));
  settings.setValue(u"smoothing"_s, plot_.smoothing());
  if (!logAction_) return;
  if (plot_.isLogScaleChosen(logPanel_)) {
    settings.setValue(kScaleKey, logAction_->isChecked() ? kLogarithmic : kLinear);
  } else {
    settings.remove(kScaleKey);
  }
}

void CurveToolbar::restoreLayout(QSettings& settings) {
  const int axis = settings.value(u"axis"_s, 0).toInt();
  plot_.setAxis(static_cast<CurveAxis>(qBound(0, axis, 2)));
  plot_.setSmoothing(settings.value(u"smoothing"_s, plot_.smoothing()).toDouble());
  if (!logAction_) return;
  const QString scale = settings.value(kScaleKey).toString();
  if (scale.isEmpty()) {
    plot_.releaseLogScale(logPanel_);
  } else {
    plot_.setLogScale(logPanel_, scale == kLogarithmic);
  }
}

// ---- little space ----

int CurveToolbar::compactSaving() const {
  const auto widthOf = [](const QWidget& widget) {
    return std::max(widget.sizeHint().width(), widget.minimumWidth()) + kSpacing;
  };
  // Without its text this button is as wide as the others.
  const int text =
      isSparing_ ? followText_ : follow_->sizeHint().width() - fit_->sizeHint().width();
  return widthOf(*smoothingWord_) + widthOf(*smoothingValue_) + text;
}

QSize CurveToolbar::minimumSizeHint() const {
  const QSize now = QWidget::minimumSizeHint();
  return isSparing_ ? now : QSize(now.width() - compactSaving(), now.height());
}

void CurveToolbar::setCompact(bool spare) {
  if (spare == isSparing_) return;
  // The limit is rather too high than too low: otherwise the text would appear and disappear.
  constexpr int kSlack = 4;
  if (spare) followText_ = follow_->sizeHint().width() - fit_->sizeHint().width() + kSlack;
  isSparing_ = spare;
  smoothingWord_->setVisible(!spare);
  smoothingValue_->setVisible(!spare);
  follow_->setToolButtonStyle(spare ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
}

void CurveToolbar::fit() {
  setCompact(width() < minimumSizeHint().width() + compactSaving());
}

bool CurveToolbar::event(QEvent* event) {
  const bool isDone = QWidget::event(event);
  switch (event->type()) {
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::LayoutRequest:
      fit();
      break;
    default:
      break;
  }
  return isDone;
}

void CurveToolbar::updateSizes() {
  constexpr int kNarrowSlider = 64;
  constexpr int kWideSlider = 96;
  smoothing_->setMinimumWidth(qRound(kNarrowSlider * textScale()));
  smoothing_->setMaximumWidth(qRound(kWideSlider * textScale()));
  smoothingValue_->setMinimumWidth(QFontMetrics(numberFont()).horizontalAdvance(u"0.9990"_s));
}

void CurveToolbar::updateIcons() {
  plot_.followAction()->setIcon(icon(u"follow"_s, *this));
  plot_.fitAction()->setIcon(icon(u"fit"_s, *this));
}

}  // namespace lambda
