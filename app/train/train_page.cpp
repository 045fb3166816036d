#include "app/train/train_page.h"

#include <algorithm>

#include <QAction>
#include <QDragEnterEvent>
#include <QFile>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QVBoxLayout>

#include "app/session/data_location.h"
#include "app/session/documents/project_document.h"
#include "app/session/runs/run_content.h"
#include "app/session/training/training_queue.h"
#include "app/session/training/training_session.h"
#include "app/train/data/data_panel.h"
#include "app/train/live/live_panel.h"
#include "app/train/queue/queue_panel.h"
#include "app/train/run/curves_panel.h"
#include "app/train/run/result_banner.h"
#include "app/train/run/run_view.h"
#include "app/train/run/transport_bar.h"
#include "app/train/setup/setup_view.h"
#include "app/train/training_text.h"
#include "engine/values/config/validate.h"
#include "widgets/plots/curves/curve_toolbar.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr char kGroup[] = "train";

std::filesystem::path droppedPath(const QMimeData& data) {
  const QList<QUrl> urls = data.urls();
  if (urls.size() != 1 || !urls.front().isLocalFile()) return {};
  return {QFile::encodeName(urls.front().toLocalFile()).toStdString()};
}

}  // namespace

TrainPage::TrainPage(ProjectDocument& document, TrainingSession& session, QWidget* parent)
    : Page(parent),
      document_(document),
      session_(session),
      undo_(document.undoStack().createUndoAction(this, u"Undo"_s)),
      redo_(document.undoStack().createRedoAction(this, u"Redo"_s)),
      queue_(new TrainingQueue(session, this)),
      transport_(new TransportBar(session, this)),
      banner_(new ResultBanner(this)),
      views_(new QStackedWidget(this)),
      setup_(new SetupView(document, this)),
      run_(new RunView(session, this)) {
  views_->addWidget(setup_);
  views_->addWidget(run_);
  auto* bannerHolder = new QVBoxLayout;
  bannerHolder->setContentsMargins(spacing::kMargin, 0, spacing::kMargin, spacing::kGap);
  bannerHolder->setSpacing(spacing::kGap);
  bannerHolder->addWidget(banner_);
  bannerHolder->addWidget(new QueuePanel(*queue_, this));
  auto* column = makeBareLayout<QVBoxLayout>(this, 0);
  column->addWidget(transport_);
  column->addLayout(bannerHolder);
  column->addWidget(views_, 1);
  setAcceptDrops(true);
  for (QAction* action : pageActions()) {
    if (action && !actions().contains(action)) addAction(action);
  }
  connectSession();
  connectBanner();
  connect(transport_, &TransportBar::startRequested, this, &TrainPage::start);
  connect(transport_, &TransportBar::startElsewhereRequested, this, &TrainPage::startElsewhere);
  connect(transport_->settingsAction(), &QAction::triggered, this, &TrainPage::showSetup);
  connect(setup_, &SetupView::designRequested, this, &TrainPage::designRequested);
  connect(setup_, &SetupView::varyRequested, this, &TrainPage::varyRequested);
  connect(setup_, &SetupView::weightsOutcomeRequested, this, &TrainPage::weightsOutcomeRequested);
  connect(&run_->panel<LivePanel>(), &LivePanel::endRequested, this, &TrainPage::endRequested);
  connect(setup_, &SetupView::queueRequested, this, &TrainPage::queue);
  connect(setup_, &SetupView::problemsChanged, this, &TrainPage::showErrors);
  connect(&document_, &ProjectDocument::titleChanged, this, &TrainPage::showErrors);
  connect(&document_, &ProjectDocument::changed, this, &TrainPage::showErrors);
  connect(&run_->curves().plot(),
          &CurvePlot::spaceTapped,
          transport_->pauseAction(),
          &QAction::trigger);
  showErrors();
  showSetup(!session_.isBusy());
}

TrainPage::~TrainPage() = default;

void TrainPage::showEnd(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  run_->panel<LivePanel>().showEnd(snapshot);
}

void TrainPage::connectSession() {
  connect(&session_, &TrainingSession::stateChanged, this, [this](SessionState state) {
    if (state == SessionState::idle) setup_->showDocument();
    if (state != SessionState::starting) return;
    setup_->showRun(setup_->runConfig());
    banner_->clear();
    // Who prepares the next run is not interrupted by one that begins by itself.
    if (queue_->isStarting() && setup_->isPreparing()) return;
    setup_->endPreparing();
    showSetup(false);
  });
  connect(&session_, &TrainingSession::started, this, [this] { showRunSettings(); });
  connect(&session_, &TrainingSession::settingsChanged, this, &TrainPage::showRunSettings);
  connect(setup_, &SetupView::changeRequested, this, [this](const ChangeRequest& request) {
    changeRequest_ = session_.requestChange(request);
  });
  connect(&session_, &TrainingSession::changeGranted, this, [this](quint64 request) {
    if (request == changeRequest_) setup_->showChangeAnswer({});
  });
  connect(&session_,
          &TrainingSession::changeRefused,
          this,
          [this](quint64 request, const QString& reason) {
            if (request == changeRequest_) setup_->showChangeAnswer(reason);
          });
  connect(&session_, &TrainingSession::statusChanged, this, [this] {
    const TrainingStatus& status = session_.status();
    if (!session_.isBusy() || !setup_->isVisible() || status.record.batchesPerEpoch <= 0) return;
    setup_->setPosition(static_cast<double>(status.step) / status.record.batchesPerEpoch,
                        status.epoch);
  });
  connect(&session_, &TrainingSession::ended, this, [this](const RunResult& result) {
    banner_->showResult(
        result, session_.status().record.config.recipe.epochs, bestLossInWords(result));
  });
  connect(&session_, &TrainingSession::startRefused, this, [this](const QString& reason) {
    banner_->showRefusal({reason});
    if (!session_.isBusy()) showSetup(true);
  });
}

/// The validation loss of the best epoch, where it has other words.
QString TrainPage::bestLossInWords(const RunResult& result) const {
  const auto inWords = lossInWords(session_.status().record.config);
  for (const EpochRecord& epoch : session_.metrics().epochs) {
    const bool isBest = epoch.validation && epoch.validation->score == result.bestValidationScore;
    if (inWords && isBest) return inWords(epoch.validation->loss);
  }
  return {};
}

void TrainPage::showRunSettings() {
  const TrainingStatus& status = session_.status();
  setup_->showRun(status.record.config, status.record.changes, status.record.batchesPerEpoch);
}

void TrainPage::connectBanner() {
  connect(banner_, &ResultBanner::inspectRequested, this, &TrainPage::inspectRequested);
  connect(banner_, &ResultBanner::runsRequested, this, &TrainPage::runsRequested);
  connect(banner_, &ResultBanner::resumeRequested, this, [this](const std::filesystem::path& run) {
    Q_EMIT resumeRequested(run);
  });
  connect(banner_, &ResultBanner::halveRequested, this, &TrainPage::continueWithHalfRate);
  connect(banner_, &ResultBanner::trainAgainRequested, this, [this] {
    banner_->clear();
    showSetup(true);
  });
}

void TrainPage::setRunsFolder(const std::filesystem::path& folder) {
  runsFolder_ = folder;
  queue_->setRunsFolder(folder);
}

void TrainPage::setQueueFile(const std::filesystem::path& file) {
  queue_->setFile(file);
}

void TrainPage::setDataFolder(const std::filesystem::path& folder) {
  setup_->data().setDataFolder(folder);
}

void TrainPage::setWeightsOutcome(const WeightTransfer& outcome) {
  setup_->setWeightsOutcome(outcome);
}

void TrainPage::setWeightsFailure(const QString& reason) {
  setup_->setWeightsFailure(reason);
}

void TrainPage::setDevice(const QString& sentence, const Machine& machine) {
  setup_->setDevice(sentence, machine);
}

void TrainPage::showErrors() {
  QStringList errors;
  for (const Problem& problem : setup_->problems()) {
    if (problem.severity == Severity::error) errors << problemText(problem);
  }
  // The errors that prevented a start are fixed.
  const bool isRefused = banner_->kind() == ResultBanner::Kind::refused;
  if (hadErrors_ && errors.isEmpty() && isRefused) banner_->clear();
  hadErrors_ = !errors.isEmpty();
  transport_->setErrors(errors);
  transport_->setDocument(document_.title(), document_.runConfig());
}

void TrainPage::start() {
  if (session_.isBusy() || refuseErrors()) return;
  session_.start(setup_->runConfig(), runsFolder_);
}

void TrainPage::setPlaces(const QStringList& places) {
  transport_->setPlaces(places);
}

void TrainPage::showRefusal(const QString& reason) {
  showSetup(true);
  banner_->showRefusal({reason});
}

/// The data are those of the other machine, which says whether they are there.
void TrainPage::startElsewhere(int place) {
  const RunConfig config = document_.runConfig();
  QStringList texts;
  for (const Problem& problem : validate(config)) {
    if (problem.severity == Severity::error) texts << problemText(problem);
  }
  if (texts.isEmpty()) {
    banner_->clear();
    Q_EMIT startElsewhereRequested(place, config);
  } else {
    showSetup(true);
    banner_->showRefusal(texts);
  }
}

void TrainPage::queue() {
  if (refuseErrors()) return;
  banner_->clear();
  const QString obstacle = queue_->add(setup_->runConfig());
  if (!obstacle.isEmpty()) banner_->showRefusal({obstacle}, u"Could not queue the run"_s);
}

void TrainPage::queueRuns(const std::vector<RunConfig>& configs) {
  tasks_.run(
      [configs, folder = standardDataFolder()] {
        std::vector<RunConfig> located = configs;
        for (RunConfig& config : located) {
          config.data.source = locatedSource(config.data.source, folder);
        }
        return located;
      },
      [this](const std::vector<RunConfig>& located) {
        for (const RunConfig& config : located) {
          const QString obstacle = queue_->add(config);
          if (obstacle.isEmpty()) continue;
          banner_->showRefusal({obstacle}, u"Could not queue the run"_s);
          return;
        }
      });
}

bool TrainPage::refuseErrors() {
  const std::vector<Problem> problems = setup_->problems();
  const auto first = std::ranges::find(problems, Severity::error, &Problem::severity);
  if (first == problems.end()) return false;
  QStringList texts;
  for (const Problem& problem : problems) {
    if (problem.severity == Severity::error) texts << problemText(problem);
  }
  showSetup(true);
  banner_->showRefusal(texts);
  if (!setup_->showField(first->path) && first->path.starts_with("architecture")) {
    Q_EMIT designRequested(first->path);
  }
  return true;
}

void TrainPage::continueWithHalfRate(const std::filesystem::path& run) {
  RunConfig config = session_.status().record.config;
  config.recipe.optimizer.learningRate /= 2;
  session_.fork(lastCheckpointOf(run), config, runsFolder_);
}

void TrainPage::showSetup(bool shown) {
  // A page needs no height while it is hidden.
  setup_->setSizePolicy(QSizePolicy::Preferred,
                        shown ? QSizePolicy::Preferred : QSizePolicy::Ignored);
  run_->setSizePolicy(QSizePolicy::Preferred,
                      shown ? QSizePolicy::Ignored : QSizePolicy::Preferred);
  views_->setCurrentWidget(shown ? static_cast<QWidget*>(setup_) : run_);
  transport_->setShowsSettings(shown);
  transport_->setStartProminent(shown);
  // A result belongs to the run, a refusal to the settings.
  const bool isResult = banner_->kind() != ResultBanner::Kind::refused;
  banner_->setVisible(!banner_->isEmpty() && shown != isResult);
  if (!shown) run_->curves().plot().setFocus();
}

QList<QAction*> TrainPage::pageActions() const {
  QList<QAction*> all = transport_->actionsInOrder();
  all << nullptr << run_->curves().toolbar().plotActions() << run_->curves().referenceAction();
  return all;
}

bool TrainPage::showsDocument() const {
  return !session_.isBusy() || setup_->isPreparing();
}

QAction* TrainPage::undoAction() const {
  return showsDocument() ? undo_ : nullptr;
}

QAction* TrainPage::redoAction() const {
  return showsDocument() ? redo_ : nullptr;
}

void TrainPage::saveLayout(QSettings& settings) const {
  settings.beginGroup(QString::fromLatin1(kGroup));
  settings.setValue(u"allSettings"_s, setup_->allShown());
  run_->saveLayout(settings);
  settings.endGroup();
}

void TrainPage::restoreLayout(QSettings& settings) {
  settings.beginGroup(QString::fromLatin1(kGroup));
  setup_->setAllShown(settings.value(u"allSettings"_s, false).toBool());
  run_->restoreLayout(settings);
  settings.endGroup();
}

void TrainPage::dragEnterEvent(QDragEnterEvent* event) {
  const std::filesystem::path path = droppedPath(*event->mimeData());
  if (!session_.isBusy() && !path.empty() && looksLikeData(path)) event->acceptProposedAction();
}

void TrainPage::dropEvent(QDropEvent* event) {
  const std::filesystem::path path = droppedPath(*event->mimeData());
  if (!path.empty() && offerData(path)) event->acceptProposedAction();
}

bool TrainPage::offerData(const std::filesystem::path& path) {
  if (session_.isBusy() || !setup_->data().offer(path)) return false;
  showSetup(true);
  return true;
}

bool TrainPage::offerWeights(const std::filesystem::path& file) {
  if (session_.isBusy()) return false;
  setup_->chooseWeights(file);
  showSetup(true);
  return true;
}

}  // namespace lambda
