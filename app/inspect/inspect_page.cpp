#include "app/inspect/inspect_page.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/compare/comparison.h"
#include "app/inspect/empty_state.h"
#include "app/inspect/epochs/epoch_player.h"
#include "app/inspect/feed/layer_pictures.h"
#include "app/inspect/feed/snapshot_feed.h"
#include "app/inspect/image_picker.h"
#include "app/inspect/inspect_actions.h"
#include "app/inspect/layer_list.h"
#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/keys_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/panels/prediction_panel.h"
#include "app/inspect/source_chooser.h"
#include "app/session/inspection_session.h"
#include "app/session/training_session.h"
#include "widgets/pictures/image_view.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/grip_splitter.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QFrame* makeHairline() {
  auto* line = new QFrame;
  line->setFrameShape(QFrame::HLine);
  line->setFrameShadow(QFrame::Plain);
  line->setForegroundRole(QPalette::Mid);
  return line;
}

constexpr int kStatusMilliseconds = 250;
constexpr double kLeastList = 132;  // width of the column of layers, at the usual size of text

}  // namespace

InspectPage::InspectPage(TrainingSession& training, InspectionSession& inspection, QWidget* parent)
    : Page(parent),
      training_(training),
      inspection_(inspection),
      feed_(new SnapshotFeed(training, inspection, this)),
      layerPictures_(new LayerPictures(training, inspection, this)),
      chooser_(new SourceChooser),
      status_(new ElidedLabel),
      busy_(new QProgressBar),
      compareButton_(new QToolButton),
      epochsButton_(new QToolButton),
      stack_(new QStackedWidget),
      empty_(new EmptyState),
      splitter_(new GripSplitter(Qt::Horizontal)),
      left_(new QFrame),
      layerList_(new LayerList),
      noLayers_(makeNote()),
      middle_(new QStackedWidget),
      failure_(new EmptyState),
      imagePanel_(new ImagePanel),
      tabs_(new QTabWidget),
      lambdaPanel_(new LambdaPanel),
      embeddingsPanel_(new EmbeddingsPanel),
      keysPanel_(new KeysPanel),
      predictionPanel_(new PredictionPanel),
      comparison_(new Comparison(training, inspection)),
      comparisonArea_(new PanelArea(*comparison_)),
      bottomLine_(makeHairline()),
      picker_(new ImagePicker),
      player_(new EpochPlayer) {
  setAcceptDrops(true);
  setFocusProxy(&imagePanel_->image());
  makeLayout();
  fitToText();
  makeActions();
  compareButton_->setDefaultAction(actions_->compare);
  epochsButton_->setDefaultAction(actions_->epochs);
  picker_->addButtons({actions_->previousImage,
                       actions_->nextImage,
                       actions_->randomImage,
                       nullptr,
                       actions_->ownPicture});
  connectParts();
  connectTraining();
  statusTimer_.setInterval(kStatusMilliseconds);
  connect(&statusTimer_, &QTimer::timeout, this, &InspectPage::updateStatus);
  takeLive();
  updateState();
}

InspectPage::~InspectPage() = default;

QWidget* InspectPage::makeTopBar() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 8, 12, 8);
  row->setSpacing(12);
  status_->setProperty(kRole, u"secondary"_s);
  busy_->setRange(0, 0);
  busy_->setFixedWidth(64);
  busy_->setAccessibleName(tr("Working"));
  QSizePolicy kept = busy_->sizePolicy();
  kept.setRetainSizeWhenHidden(true);
  busy_->setSizePolicy(kept);
  busy_->hide();
  for (QToolButton* button : {compareButton_, epochsButton_}) {
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  }
  row->addWidget(chooser_);
  row->addWidget(&comparison_->controls());
  row->addWidget(status_, 1);
  row->addWidget(busy_);
  row->addStretch();
  row->addWidget(epochsButton_);
  row->addWidget(compareButton_);
  return bar;
}

void InspectPage::makeLayout() {
  left_->setProperty(kRole, u"panel"_s);
  auto* leftColumn = new QVBoxLayout(left_);
  leftColumn->setContentsMargins(0, 8, 0, 0);
  leftColumn->setSpacing(4);
  auto* title = makeNote(tr("Lambda layers"));
  title->setContentsMargins(12, 0, 12, 0);
  noLayers_->setContentsMargins(12, 8, 12, 0);
  leftColumn->addWidget(title);
  leftColumn->addWidget(noLayers_);
  leftColumn->addWidget(layerList_, 1);
  leftColumn->addStretch();

  failure_->setButtons(tr("Try again"), tr("Open another run"));
  middle_->addWidget(imagePanel_);
  middle_->addWidget(failure_);
  tabs_->setDocumentMode(true);
  tabs_->tabBar()->setDrawBase(false);
  tabs_->tabBar()->setUsesScrollButtons(true);
  tabs_->addTab(new PanelArea(*lambdaPanel_), tr("Lambda"));
  tabs_->addTab(embeddingsPanel_, tr("Embeddings"));
  tabs_->addTab(keysPanel_, tr("Keys"));
  tabs_->addTab(new PanelArea(*predictionPanel_), tr("Prediction"));
  splitter_->addWidget(left_);
  splitter_->addWidget(middle_);
  splitter_->addWidget(tabs_);
  splitter_->setStretchFactor(0, 0);
  splitter_->setStretchFactor(1, 5);
  splitter_->setStretchFactor(2, 4);
  splitter_->setStandardSizes({176, 600, 432});
  stack_->addWidget(empty_);
  stack_->addWidget(splitter_);
  stack_->addWidget(comparisonArea_);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeTopBar());
  column->addWidget(makeHairline());
  column->addWidget(stack_, 1);
  column->addWidget(bottomLine_);
  column->addWidget(player_);
  column->addWidget(picker_);
  player_->hide();
}

void InspectPage::fitToText() {
  left_->setMinimumWidth(qRound(kLeastList * textScale()));
  for (QToolButton* button : {compareButton_, epochsButton_}) {
    button->setIconSize(iconSizeForText());
  }
}

void InspectPage::connectParts() {
  connect(chooser_, &SourceChooser::sourceChanged, this, &InspectPage::takeSource);
  connect(layerList_, &LayerList::layerChosen, this, &InspectPage::chooseLayer);
  connect(imagePanel_, &ImagePanel::queryChosen, this, &InspectPage::chooseQuery);
  connect(feed_, &SnapshotFeed::arrived, this, &InspectPage::takeSnapshot);
  connect(feed_, &SnapshotFeed::failed, this, &InspectPage::showFailure);
  connect(feed_, &SnapshotFeed::busyChanged, busy_, &QWidget::setVisible);
  connect(layerPictures_, &LayerPictures::arrived, layerList_, &LayerList::setLambda);
  connect(failure_, &EmptyState::firstClicked, this, &InspectPage::ask);
  connect(failure_, &EmptyState::secondClicked, this, &InspectPage::runsRequested);
  connect(empty_, &EmptyState::firstClicked, this, &InspectPage::trainRequested);
  connect(empty_, &EmptyState::secondClicked, this, &InspectPage::runsRequested);
  connect(player_, &EpochPlayer::probeShown, this, &InspectPage::takeProbe);
  connect(
      player_, &EpochPlayer::exported, this, [this](const QString& folder, const QString& problem) {
        Q_EMIT told(problem.isEmpty() ? tr("The epochs are in %1.").arg(folder) : problem,
                    !problem.isEmpty());
      });
  connect(player_, &EpochPlayer::epochsMissed, this, [this](const QString& problem) {
    Q_EMIT told(tr("Not all epochs can be played. %1").arg(problem), true);
  });
  connect(picker_, &ImagePicker::imageChosen, this, &InspectPage::chooseImage);
  connect(picker_, &ImagePicker::splitChosen, this, &InspectPage::chooseSplit);
  connect(picker_, &ImagePicker::predictionsRequested, this, &InspectPage::predict);
  connect(picker_, &ImagePicker::cancelRequested, this, &InspectPage::forgetPredictions);
  connect(predictionPanel_, &PredictionPanel::predictionsRequested, this, &InspectPage::predict);
}

void InspectPage::connectTraining() {
  connect(&training_, &TrainingSession::started, this, [this] {
    takeLive();
    // Who comes to the page while a network trains sees that one first.
    if (!isVisible()) chooser_->showLive();
  });
  connect(&training_, &TrainingSession::stateChanged, this, &InspectPage::takeLive);
  connect(&training_, &TrainingSession::ended, this, &InspectPage::takeLive);
}

}  // namespace lambda
