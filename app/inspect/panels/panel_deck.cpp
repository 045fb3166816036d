#include "app/inspect/panels/panel_deck.h"

#include <algorithm>

#include <QFrame>
#include <QLabel>
#include <QSettings>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/empty_state.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/inspect_panels.h"
#include "app/inspect/panels/panel_parts.h"
#include "widgets/theme/fitted_area.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kLeastList = 132;  // width of the column of layers, at the usual size of text

QString groupOf(std::size_t panel) {
  return QString::fromLatin1(kInspectPanels[panel].settings);
}

}  // namespace

PanelDeck::PanelDeck(QWidget* parent)
    : GripSplitter(Qt::Horizontal, parent),
      left_(new QFrame),
      layers_(new LayerList),
      noLayers_(makeNote()),
      middle_(new QStackedWidget),
      image_(new ImagePanel),
      imageArea_(new FittedArea(*image_, false)),
      failure_(new EmptyState),
      tabs_(new QTabWidget) {
  left_->setProperty(kRole, u"panel"_s);
  auto* column = new QVBoxLayout(left_);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(4);
  auto* title = makeNote(u"Layers"_s);
  title->setContentsMargins(12, 0, 12, 0);
  noLayers_->setContentsMargins(12, 8, 12, 0);
  column->addWidget(title);
  column->addWidget(noLayers_);
  column->addWidget(layers_, 1);
  column->addStretch();

  failure_->setButtons(u"Try again"_s, u"Open another run"_s);
  middle_->addWidget(imageArea_);
  middle_->addWidget(failure_);
  tabs_->setDocumentMode(true);
  tabs_->tabBar()->setDrawBase(false);
  tabs_->tabBar()->setUsesScrollButtons(true);
  for (const InspectPanelTraits& traits : kInspectPanels) {
    InspectPanel* panel = panels_.emplace_back(traits.make());
    tabs_->addTab(new FittedArea(*panel, false), QString::fromUtf8(traits.title));
    connect(panel, &InspectPanel::predictionsRequested, this, &PanelDeck::predictionsRequested);
  }
  addWidget(left_);
  addWidget(middle_);
  addWidget(tabs_);
  setStretchFactor(0, 0);
  setStretchFactor(1, 5);
  setStretchFactor(2, 4);
  setStandardSizes({176, 600, 432});
  fitToText();
  connect(tabs_, &QTabWidget::currentChanged, this, [this](int tab) {
    chosenTab_ = tab;
    Q_EMIT panelChosen();
  });
  connect(failure_, &EmptyState::firstClicked, this, &PanelDeck::retryRequested);
  connect(failure_, &EmptyState::secondClicked, this, &PanelDeck::otherRunRequested);
  onFontChange(*this, [this] { fitToText(); });
}

void PanelDeck::setLayers(const std::vector<InspectableLayer>& layers, const QString& network) {
  layers_->clearLambdas();
  layers_->setLayers(layers);
  layers_->setVisible(!layers.empty());
  noLayers_->setVisible(layers.empty() && !network.isEmpty());
  noLayers_->setText(
      u"This network has no layer that can be inspected (%1), so only its prediction is shown. "
      "Turn a block into a lambda layer or attention in Design."_s.arg(
          QString(network).replace(u'-', QChar(0x2011))));
  image_->setControlsEnabled(!layers.empty());
  const auto hasLambdas = [](const InspectableLayer& layer) {
    return inspectedAs(layer) == InspectedAs::lambdas;
  };
  enableTabs(std::ranges::any_of(layers, hasLambdas), {});
}

/// `whyNot`: why there are no lambdas.
void PanelDeck::enableTabs(bool haveLambdas, const QString& whyNot) {
  const QSignalBlocker onlyPersonsChoose(tabs_);
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const int tab = static_cast<int>(i);
    const bool isEnabled = haveLambdas || !kInspectPanels[i].needsLambdas;
    tabs_->setTabEnabled(tab, isEnabled);
    tabs_->setTabToolTip(tab, isEnabled ? QString() : whyNot);
  }
  if (tabs_->isTabEnabled(chosenTab_)) tabs_->setCurrentIndex(chosenTab_);
}

void PanelDeck::setState(const PanelState& state) {
  middle_->setCurrentWidget(imageArea_);
  tabs_->setVisible(true);
  image_->setState(state);
  if (state.snapshot) {
    const QString whyNot = whyNoLambda(state.snapshot->layer);
    enableTabs(whyNot.isEmpty(), whyNot);
  }
  for (InspectPanel* panel : panels_) panel->setState(state);
}

void PanelDeck::showFailure(const QString& reason) {
  setState({});
  failure_->setTexts(u"Could not inspect this"_s, reason);
  middle_->setCurrentWidget(failure_);
  tabs_->setVisible(false);
}

bool PanelDeck::showsFailure() const {
  return middle_->currentWidget() == failure_;
}

bool PanelDeck::showsPatterns() const {
  return panels_[static_cast<std::size_t>(chosenTab_)]->showsPatterns();
}

QList<QAction*> PanelDeck::panelActions() const {
  QList<QAction*> actions = image_->panelActions();
  for (const InspectPanel* panel : panels_) actions += panel->panelActions();
  return actions;
}

void PanelDeck::saveLayout(QSettings& settings) const {
  settings.setValue(u"splitter"_s, saveState());
  settings.setValue(u"panel"_s, groupOf(static_cast<std::size_t>(chosenTab_)));
  settings.beginGroup(u"image"_s);
  image_->saveLayout(settings);
  settings.endGroup();
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    settings.beginGroup(groupOf(i));
    panels_[i]->saveLayout(settings);
    settings.endGroup();
  }
}

void PanelDeck::restoreLayout(QSettings& settings) {
  GripSplitter::restoreLayout(settings.value(u"splitter"_s).toByteArray());
  const QString current = settings.value(u"panel"_s, groupOf(0)).toString();
  settings.beginGroup(u"image"_s);
  image_->restoreLayout(settings);
  settings.endGroup();
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (groupOf(i) == current) tabs_->setCurrentIndex(static_cast<int>(i));
    settings.beginGroup(groupOf(i));
    panels_[i]->restoreLayout(settings);
    settings.endGroup();
  }
}

void PanelDeck::fitToText() {
  left_->setMinimumWidth(qRound(kLeastList * textScale()));
}

}  // namespace lambda
