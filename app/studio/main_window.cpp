#include "app/studio/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>
#include <QWindow>

#include "app/runs/run_library.h"
#include "app/session/documents/close_guard.h"
#include "app/session/documents/document_actions.h"
#include "app/session/documents/project_document.h"
#include "app/session/training/training_session.h"
#include "app/studio/commands/command_palette.h"
#include "app/studio/commands/shortcut_filter.h"
#include "app/studio/commands/shortcut_tips.h"
#include "app/studio/navigation_rail.h"
#include "app/studio/notice_bar.h"
#include "app/studio/opened_file.h"
#include "app/studio/preferences.h"
#include "app/studio/settings/preferences_window.h"
#include "app/studio/settings/shortcut_registry.h"
#include "app/studio/training_notices.h"
#include "app/studio/verification_window.h"
#include "app/train/train_status.h"
#include "engine/data/sources/foreign_data.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/question_box.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kGeometryKey = u"window/geometry"_s;
const QString kWorkspaceKey = u"window/workspace"_s;
const QString kDocumentKey = u"window/document"_s;
constexpr QSize kStandardSize{1440, 900};
constexpr QSize kLeastSize{640, 400};

}  // namespace

MainWindow::MainWindow(EngineHandle engine, Preferences& preferences, QWidget* parent)
    : QMainWindow(parent),
      preferences_(preferences),
      workspaces_(new Workspaces(std::move(engine))),
      rail_(new NavigationRail),
      notices_(new NoticeBar),
      workspaceActions_(new QActionGroup(this)),
      palette_(new CommandPalette(this)),
      registry_(new ShortcutRegistry(this)) {
  new ShortcutFilter(this);
  new ShortcutTips(this);
  setAcceptDrops(true);
  auto* ground = new QWidget;
  auto* columns = makeBareLayout<QHBoxLayout>(ground, 0);
  auto* content = new QVBoxLayout;
  content->setSpacing(0);
  content->addWidget(notices_);
  content->addWidget(workspaces_, 1);
  columns->addWidget(rail_);
  columns->addLayout(content, 1);
  setCentralWidget(ground);
  setMinimumSize(kLeastSize);
  statusBar()->addPermanentWidget(new TrainStatus(workspaces_->training()), 1);
  statusBar()->setSizeGripEnabled(false);

  makeWorkspaceActions();
  makeMenus();
  makeTour();
  connectTraining();
  workspaces_->apply(preferences_.settings());
  connect(&preferences_, &Preferences::settingsChanged, workspaces_, &Workspaces::apply);
  connect(workspaces_, &Workspaces::workspaceChanged, this, &MainWindow::onWorkspaceChanged);
  connect(workspaces_, &Workspaces::failed, this, [this](const QString& reason) {
    notices_->tell(NoticeBar::Kind::failure, reason);
  });
  connect(workspaces_,
          &Workspaces::toldOnPage,
          this,
          [this](const Page* page, NoticeBar::Kind kind, const QString& text) {
            notices_->tell(kind, text, {}, page);
          });
  connect(workspaces_, &Workspaces::reportWritten, this, [this](const QString& file) {
    notices_->tell(NoticeBar::Kind::good,
                   u"The report is in %1."_s.arg(file),
                   {{u"Open"_s, [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); }}});
  });
  connect(workspaces_, &Workspaces::withdrawn, notices_, &NoticeBar::withdraw);
  connect(&workspaces_->document(), &ProjectDocument::titleChanged, this, &MainWindow::updateTitle);
  connect(&workspaces_->document(), &ProjectDocument::changed, this, [this] {
    updateTitle();
    if (!keepsRescue_) mayDiscard_ = false;  // The decision was about other changes.
  });
  connect(
      &workspaces_->documentActions(), &DocumentActions::openRequested, this, &MainWindow::open);
  updateTitle();
  restoreLayout();
  offerRescued();
  reportIgnored();
}

MainWindow::~MainWindow() {
  // It shows the actions of the workspaces.
  delete preferencesWindow_;
  // It checks on a thread of the workspaces.
  delete verification_;
  // Its actions report changes while they are destroyed, which the window must still understand.
  delete workspaces_;
}

void MainWindow::makeWorkspaceActions() {
  for (const WorkspaceTraits& traits : kWorkspaces) {
    const Workspace workspace = traits.workspace;
    auto* action = new QAction(Workspaces::titleOf(workspace), this);
    action->setCheckable(true);
    action->setShortcut(QKeySequence(u"Ctrl+%1"_s.arg(static_cast<int>(workspace))));
    action->setData(static_cast<int>(workspace));
    connect(action, &QAction::triggered, this, [this, workspace] { workspaces_->goTo(workspace); });
    workspaceActions_->addAction(action);
    rail_->addWorkspace(action, QString::fromLatin1(traits.icon));
  }
}

void MainWindow::connectTraining() {
  TrainingSession& training = workspaces_->training();
  connect(&training, &TrainingSession::stateChanged, this, &MainWindow::updateUndo);
  // Before the guard, which closes the window when the training has ended.
  new TrainingNotices(
      *workspaces_, *notices_, preferences_, [this] { return closeGuard_->isWaiting(); }, *this);
  closeGuard_ = new CloseGuard(training, this);
  connect(closeGuard_, &CloseGuard::waiting, this, [this] {
    notices_->tell(NoticeBar::Kind::information,
                   u"The training is being saved; the window closes then."_s);
  });
  connect(closeGuard_, &CloseGuard::closable, this, &QWidget::close);
}

void MainWindow::onWorkspaceChanged(Workspace workspace) {
  workspaceActions_->actions().at(static_cast<int>(workspace))->setChecked(true);
  // At once, so that a program that was killed opens there too.
  QSettings().setValue(kWorkspaceKey, static_cast<int>(workspace));
  updateUndo();
  const Page* page = workspaces_->page(workspace);
  notices_->setPage(page);
  pageMenu_->clear();
  pageMenu_->menuAction()->setVisible(page != nullptr);
  if (!page) return;
  pageMenu_->setTitle(u"&"_s + Workspaces::titleOf(workspace));
  for (QAction* action : page->pageActions()) {
    if (action) {
      pageMenu_->addAction(action);
    } else {
      pageMenu_->addSeparator();
    }
  }
}

void MainWindow::updateTitle() {
  const ProjectDocument& document = workspaces_->document();
  setWindowTitle(document.title() + u"[*]"_s);
  setWindowModified(document.isModified());
}

void MainWindow::offerRescued() {
  DocumentActions& document = workspaces_->documentActions();
  if (!document.rescued()) return;
  const QString name = document.rescued()->path.isEmpty()
                           ? u"a network without a file"_s
                           : QFileInfo(document.rescued()->path).fileName();
  notices_->tell(NoticeBar::Kind::question,
                 u"Unsaved changes of %1 were rescued, from %2."_s.arg(
                     name, momentText(document.rescued()->when)),
                 {{u"Restore"_s,
                   [this, &document] {
                     document.restoreRescued();
                     workspaces_->goTo(Workspace::design);
                   }},
                  {u"Discard"_s, [&document] { document.discardRescued(); }}});
}

/// Says which saved preferences and shortcuts could not be used.
void MainWindow::reportIgnored() {
  QStringList lines = registry_->restore();
  if (!preferences_.ignored().isEmpty()) {
    lines.prepend(u"Some saved preferences can't be used and have their standard values: %1."_s.arg(
        preferences_.ignored().join(u", "_s)));
  }
  if (!lines.isEmpty()) notices_->tell(NoticeBar::Kind::failure, lines.join(u' '));
}

void MainWindow::openAll(const QStringList& paths) {
  for (const QString& path : paths) open(path);
}

void MainWindow::open(const QString& path) {
  const auto [kind, place] = openedFile(path);
  const auto refuse = [this](const QString& reason) {
    notices_->tell(NoticeBar::Kind::failure, reason);
  };
  switch (kind) {
    case OpenedKind::missing:
      refuse(u"Could not open %1: there is no such file. Was it moved or renamed?"_s.arg(path));
      break;
    case OpenedKind::document:
      workspaces_->documentActions().openFile(toText(place));
      break;
    case OpenedKind::experiment:
      workspaces_->openExperimentFile(place);
      break;
    case OpenedKind::experimentFolder:
      workspaces_->openExperiment(place);
      break;
    case OpenedKind::run:
      workspaces_->library().addRun(place);
      workspaces_->goTo(Workspace::runs);
      break;
    case OpenedKind::checkpoint:
      workspaces_->openRun(place);
      break;
    case OpenedKind::foreignWeights:
      if (const QString problem = weightsProblem(place); !problem.isEmpty()) {
        refuse(problem);
        break;
      }
      if (workspaces_->chooseWeights(place)) break;
      refuse(u"The weights of %1 were not chosen: a run is training."_s.arg(path));
      break;
    case OpenedKind::data:
      if (workspaces_->chooseData(place)) break;
      refuse(u"The data of %1 was not chosen: a run is training."_s.arg(path));
      break;
    case OpenedKind::log:
      workspaces_->library().importLog(place);
      workspaces_->goTo(Workspace::runs);
      break;
    case OpenedKind::foreignData:
      if (const auto foreign = foreignDataAt(place)) refuse(QString::fromUtf8(foreign->what()));
      break;
    case OpenedKind::onnx:
      refuse(
          u"%1 is an ONNX file, which can be exported but not opened. Open the run or the network "
          "that it was exported from."_s.arg(QFileInfo(path).fileName()));
      break;
  }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList paths;
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) paths << url.toLocalFile();
  }
  openAll(paths);
  event->acceptProposedAction();
}

bool MainWindow::event(QEvent* event) {
  const bool isDone = QMainWindow::event(event);
  // The window manager draws the frame some time after the window was shown, and then moves,
  // resizes or activates the window.
  const bool isFramed = !hasFrame_ && windowHandle() && !windowHandle()->frameMargins().isNull();
  if (isFramed) {
    hasFrame_ = true;
    // A size that was chosen since then stays.
    if (size() == fittedSize_) {
      QMetaObject::invokeMethod(this, &MainWindow::fitIntoScreen, Qt::QueuedConnection);
    }
  }
  return isDone;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  event->ignore();
  if (workspaces_->document().isModified() && !mayDiscard_) {
    workspaces_->documentActions().saveChangesFirst([this] {
      mayDiscard_ = true;
      close();
    });
    return;
  }
  const TrainingSession& training = workspaces_->training();
  const bool mayStop = mayStop_ || !preferences_.settings().asksBeforeStopping;
  if (training.isBusy() && !training.isWatching() && training.state() != SessionState::stopping &&
      !mayStop) {
    askToStop();
    return;
  }
  if (!closeGuard_->mayClose()) return;
  saveLayout();
  if (!keepsRescue_) workspaces_->documentActions().forgetRecovery();
  event->accept();
}

void MainWindow::closeWithoutAsking() {
  workspaces_->documentActions().keepForRecovery();
  keepsRescue_ = mayDiscard_ = mayStop_ = true;
  close();
}

void MainWindow::askToStop() {
  QMessageBox* box = ask(
      {.title = u"Stop the training?"_s,
       .text = u"A training is under way."_s,
       .detail = u"Closing stops it and saves it after this batch. The run is kept, and the next "
                 u"start offers to resume it."_s,
       .answers = {{QMessageBox::Cancel, u"Keep training"_s, [this] { mayDiscard_ = false; }},
                   {QMessageBox::Yes,
                    u"Stop and close"_s,
                    [this] {
                      mayStop_ = true;
                      close();
                    }}}},
      *this);
  // A training that has ended in the meantime needs no decision.
  connect(&workspaces_->training(), &TrainingSession::ended, box, &QWidget::close);
}

void MainWindow::saveLayout() const {
  QSettings settings;
  settings.setValue(kGeometryKey, saveGeometry());
  settings.setValue(kDocumentKey, workspaces_->document().path());
  workspaces_->saveLayout(settings);
}

void MainWindow::restoreLayout() {
  QSettings settings;
  if (!restoreGeometry(settings.value(kGeometryKey).toByteArray())) {
    resize(standardSize());
  }
  fitIntoScreen();
  workspaces_->restoreLayout(settings);
  workspaces_->openLibrary(settings);
  workspaces_->documentActions().reopen(settings.value(kDocumentKey).toString());
  const int last = std::clamp(
      settings.value(kWorkspaceKey, 0).toInt(), 0, static_cast<int>(kWorkspaces.size()) - 1);
  workspaces_->goTo(static_cast<Workspace>(last));
  onWorkspaceChanged(workspaces_->current());
}

void MainWindow::resetLayout() {
  // These settings are never written: every page finds nothing in them and uses its standard
  // layout.
  QSettings standard(QSettings::IniFormat,
                     QSettings::UserScope,
                     QApplication::organizationName(),
                     u"standard-layout"_s);
  showNormal();
  resize(standardSize());
  fitIntoScreen();
  workspaces_->restoreLayout(standard);
}

QSize MainWindow::standardSize() {
  return kStandardSize * textScale();
}

/// Makes the whole window visible, with its frame.
void MainWindow::fitIntoScreen() {
  if (isMaximized() || isFullScreen()) return;
  const QRect available = screen()->availableGeometry();
  const QSize frame = frameGeometry().size() - size();
  resize(size().boundedTo(available.size() - frame));
  QRect placed(frameGeometry().topLeft(), size() + frame);
  placed.moveRight(std::min(placed.right(), available.right()));
  placed.moveBottom(std::min(placed.bottom(), available.bottom()));
  placed.moveTopLeft(
      {std::max(placed.left(), available.left()), std::max(placed.top(), available.top())});
  move(placed.topLeft());
  fittedSize_ = size();
}

}  // namespace lambda
