#include "app/inspect/text/text_deck.h"

#include <algorithm>

#include <QFrame>
#include <QLabel>
#include <QSettings>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/empty_state.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/text/channels_panel.h"
#include "app/inspect/text/kept_panel.h"
#include "app/inspect/text/text_panel.h"
#include "app/inspect/text/token_map_panel.h"
#include "widgets/theme/fitted_area.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kLeastColumn = 132;  // width of the column of layers, at the usual size of text

}  // namespace

TextDeck::TextDeck(QWidget* parent)
    : GripSplitter(Qt::Horizontal, parent),
      left_(new QFrame),
      layers_(new LayerList),
      middle_(new QStackedWidget),
      text_(new TextPanel),
      textArea_(new FittedArea(*text_, false)),
      failure_(new EmptyState),
      tabs_(new QTabWidget),
      map_(new TokenMapPanel),
      kept_(new KeptPanel),
      channels_(new ChannelsPanel) {
  left_->setProperty(kRole, u"panel"_s);
  auto* column = new QVBoxLayout(left_);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(4);
  auto* title = makeNote(u"Layers"_s);
  title->setContentsMargins(12, 0, 12, 0);
  column->addWidget(title);
  column->addWidget(layers_, 1);
  failure_->setButtons(u"Try again"_s, u"Open another run"_s);
  middle_->addWidget(textArea_);
  middle_->addWidget(failure_);
  tabs_->setDocumentMode(true);
  tabs_->tabBar()->setDrawBase(false);
  tabs_->tabBar()->setUsesScrollButtons(true);
  addPanel(map_, u"Map"_s);
  addPanel(kept_, u"State"_s);
  addPanel(channels_, u"Channels"_s);
  addWidget(left_);
  addWidget(middle_);
  addWidget(tabs_);
  setStretchFactor(0, 0);
  setStretchFactor(1, 5);
  setStretchFactor(2, 4);
  setStandardSizes({176, 600, 432});
  connect(text_, &TextPanel::positionChosen, this, &TextDeck::positionChosen);
  connect(text_, &TextPanel::quantityChosen, this, &TextDeck::setQuantity);
  connect(text_, &TextPanel::headChosen, this, &TextDeck::setHead);
  connect(failure_, &EmptyState::firstClicked, this, &TextDeck::retryRequested);
  connect(failure_, &EmptyState::secondClicked, this, &TextDeck::otherRunRequested);
  const auto fitToText = [this] { left_->setMinimumWidth(qRound(kLeastColumn * textScale())); };
  fitToText();
  onFontChange(*this, fitToText);
}

void TextDeck::addPanel(TextSidePanel* panel, const QString& title) {
  panels_.push_back(panel);
  tabs_->addTab(new FittedArea(*panel, false), title);
  connect(panel, &TextSidePanel::positionChosen, this, &TextDeck::positionChosen);
}

void TextDeck::setLayers(const std::vector<InspectableLayer>& layers) {
  layers_->clearLambdas();
  layers_->setLayers(layers);
}

void TextDeck::setSnapshot(const TokensPointer& snapshot) {
  state_.snapshot = snapshot;
  showState();
}

void TextDeck::setQuantity(ContributionKind quantity) {
  state_.quantity = quantity;
  showState();
}

void TextDeck::setHead(int head) {
  state_.head = head;
  showState();
}

void TextDeck::showState() {
  middle_->setCurrentWidget(textArea_);
  tabs_->setVisible(true);
  const TokenSnapshot* s = state_.snapshot.get();
  if (s && state_.head >= s->layer.heads) state_.head = -1;
  text_->show(state_);
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const QString whyEmpty = s ? panels_[i]->whyEmpty(*s) : QString();
    panels_[i]->show(state_);
    tabs_->setTabEnabled(static_cast<int>(i), whyEmpty.isEmpty());
    tabs_->setTabToolTip(static_cast<int>(i), whyEmpty);
  }
  if (s) layers_->setLambda(s->layer.name, state_.map());
}

void TextDeck::showFailure(const QString& title, const QString& reason) {
  setSnapshot(nullptr);
  failure_->setTexts(title, reason);
  middle_->setCurrentWidget(failure_);
  tabs_->setVisible(false);
}

bool TextDeck::showsFailure() const {
  return middle_->currentWidget() == failure_;
}

QList<QAction*> TextDeck::panelActions() const {
  return text_->panelActions();
}

void TextDeck::saveLayout(QSettings& settings) const {
  settings.setValue(u"splitter"_s, saveState());
  settings.setValue(u"panel"_s, tabs_->currentIndex());
  settings.setValue(u"quantity"_s, static_cast<int>(state_.quantity));
  text_->saveLayout(settings);
}

void TextDeck::restoreLayout(QSettings& settings) {
  GripSplitter::restoreLayout(settings.value(u"splitter"_s).toByteArray());
  tabs_->setCurrentIndex(settings.value(u"panel"_s, 0).toInt());
  const int quantity =
      settings.value(u"quantity"_s, static_cast<int>(ContributionKind::total)).toInt();
  if (quantity >= 0 && quantity < static_cast<int>(kContributionKinds.size())) {
    setQuantity(kContributionKinds[static_cast<std::size_t>(quantity)]);
  }
  text_->restoreLayout(settings);
}

}  // namespace lambda
