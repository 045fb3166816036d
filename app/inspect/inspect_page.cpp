#include "app/inspect/inspect_page.h"

#include <algorithm>
#include <iterator>

#include <QAction>
#include <QDragEnterEvent>
#include <QFrame>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/choosers/source_chooser.h"
#include "app/inspect/compare/compare_mode.h"
#include "app/inspect/empty_state.h"
#include "app/inspect/epochs/epochs_mode.h"
#include "app/inspect/generate/generate_mode.h"
#include "app/inspect/images/image_choice.h"
#include "app/inspect/images/image_picker.h"
#include "app/inspect/images/own_picture.h"
#include "app/inspect/inspect_actions.h"
#include "app/inspect/inspect_bar.h"
#include "app/inspect/modes/image_mode.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/panel_deck.h"
#include "app/inspect/text/text_deck.h"
#include "app/inspect/text/text_mode.h"
#include "app/inspect/text/text_panel.h"
#include "app/inspect/text/text_picker.h"
#include "app/session/inspection/checkpoint_service.h"
#include "app/session/runs/run_summary.h"
#include "app/session/training/training_session.h"
#include "widgets/pictures/colored_text.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kStatusMilliseconds = 250;

bool takesTokens(const RunRecord& record) {
  return record.config.architecture.task == Task::tokens;
}

/// Whether a mode is for networks of tokens; the others are for those of images.
bool isOfTokens(InspectModeKind mode) {
  return mode == InspectModeKind::text || mode == InspectModeKind::generate;
}

}  // namespace

InspectPage::InspectPage(TrainingSession& training, CheckpointService& checkpoints, QWidget* parent)
    : Page(parent),
      training_(training),
      images_(new ImageChoice(checkpoints, selection_, this)),
      deck_(new PanelDeck),
      imageMode_(new ImageMode(
          training, checkpoints, images_->images(), images_->predictions(), *deck_, this)),
      epochsMode_(new EpochsMode(images_->images(), *deck_, this)),
      compareMode_(new CompareMode(training, checkpoints, this)),
      textMode_(new TextMode(checkpoints, this)),
      generateMode_(new GenerateMode(checkpoints, this)),
      modes_{imageMode_, epochsMode_, compareMode_, textMode_, generateMode_},
      actions_(new InspectActions(*this)),
      bar_(new InspectBar({actions_->modes.begin(), actions_->modes.end()})),
      chooser_(bar_->chooser()),
      stack_(new QStackedWidget),
      empty_(new EmptyState),
      bottomLine_(makeLine(Qt::Horizontal)) {
  setAcceptDrops(true);
  makeLayout();
  for (QAction* action : pageActions()) {
    if (action) addAction(action);
  }
  images_->picker().addButtons({actions_->previousImage,
                                actions_->nextImage,
                                actions_->randomImage,
                                nullptr,
                                actions_->ownPicture});
  textMode_->picker().addButtons(
      {actions_->previousImage, actions_->nextImage, actions_->randomImage});
  connectParts();
  connectActions();
  statusTimer_.setInterval(kStatusMilliseconds);
  connect(&statusTimer_, &QTimer::timeout, this, &InspectPage::updateStatus);
  actions_->modes.front()->setChecked(true);
  current().begin(selection_);
  takeLive();
  onPaletteChange(*this, [this] { actions_->updateIcons(); });
}

InspectPage::~InspectPage() = default;

void InspectPage::makeLayout() {
  stack_->addWidget(empty_);
  auto* column = makeBareLayout<QVBoxLayout>(this, 0);
  column->addWidget(bar_);
  column->addWidget(makeLine(Qt::Horizontal));
  column->addWidget(stack_, 1);
  column->addWidget(bottomLine_);
  column->addWidget(&images_->picker());
  for (InspectMode* mode : modes_) {
    const InspectMode::Parts parts = mode->parts();
    if (stack_->indexOf(parts.view) < 0) stack_->addWidget(parts.view);
    if (parts.controls) bar_->addControls(*parts.controls);
    if (parts.bottom) column->addWidget(parts.bottom);
  }
}

void InspectPage::connectParts() {
  connect(&chooser_, &SourceChooser::sourceChanged, this, &InspectPage::takeSource);
  connect(&chooser_, &SourceChooser::refused, this, &InspectPage::refuseRun);
  connect(&chooser_, &SourceChooser::returned, this, &InspectPage::withdrawn);
  connect(&chooser_, &SourceChooser::leftTraining, this, &InspectPage::showReason);
  connect(empty_, &EmptyState::firstClicked, this, &InspectPage::trainRequested);
  connect(empty_, &EmptyState::secondClicked, this, &InspectPage::runsRequested);
  connect(deck_, &PanelDeck::retryRequested, this, &InspectPage::showSelection);
  connect(deck_, &PanelDeck::otherRunRequested, this, &InspectPage::runsRequested);
  connect(deck_, &PanelDeck::predictionsRequested, images_, &ImageChoice::predict);
  connect(&deck_->layers(), &LayerList::layerChosen, this, [this](const std::string& name) {
    selection_.chooseLayer(name);
    showSelection();
  });
  connect(&deck_->image(), &ImagePanel::queryChosen, this, [this](int row, int column) {
    if (current().hasFreeQuery()) selection_.chooseQuery({row, column});
    showSelection();
  });
  connect(textMode_, &TextMode::otherRunRequested, this, &InspectPage::runsRequested);
  connect(generateMode_,
          &GenerateMode::lookRequested,
          this,
          [this](const std::vector<std::int64_t>& tokens) {
            setMode(InspectModeKind::text);
            textMode_->choosePrediction(tokens);
          });
  connect(images_, &ImageChoice::chosen, this, &InspectPage::showSelection);
  connect(images_, &ImageChoice::told, this, &InspectPage::told);
  connect(images_, &ImageChoice::noted, this, &InspectPage::noted);
  connect(images_, &ImageChoice::withdrawn, this, &InspectPage::withdrawn);
  for (InspectMode* mode : modes_) {
    connect(mode, &InspectMode::changed, this, &InspectPage::updateStatus);
    connect(mode, &InspectMode::busyChanged, bar_, &InspectBar::setBusy);
    connect(mode, &InspectMode::told, this, &InspectPage::told);
  }
  connect(&training_, &TrainingSession::started, this, [this] {
    takeLive();
    // Who comes to the page while a network trains sees that one first.
    if (!isVisible()) chooser_.showLive();
  });
  connect(&training_, &TrainingSession::stateChanged, this, &InspectPage::takeLive);
  connect(&training_, &TrainingSession::ended, this, &InspectPage::takeLive);
}

void InspectPage::connectActions() {
  const InspectActions& a = *actions_;
  connect(a.showLive, &QAction::triggered, this, &InspectPage::showLive);
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    connect(a.modes[i], &QAction::triggered, this, [this, i] {
      setMode(static_cast<InspectModeKind>(i));
    });
  }
  connect(a.play, &QAction::triggered, epochsMode_, &EpochsMode::togglePlaying);
  const auto stepLayer = [this](int by) {
    (takesTokens() ? textMode_->deck().layers() : deck_->layers()).step(by);
  };
  connect(a.previousLayer, &QAction::triggered, this, [stepLayer] { stepLayer(-1); });
  connect(a.nextLayer, &QAction::triggered, this, [stepLayer] { stepLayer(1); });
  const auto step = [this](int by) {
    takesTokens() ? textMode_->picker().step(by) : images_->picker().step(by);
  };
  connect(a.previousImage, &QAction::triggered, this, [step] { step(-1); });
  connect(a.nextImage, &QAction::triggered, this, [step] { step(1); });
  connect(a.randomImage, &QAction::triggered, this, [this] {
    takesTokens() ? textMode_->picker().chooseRandom() : images_->picker().chooseRandom();
  });
  connect(a.wrongImages, &QAction::triggered, this, [this] {
    images_->picker().chooseFilter(PredictionFilter::wrong);
  });
  connect(a.ownPicture, &QAction::triggered, this, [this] {
    askForPicture(*this, [this](const QString& path) { openPicture(path); });
  });
}

QList<QAction*> InspectPage::pageActions() const {
  const InspectActions& a = *actions_;
  QList<QAction*> all{a.showLive, nullptr};
  for (QAction* mode : a.modes) all << mode;
  all << a.play << nullptr << a.previousLayer << a.nextLayer << nullptr;
  all << deck_->panelActions() << nullptr;
  all << a.previousImage << a.nextImage << a.randomImage << a.wrongImages << a.ownPicture;
  all << nullptr << textMode_->deck().panelActions();
  return all;
}

const InspectionSource& InspectPage::source() const {
  return chooser_.source();
}

void InspectPage::setRuns(const std::vector<RunSummary>& runs) {
  chooser_.setRuns(runs);
  std::vector<RunSummary> ofImages;
  std::ranges::remove_copy_if(runs, std::back_inserter(ofImages), [](const RunSummary& run) {
    return lambda::takesTokens(run.record);
  });
  compareMode_->setRuns(ofImages);
  for (InspectMode* mode : modes_) mode->setSource(source());
  if (!takesTokens()) images_->updateRecord(source());
  if (isVisible() && source().kind == SourceKind::none) chooser_.showNewest();
  updateState();
}

void InspectPage::setCheckedRuns(const std::vector<std::filesystem::path>& runs) {
  compareMode_->setCheckedRuns(runs);
}

void InspectPage::showRun(const std::filesystem::path& path) {
  chooser_.showRun(path);
  if (mode_ == InspectModeKind::compare) setMode(InspectModeKind::image);
}

void InspectPage::refuseRun(const QString& reason) {
  Q_EMIT told(reason, true);
  if (source().kind == SourceKind::none) showReason(reason);
}

/// Shows on the page why there is nothing else to show.
void InspectPage::showReason(const QString& reason) {
  deck_->showFailure(reason);
  updateState();
}

void InspectPage::showImage(const std::filesystem::path& path, Split split, int image) {
  chooser_.showRun(path, [this, split, image] {
    images_->chooseSplit(split);
    images_->chooseImage(image);
  });
  if (mode_ == InspectModeKind::compare) setMode(InspectModeKind::image);
}

void InspectPage::showLive() {
  if (!chooser_.showLive()) {
    Q_EMIT noted(u"No training is under way. Start one, then inspect it here."_s);
  } else if (mode_ == InspectModeKind::compare) {
    setMode(InspectModeKind::image);
  }
}

void InspectPage::takeLive() {
  std::optional<InspectionSource> live;
  const TrainingStatus& status = training_.status();
  if (training_.isBusy() && !training_.isWatching() && !status.run.empty()) {
    live = InspectionSource{.kind = SourceKind::live,
                            .run = status.run,
                            .record = status.record,
                            .label = u"Live: %1"_s.arg(shownName(status.record, status.run))};
  }
  actions_->showLive->setEnabled(live.has_value());
  chooser_.setLive(live);
  compareMode_->setLive(live && !lambda::takesTokens(live->record) ? live : std::nullopt);
  if (isVisible() && source().kind == SourceKind::none) chooser_.showNewest();
  updateState();
}

bool InspectPage::takesTokens() const {
  return source().kind != SourceKind::none && lambda::takesTokens(source().record);
}

void InspectPage::takeSource(const InspectionSource& source) {
  if (!takesTokens()) images_->setSource(source);
  selection_.setLayers(inspectableLayers(source.record.config.architecture));
  deck_->setLayers(selection_.layers(), QString::fromStdString(source.record.pattern));
  const InspectableLayer* layer = selection_.layer();
  deck_->layers().setCurrentLayer(layer ? layer->name : std::string());
  for (InspectMode* mode : modes_) mode->setSource(source);
  if (takesTokens()) {
    if (!isOfTokens(mode_)) setMode(InspectModeKind::text);
  } else if (!layer || isOfTokens(mode_)) {
    setMode(InspectModeKind::image);
  }
  updateState();
  showSelection();
}

void InspectPage::openPicture(const QString& path) {
  images_->openPicture(path);
}

void InspectPage::showSelection() {
  const bool isReady = takesTokens() || images_->isReady();
  if (source().kind != SourceKind::none && isReady) current().show(selection_);
}

void InspectPage::setMode(InspectModeKind mode) {
  if (mode == mode_) return;
  current().setInView(false);
  current().end();
  mode_ = mode;
  actions_->modes[static_cast<std::size_t>(mode)]->setChecked(true);
  updateState();
  current().begin(selection_);
  current().setInView(isVisible());
  showSelection();
}

void InspectPage::updateState() {
  const bool hasSource = source().kind != SourceKind::none;
  if (!hasSource) {
    if (chooser_.isEmpty()) {
      empty_->setTexts(u"Nothing to inspect yet"_s,
                       u"Train a network with a lambda layer, a minute is enough, or open a run "
                       "that somebody else has trained."_s);
    } else {
      empty_->setTexts(u"Choose a run at the top"_s,
                       u"Or train a network and inspect it while it learns."_s);
    }
    empty_->setButtons(u"Train one"_s, u"Open a run"_s);
  }
  const InspectMode::Parts shown = hasSource ? current().parts() : InspectMode::Parts();
  QWidget* without = deck_->showsFailure() ? static_cast<QWidget*>(deck_) : empty_;
  stack_->setCurrentWidget(hasSource ? shown.view : without);
  bar_->showControls(shown.controls);
  for (InspectMode* mode : modes_) {
    if (QWidget* bottom = mode->parts().bottom) bottom->setVisible(bottom == shown.bottom);
  }
  images_->picker().setVisible(hasSource && !shown.bottom);
  bottomLine_->setVisible(hasSource);
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    QAction* mode = actions_->modes[i];
    const bool isForTokens = isOfTokens(static_cast<InspectModeKind>(i));
    mode->setVisible(isForTokens == takesTokens());
    mode->setEnabled(hasSource && (isForTokens || !selection_.layers().empty()));
  }
  enableActions();
  updateStatus();
}

/// Enables what makes sense for images, or for texts.
void InspectPage::enableActions() {
  const InspectActions& a = *actions_;
  QList<QAction*> ofImages = deck_->panelActions();
  ofImages << a.play << a.wrongImages << a.ownPicture;
  for (QAction* action : ofImages) {
    if (action) action->setEnabled(!takesTokens());
  }
  for (QAction* action : textMode_->deck().panelActions()) action->setEnabled(takesTokens());
  actions_->nameFor(takesTokens());
  setEntry(takesTokens() ? static_cast<QWidget*>(&textMode_->deck().text().text())
                         : &deck_->image().image());
}

void InspectPage::updateStatus() {
  const SourceKind kind = source().kind;
  bar_->setStatus(kind == SourceKind::none ? QString() : current().status(),
                  kind == SourceKind::live && mode_ == InspectModeKind::image);
}

void InspectPage::saveLayout(QSettings& settings) const {
  deck_->saveLayout(settings);
  settings.beginGroup(u"text"_s);
  textMode_->deck().saveLayout(settings);
  settings.endGroup();
}

void InspectPage::restoreLayout(QSettings& settings) {
  deck_->restoreLayout(settings);
  settings.beginGroup(u"text"_s);
  textMode_->deck().restoreLayout(settings);
  settings.endGroup();
}

void InspectPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  if (source().kind == SourceKind::none && mode_ == InspectModeKind::image) chooser_.showNewest();
  current().setInView(true);
  statusTimer_.start();
}

void InspectPage::hideEvent(QHideEvent* event) {
  current().setInView(false);
  statusTimer_.stop();
  Page::hideEvent(event);
}

void InspectPage::dragEnterEvent(QDragEnterEvent* event) {
  // The window handles other files.
  if (!takesTokens() && !pictureIn(*event->mimeData()).isEmpty()) {
    event->acceptProposedAction();
  } else {
    event->ignore();
  }
}

void InspectPage::dropEvent(QDropEvent* event) {
  const QString path = pictureIn(*event->mimeData());
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  openPicture(path);
}

}  // namespace lambda
