#include "app/studio/workspaces.h"

#include <chrono>
#include <utility>

#include <QCoreApplication>
#include <QFile>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>

#include "app/design/design_page.h"
#include "app/experiments/experiments_page.h"
#include "app/inspect/inspect_page.h"
#include "app/remote/remote_dialog.h"
#include "app/remote/remote_runs.h"
#include "app/report/report_writer.h"
#include "app/runs/run_library.h"
#include "app/runs/runs_page.h"
#include "app/session/data_location.h"
#include "app/session/documents/document_actions.h"
#include "app/session/documents/export_session.h"
#include "app/session/documents/project_document.h"
#include "app/session/inspection/checkpoint_service.h"
#include "app/session/machine_service.h"
#include "app/session/runs/run_content.h"
#include "app/session/training/training_session.h"
#include "app/studio/welcome/welcome_page.h"
#include "app/train/train_page.h"
#include "engine/formats/json/presets.h"
#include "engine/runs/requests/run_requests.h"
#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"
#include "widgets/theme/fitted_area.h"
#include "widgets/work/work.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr const char* kQuickstart = "quickstart";

/// Delay for loading LibTorch where the Train workspace is the first visible one: libraries are
/// loaded one after the other, and those of the window come first.
constexpr std::chrono::milliseconds kAfterFirstPaint{500};

/// The command line program, which is installed beside this one.
std::filesystem::path commandLineProgram() {
  return toPath(QCoreApplication::applicationDirPath()) / "lambda";
}

std::filesystem::path queueFile() {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  return QFile::encodeName(folder + u"/queue.json"_s).toStdString();
}

QString recoveryFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + u"/recovery"_s;
}

}  // namespace

Workspaces::Workspaces(EngineHandle engine, QWidget* parent)
    : QStackedWidget(parent),
      engine_(std::move(engine)),
      document_(new ProjectDocument(this)),
      documentActions_(new DocumentActions(*document_, recoveryFolder(), *this)),
      library_(new RunLibrary(this)),
      remote_(new RemoteRuns(followCommand, this)),
      training_(new TrainingSession(engine_, this)),
      lanes_(std::make_unique<EngineLanes>(engine_)),
      machine_(std::make_unique<MachineService>(*lanes_)),
      checkpoints_(std::make_unique<CheckpointService>(*lanes_)),
      welcomePage_(new WelcomePage),
      designPage_(new DesignPage(*document_, *machine_, *documentActions_)),
      trainPage_(new TrainPage(*document_, *training_)),
      inspectPage_(new InspectPage(*training_, *checkpoints_)),
      runsPage_(
          new RunsPage(*library_, *training_, *checkpoints_, *new ExportSession(engine_, this))),
      experimentsPage_(new ExperimentsPage(commandLineProgram())),
      pages_{welcomePage_, designPage_, trainPage_, inspectPage_, runsPage_, experimentsPage_},
      reports_(new ReportWriter(*this)) {
  addPages();
  try {
    std::vector<Problem> warnings;
    document_->startFrom(withRunDefaults(loadPreset(kQuickstart, warnings)));
  } catch (const Error& error) {
    // The window opens nevertheless, with an empty network.
    QMetaObject::invokeMethod(
        this,
        [this, reason = QString::fromStdString(error.what())] { Q_EMIT failed(reason); },
        Qt::QueuedConnection);
  }
  trainPage_->setQueueFile(queueFile());
  connectWelcomePage();
  connectDesignPage();
  connectTrainPage();
  connectInspectPage();
  connectExperimentsPage();
  connectRunsPage();
  connectRemote();
  connectReports();
  connect(
      this, &QStackedWidget::currentChanged, this, [this] { Q_EMIT workspaceChanged(current()); });
}

Workspaces::~Workspaces() {
  // Changes of a stack that has lost pages are not reported.
  blockSignals(true);
  // The pages use the sessions until they are destroyed; the sessions' threads end before the
  // document and the library.
  for (QWidget*& page : pages_) delete std::exchange(page, nullptr);
  checkpoints_.reset();
  lanes_.reset();
  delete training_;
  // Its actions would report to the window that the document's undo steps are destroyed.
  delete documentActions_;
}

void Workspaces::addPages() {
  for (QWidget* page : pages_) {
    addWidget(new FittedArea(*page, true, this));
  }
}

void Workspaces::goTo(Workspace workspace) {
  setCurrentIndex(static_cast<int>(workspace));
  pages_[static_cast<std::size_t>(workspace)]->setFocus();
  if (workspace == Workspace::train) {
    QTimer::singleShot(isVisible() ? std::chrono::milliseconds(0) : kAfterFirstPaint,
                       this,
                       &Workspaces::askForDevice);
  }
}

Page* Workspaces::page(Workspace workspace) const {
  return qobject_cast<Page*>(pages_[static_cast<std::size_t>(workspace)]);
}

QString Workspaces::titleOf(Workspace workspace) {
  return QString::fromLatin1(kWorkspaces[static_cast<std::size_t>(workspace)].title);
}

void Workspaces::connectWelcomePage() {
  connect(welcomePage_, &WelcomePage::quickstartRequested, this, &Workspaces::trainQuickstart);
  connect(welcomePage_, &WelcomePage::watchRequested, this, [this] { goTo(Workspace::train); });
  connect(welcomePage_, &WelcomePage::designRequested, this, [this] { goTo(Workspace::design); });
  connect(welcomePage_, &WelcomePage::inspectLiveRequested, this, [this] {
    inspectPage_->showLive();
    goTo(Workspace::inspect);
  });
  connect(welcomePage_, &WelcomePage::inspectRequested, this, &Workspaces::openRun);
  connect(welcomePage_, &WelcomePage::fileRequested, this, [this](const QString& path) {
    Q_EMIT documentActions_->openRequested(path);
  });
  connect(welcomePage_, &WelcomePage::openRequested, this, [this] {
    documentActions_->openAction()->trigger();
  });
  connect(documentActions_,
          &DocumentActions::recentFilesChanged,
          welcomePage_,
          &WelcomePage::setRecentFiles);
  welcomePage_->setRecentFiles(documentActions_->recentFiles());
  connect(documentActions_, &DocumentActions::opened, this, [this] { goTo(Workspace::design); });
  connect(documentActions_, &DocumentActions::failed, this, &Workspaces::failed);
  connect(training_, &TrainingSession::stateChanged, welcomePage_, [this] {
    welcomePage_->setTraining(training_->isBusy());
    experimentsPage_->setTraining(training_->isBusy());
  });
}

void Workspaces::connectDesignPage() {
  connect(designPage_, &DesignPage::trainRequested, this, [this] { goTo(Workspace::train); });
  connect(designPage_, &DesignPage::variantRequested, this, &Workspaces::openVariant);
  connect(designPage_, &DesignPage::variantsQueued, this, &Workspaces::queueVariants);
  connect(designPage_, &DesignPage::varyRequested, this, &Workspaces::vary);
}

void Workspaces::connectTrainPage() {
  connect(trainPage_, &TrainPage::inspectRequested, this, &Workspaces::openRun);
  connect(trainPage_, &TrainPage::runsRequested, this, [this](const std::filesystem::path& run) {
    runsPage_->selectRun(run);
    goTo(Workspace::runs);
  });
  connect(trainPage_,
          &TrainPage::weightsOutcomeRequested,
          this,
          [this](const RunConfig& config, const std::vector<std::string>& classNames) {
            weights_.followNewest(
                machine_->previewStart(config, classNames),
                [this](const WeightTransfer& outcome) { trainPage_->setWeightsOutcome(outcome); },
                [this](const QString& reason) { trainPage_->setWeightsFailure(reason); });
          });
  connect(trainPage_, &TrainPage::endRequested, this, [this](const InspectionRequest& request) {
    end_.followNewest(checkpoints_->inspect(lastCheckpointOf(training_->status().run), request),
                      [this](const SnapshotPointer& snapshot) { trainPage_->showEnd(snapshot); });
  });
  connect(trainPage_, &TrainPage::designRequested, this, [this](const std::string& path) {
    designPage_->showProblem(path);
    goTo(Workspace::design);
  });
  connect(document_, &ProjectDocument::changed, this, [this] {
    if (askedDevice_) askForDevice();
  });
  connect(trainPage_, &TrainPage::varyRequested, this, &Workspaces::vary);
}

void Workspaces::connectInspectPage() {
  connect(inspectPage_, &InspectPage::trainRequested, this, [this] { goTo(Workspace::train); });
  connect(inspectPage_, &InspectPage::told, this, [this](const QString& text, bool isProblem) {
    Q_EMIT toldOnPage(
        inspectPage_, isProblem ? NoticeBar::Kind::failure : NoticeBar::Kind::good, text);
  });
  connect(inspectPage_, &InspectPage::noted, this, [this](const QString& text) {
    Q_EMIT toldOnPage(inspectPage_, NoticeBar::Kind::information, text);
  });
  connect(inspectPage_, &InspectPage::withdrawn, this, &Workspaces::withdrawn);
  connect(inspectPage_, &InspectPage::runsRequested, this, [this] { goTo(Workspace::runs); });
}

void Workspaces::connectExperimentsPage() {
  connect(experimentsPage_, &ExperimentsPage::inspectRequested, this, &Workspaces::openRun);
  connect(experimentsPage_,
          &ExperimentsPage::runsRequested,
          this,
          [this](const std::vector<std::filesystem::path>& runs) {
            for (const std::filesystem::path& run : runs) library_->addRun(run);
            goTo(Workspace::runs);
          });
  connect(library_, &RunLibrary::changed, this, &Workspaces::updateRuns);
  connect(library_, &RunLibrary::runChanged, this, &Workspaces::updateRuns);
  updateRuns();
}

void Workspaces::connectRunsPage() {
  connect(runsPage_, &RunsPage::trainRequested, this, [this] { goTo(Workspace::train); });
  connect(runsPage_, &RunsPage::inspectRequested, this, &Workspaces::openRun);
  connect(runsPage_, &RunsPage::checkedRunsChanged, inspectPage_, &InspectPage::setCheckedRuns);
  connect(runsPage_,
          &RunsPage::inspectImageRequested,
          this,
          [this](const std::filesystem::path& run, Split split, int image) {
            goTo(Workspace::inspect);
            withFiles(run,
                      [this, run, split, image] { inspectPage_->showImage(run, split, image); });
          });
  connect(runsPage_, &RunsPage::resumeRequested, this, [this](const std::filesystem::path& run) {
    resumeRun(run, std::nullopt);
  });
  connect(runsPage_,
          &RunsPage::continueRequested,
          this,
          [this](const std::filesystem::path& run, int epochs) { resumeRun(run, epochs); });
  connect(runsPage_,
          &RunsPage::forkRequested,
          this,
          [this](const std::filesystem::path& checkpoint, const RunConfig& config) {
            training_->fork(checkpoint, config, library_->folder());
            goTo(Workspace::train);
          });
  connect(runsPage_, &RunsPage::variantRequested, this, &Workspaces::openVariant);
  connect(runsPage_, &RunsPage::variantsQueued, this, &Workspaces::queueVariants);
  connect(runsPage_, &RunsPage::designRequested, this, [this](const RunConfig& config) {
    documentActions_->startFrom(config, [this] { goTo(Workspace::design); });
  });
}

void Workspaces::connectRemote() {
  connect(trainPage_, &TrainPage::resumeRequested, this, [this](const std::filesystem::path& run) {
    resumeRun(run, std::nullopt);
  });
  connect(remote_, &RemoteRuns::leaving, this, [this](const std::filesystem::path& copies) {
    const std::filesystem::path run = training_->status().run.lexically_relative(copies);
    if (!run.empty() && *run.begin() != "..") training_->leave();
  });
  connect(remote_, &RemoteRuns::runChanged, this, [this](const std::filesystem::path& run) {
    if (!training_->isWatching() || training_->status().run != run) return;
    remote_->fetch(
        run, RemoteFiles::inspections, [](const std::filesystem::path&, const QString&) {});
  });
  connect(runsPage_, &RunsPage::watchRequested, this, &Workspaces::watchRun);
  connect(runsPage_, &RunsPage::remoteRequested, this, &Workspaces::showRemote);
  connect(remote_, &RemoteRuns::changed, this, [this] {
    QStringList names;
    for (const RemotePlace& place : remote_->places()) names << nameOf(place);
    trainPage_->setPlaces(names);
  });
  connect(trainPage_,
          &TrainPage::startElsewhereRequested,
          this,
          [this](int index, const RunConfig& config) {
            const RemotePlace place = remote_->places()[static_cast<std::size_t>(index)];
            const QString text = u"Starting the training on %1 …"_s.arg(nameOf(place));
            Q_EMIT toldOnPage(trainPage_, NoticeBar::Kind::information, text);
            remote_->start(place,
                           config,
                           [this, text](const std::filesystem::path& run, const QString& refusal) {
                             Q_EMIT withdrawn(text);
                             if (refusal.isEmpty()) {
                               watchRun(run);
                             } else {
                               trainPage_->showRefusal(refusal);
                             }
                           });
          });
}

void Workspaces::connectReports() {
  connect(runsPage_, &RunsPage::reportRequested, reports_, &ReportWriter::ask);
  connect(experimentsPage_,
          &ExperimentsPage::reportRequested,
          reports_,
          [this](const std::filesystem::path& experiment) { reports_->ask({experiment}); });
  connect(reports_, &ReportWriter::written, this, &Workspaces::reportWritten);
  connect(reports_, &ReportWriter::failed, this, &Workspaces::failed);
}

void Workspaces::showRemote() {
  if (!remoteDialog_) remoteDialog_ = new RemoteDialog(*remote_, this);
  remoteDialog_->show();
  remoteDialog_->raise();
  remoteDialog_->activateWindow();
}

/// Follows in Train a run that another process trains, here or on another machine.
void Workspaces::watchRun(const std::filesystem::path& run) {
  goTo(Workspace::train);
  if (training_->isBusy() && training_->status().run == run) return;
  std::function<void(const RunRequest&)> ask = remote_->requestsTo(run);
  if (!ask) {
    ask = [run](const RunRequest& request) { leaveRequest(RunFolder::open(run), request); };
  }
  training_->watch(run, ask);
}

/// Calls back once the files that Inspect reads of a run are here.
void Workspaces::withFiles(const std::filesystem::path& run, const std::function<void()>& call) {
  if (!remote_->isRemote(run)) return call();
  const QString text = u"Fetching checkpoint and inspections of %1 …"_s.arg(toText(run.filename()));
  Q_EMIT toldOnPage(inspectPage_, NoticeBar::Kind::information, text);
  remote_->fetch(run,
                 RemoteFiles::toInspect,
                 [this, text, call](const std::filesystem::path&, const QString& refusal) {
                   Q_EMIT withdrawn(text);
                   if (!refusal.isEmpty()) Q_EMIT failed(refusal);
                   call();
                 });
}

void Workspaces::openVariant(const RunConfig& config) {
  documentActions_->startFrom(config, [this] { goTo(Workspace::train); });
}

void Workspaces::queueVariants(const std::vector<RunConfig>& configs) {
  trainPage_->queueRuns(configs);
  goTo(Workspace::train);
}

/// Drafts an experiment that varies this field of the network in Design.
void Workspaces::vary(const FieldRow& row) {
  experimentsPage_->vary(document_->runConfig(), row);
  goTo(Workspace::experiments);
}

// Not before the Train workspace is visible: the answer needs LibTorch.
void Workspaces::askForDevice() {
  const DeviceConfig& wanted = document_->config().device;
  if (askedDevice_ == wanted) return;
  askedDevice_ = wanted;
  device_.followNewest(
      machine_->selectDevice(wanted),
      [this](const DeviceChoice& choice) {
        trainPage_->setDevice(QString::fromStdString(choice.device.reason),
                              {choice.cores, choice.device.gpus});
      },
      [this](const QString& reason) { trainPage_->setDevice(reason, {}); });
}

void Workspaces::updateRuns() {
  welcomePage_->setRuns(library_->runs());
  inspectPage_->setRuns(library_->runs());
  trainPage_->setRunsFolder(library_->folder());
  remote_->setLibrary(library_->folder());
  // Other changes of the library must not close an experiment in another folder.
  const std::filesystem::path experiments = library_->folder().parent_path() / "experiments";
  if (std::exchange(experimentsFolder_, experiments) == experiments) return;
  experimentsPage_->setFolder(experiments);
}

void Workspaces::trainQuickstart() {
  RunConfig quickstart;
  try {
    std::vector<Problem> warnings;
    quickstart = withRunDefaults(loadPreset(kQuickstart, warnings));
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromStdString(error.what()));
    return;
  }
  documentActions_->startFrom(quickstart, [this] {
    goTo(Workspace::train);
    training_->start(document_->config(), library_->folder());
  });
}

void Workspaces::openRun(const std::filesystem::path& run) {
  goTo(Workspace::inspect);
  withFiles(run, [this, run] { inspectPage_->showRun(run); });
}

void Workspaces::openExperiment(const std::filesystem::path& folder) {
  const std::filesystem::path clean = (folder / ".").lexically_normal().parent_path();
  experimentsPage_->showExperiment(clean);
  goTo(Workspace::experiments);
}

void Workspaces::openExperimentFile(const std::filesystem::path& file) {
  experimentsPage_->showFile(file);
  goTo(Workspace::experiments);
}

bool Workspaces::chooseData(const std::filesystem::path& place) {
  if (!trainPage_->offerData(place)) return false;
  goTo(Workspace::train);
  return true;
}

bool Workspaces::chooseWeights(const std::filesystem::path& file) {
  if (!trainPage_->offerWeights(file)) return false;
  goTo(Workspace::train);
  return true;
}

void Workspaces::resumeRun(const std::filesystem::path& run, std::optional<int> epochs) {
  goTo(Workspace::train);
  if (!remote_->isRemote(run) || epochs) {
    training_->resumeRun(run, {.epochs = epochs, .device = std::nullopt});
    return;
  }
  remote_->resume(run, [this](const std::filesystem::path& resumed, const QString& refusal) {
    if (refusal.isEmpty()) {
      watchRun(resumed);
    } else {
      trainPage_->showRefusal(refusal);
    }
  });
}

void Workspaces::saveLayout(QSettings& settings) const {
  for (const WorkspaceTraits& traits : kWorkspaces) {
    const Page* shown = page(traits.workspace);
    if (!shown) continue;
    settings.beginGroup(QString::fromLatin1(traits.settings));
    shown->saveLayout(settings);
    settings.endGroup();
  }
  settings.beginGroup(u"library"_s);
  library_->saveTo(settings);
  settings.endGroup();
  settings.beginGroup(u"remote"_s);
  remote_->saveTo(settings);
  settings.endGroup();
}

void Workspaces::apply(const StudioSettings& settings) {
  setBackgroundThreads(settings.fileThreads);
  checkpoints_->setThreads(settings.inspectionThreads);
  trainPage_->setDataFolder(standardDataFolder());
}

void Workspaces::openLibrary(QSettings& settings) {
  settings.beginGroup(u"library"_s);
  library_->restoreFrom(settings);
  settings.endGroup();
  remote_->setLibrary(library_->folder());
  settings.beginGroup(u"remote"_s);
  remote_->restoreFrom(settings);
  settings.endGroup();
}

void Workspaces::restoreLayout(QSettings& settings) {
  for (const WorkspaceTraits& traits : kWorkspaces) {
    Page* shown = page(traits.workspace);
    if (!shown) continue;
    settings.beginGroup(QString::fromLatin1(traits.settings));
    shown->restoreLayout(settings);
    settings.endGroup();
  }
}

}  // namespace lambda
