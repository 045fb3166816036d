#include "widgets/plots/curves/curve_plot_private.h"

#include <QAction>
#include <QLabel>
#include <QVBoxLayout>

#include "widgets/plots/axes/plot_style.h"
#include "widgets/plots/curves/curve_decorations.h"
#include "widgets/plots/curves/curve_interaction.h"
#include "widgets/plots/curves/curve_readout.h"
#include "widgets/plots/curves/end_labels.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

CurvePlot::Private::Private(CurvePlot& plotOwner, std::vector<CurvePanel> panels)
    : owner(plotOwner),
      plot(new QCustomPlot(&plotOwner)),
      scene(*plot, std::move(panels)),
      readout(new CurveReadout(scene, plot)),
      interaction(new CurveInteraction(scene, *readout, *plot, plotOwner)),
      empty(new QLabel(plot)) {
  addDecorations(*plot, scene);
  plot->setFocusPolicy(Qt::NoFocus);
  // QCustomPlot draws at every resize, and warns where there is no area to draw on.
  plot->setMinimumSize(1, 1);
  plot->setContextMenuPolicy(Qt::NoContextMenu);
  QObject::connect(plot, &QCustomPlot::afterLayout, plot, [this] {
    readout->setGeometry(plot->rect());
    scene.refreshLines();
  });
  empty->setAlignment(Qt::AlignCenter);
  empty->setWordWrap(true);
  empty->setProperty(kRole, u"secondary"_s);
  empty->setAttribute(Qt::WA_TransparentForMouseEvents);
  auto* layout = makeBareLayout<QVBoxLayout>(&owner);
  layout->addWidget(plot);
  auto* overlay = new QVBoxLayout(plot);
  // In the first panel: between two panels it would stand on an axis.
  overlay->addWidget(empty, 1);
  overlay->addStretch(static_cast<int>(scene.panels().size()) - 1);
  makeActions();
  connectInteraction();
}

void CurvePlot::Private::makeActions() {
  fitAction = new QAction(u"Show everything"_s, &owner);
  fitAction->setShortcut(Qt::Key_F);
  fitAction->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  fitAction->setToolTip(u"Show all of the curves (F, or a double click)"_s);
  followAction = new QAction(u"Follow"_s, &owner);
  followAction->setCheckable(true);
  followAction->setChecked(true);
  followAction->setToolTip(u"Keep everything in view while points arrive; zooming turns it off"_s);
  owner.addAction(fitAction);
  QObject::connect(fitAction, &QAction::triggered, &owner, [this] { owner.setFollow(true); });
  QObject::connect(followAction, &QAction::toggled, &owner, [this](bool on) {
    if (on) changed();
  });
}

void CurvePlot::Private::connectInteraction() {
  QObject::connect(interaction, &CurveInteraction::moved, &owner, [this] { userMoved(); });
  QObject::connect(interaction, &CurveInteraction::everythingRequested, &owner, [this] {
    owner.setFollow(true);
  });
  QObject::connect(
      interaction, &CurveInteraction::seriesClicked, &owner, &CurvePlot::seriesClicked);
  QObject::connect(interaction, &CurveInteraction::spaceTapped, &owner, &CurvePlot::spaceTapped);
}

void CurvePlot::Private::replot() {
  plot->replot(QCustomPlot::rpQueuedReplot);
  readout->update();
}

/// The points, or the ranges and axes that decide where they lie, have changed.
void CurvePlot::Private::changed() {
  empty->setVisible(!scene.hasPoints());
  chooseLogScales();
  if (followAction->isChecked()) {
    scene.fit();
    const auto [low, high] = scene.xRange();
    Q_EMIT owner.visibleRangeChanged(low, high);
  }
  replot();
}

void CurvePlot::Private::showLogScale(int panel, bool on) {
  if (scene.panels().at(static_cast<std::size_t>(panel)).logarithmic == on) return;
  scene.setLogarithmic(panel, on);
  const auto [low, high] = scene.xRange();
  scene.fit();
  if (!followAction->isChecked()) scene.setXRange(low, high);
  replot();
  Q_EMIT owner.logScaleChanged(panel, on);
}

void CurvePlot::Private::chooseLogScales() {
  for (int i = 0; i < static_cast<int>(scene.panels().size()); ++i) {
    const CurveScene::Panel& panel = scene.panels()[static_cast<std::size_t>(i)];
    if (panel.isLogarithmicChosen || !panel.options.automaticLog) continue;
    showLogScale(i, scene.spansDecades(i));
  }
}

/// A person has zoomed or moved the view.
void CurvePlot::Private::userMoved() {
  followAction->setChecked(false);
  const auto [low, high] = scene.xRange();
  Q_EMIT owner.visibleRangeChanged(low, high);
  replot();
}

/// Divides the height of the plot between the lines, their names and the ticks.
void CurvePlot::Private::divideSpace(int whole) {
  // Approximate height in pixels of what stands above and below a panel's lines.
  constexpr double kAround = 40;
  const double height = static_cast<double>(whole) / static_cast<double>(scene.panels().size()) -
                        kAround * textScale();
  scene.setRightMargin(endLabelWidth(scene, height));
  scene.setPanelHeight(height);
}

void CurvePlot::Private::paintInto(QPainter& painter, const QSize& size, const Colors& colors) {
  const Colors& own = scene.colors();
  scene.setColors(colors);
  divideSpace(size.height());
  paintPlot(*plot, painter, size);
  scene.setColors(own);
  divideSpace(plot->height());
  replot();
}

}  // namespace lambda
