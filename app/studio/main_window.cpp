#include "app/studio/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QVBoxLayout>

#include "app/runs/run_library.h"
#include "app/session/close_guard.h"
#include "app/session/document_actions.h"
#include "app/session/project_document.h"
#include "app/session/training_session.h"
#include "app/studio/command_palette.h"
#include "app/studio/desktop_notification.h"
#include "app/studio/navigation_rail.h"
#include "app/studio/notice_bar.h"
#include "app/studio/preferences.h"
#include "app/studio/shortcut_filter.h"
#include "app/train/train_status.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kGeometryKey = u"window/geometry"_s;
const QString kWorkspaceKey = u"window/workspace"_s;
const QString kTrainingKey = u"window/unfinishedTraining"_s;
const QString kDocumentKey = u"window/document"_s;
constexpr QSize kStandardSize{1440, 900};
constexpr QSize kLeastSize{640, 400};

}  // namespace

MainWindow::MainWindow(std::shared_ptr<EngineCalls> engine,
                       Preferences& preferences,
                       QWidget* parent)
    : QMainWindow(parent),
      preferences_(preferences),
      workspaces_(new Workspaces(std::move(engine))),
      rail_(new NavigationRail),
      notices_(new NoticeBar),
      workspaceActions_(new QActionGroup(this)),
      palette_(new CommandPalette(this)) {
  new ShortcutFilter(this);
  setAcceptDrops(true);
  auto* ground = new QWidget;
  auto* columns = new QHBoxLayout(ground);
  columns->setContentsMargins(0, 0, 0, 0);
  columns->setSpacing(0);
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
  connectTraining();
  connect(workspaces_, &Workspaces::workspaceChanged, this, &MainWindow::onWorkspaceChanged);
  connect(workspaces_, &Workspaces::failed, this, [this](const QString& reason) {
    notices_->tell(NoticeBar::Kind::failure, reason);
  });
  connect(workspaces_, &Workspaces::told, this, [this](const QString& text) {
    notices_->tell(NoticeBar::Kind::good, text);
  });
  connect(&workspaces_->document(), &ProjectDocument::titleChanged, this, &MainWindow::updateTitle);
  connect(&workspaces_->document(), &ProjectDocument::changed, this, [this] {
    updateTitle();
    if (!keepsRescue_) mayDiscard_ = false;  // The decision was about other changes.
  });
  updateTitle();
  restoreLayout();
  offerRescued();
  stoppedRun_ = QSettings().value(kTrainingKey).toString();
  connect(&workspaces_->library(), &RunLibrary::changed, this, &MainWindow::offerStoppedRun);
}

MainWindow::~MainWindow() {
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
  connect(&training, &TrainingSession::ended, this, &MainWindow::tellEnd);
  connect(&training, &TrainingSession::stateChanged, this, &MainWindow::updateUndo);
  connect(&training, &TrainingSession::started, this, [this, &training] {
    rememberTraining(toText(training.status().run));
  });
  connect(&training, &TrainingSession::startRefused, this, [this](const QString& reason) {
    if (workspaces_->current() != Workspace::train)
      notices_->tell(NoticeBar::Kind::failure, reason);
  });
  closeGuard_ = new CloseGuard(training, this);
  connect(closeGuard_, &CloseGuard::waiting, this, [this] {
    notices_->tell(NoticeBar::Kind::information,
                   tr("The training is being saved; the window closes then."));
  });
  connect(closeGuard_, &CloseGuard::closable, this, &QWidget::close);
}

void MainWindow::onWorkspaceChanged(Workspace workspace) {
  workspaceActions_->actions().at(static_cast<int>(workspace))->setChecked(true);
  updateUndo();
  const Page* page = workspaces_->page(workspace);
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
                           ? tr("a network without a file")
                           : QFileInfo(document.rescued()->path).fileName();
  notices_->tell(NoticeBar::Kind::question,
                 tr("Unsaved changes of %1 were rescued, from %2.")
                     .arg(name, momentText(document.rescued()->when)),
                 {{tr("Restore"),
                   [this, &document] {
                     document.restoreRescued();
                     workspaces_->goTo(Workspace::design);
                   }},
                  {tr("Discard"), [&document] { document.discardRescued(); }}});
}

/// Stores the run under way, whole, so that it can be offered at the next start whatever ends the
/// program.
void MainWindow::rememberTraining(const QString& run) {
  stoppedRun_.clear();
  QSettings settings;
  settings.setValue(kTrainingKey, run);
  settings.sync();
}

void MainWindow::offerStoppedRun() {
  if (stoppedRun_.isEmpty()) return;
  const std::filesystem::path path = stoppedRun_.toStdString();
  const RunSummary* run = workspaces_->library().find(path);
  if (!run) return;
  if (run->isLive) {
    stoppedRun_.clear();
    return;
  }
  rememberTraining({});
  const RunRecord& record = run->record;
  if (!run->problem.empty() || record.status == RunStatus::finished) return;
  const QString name =
      QString::fromStdString(record.config.name.empty() ? run->name : record.config.name);
  notices_->tell(NoticeBar::Kind::question,
                 tr("%1 stopped in epoch %2 of %3 and can be resumed.")
                     .arg(name)
                     .arg(std::min(record.epochsDone + 1, record.config.recipe.epochs))
                     .arg(record.config.recipe.epochs),
                 {{tr("Resume"), [this, path] { workspaces_->resumeRun(path, std::nullopt); }},
                  {tr("Inspect"), [this, path] { workspaces_->openRun(path); }}});
}

void MainWindow::tellEnd(const RunResult& result) {
  if (closeGuard_->isWaiting()) return;
  rememberTraining({});
  QApplication::alert(this);
  const QString name = QFileInfo(QString::fromStdString(result.run)).fileName();
  const auto tell = [this](NoticeBar::Kind kind,
                           const QString& text,
                           const std::vector<NoticeBar::Choice>& choices) {
    if (!isActiveWindow()) showDesktopNotification(tr("A training has ended"), text);
    if (workspaces_->current() != Workspace::train) notices_->tell(kind, text, choices);
  };
  const auto look = [this, run = std::filesystem::path(result.run)] { workspaces_->openRun(run); };
  switch (result.status) {
    case RunStatus::failed:
      tell(NoticeBar::Kind::failure,
           tr("%1 failed: %2").arg(name, QString::fromStdString(result.failure)),
           {{tr("Show"), [this] { workspaces_->goTo(Workspace::train); }}});
      return;
    case RunStatus::finished: {
      QStringList parts;
      if (result.bestValidationAccuracy)
        parts << tr("best validation %1").arg(accuracyText(*result.bestValidationAccuracy));
      if (result.testAccuracy) parts << tr("test %1").arg(accuracyText(*result.testAccuracy));
      tell(NoticeBar::Kind::good,
           tr("%1 has finished: %2").arg(name, parts.join(u", "_s)),
           {{tr("Inspect"), look}});
      return;
    }
    case RunStatus::stopped:
    case RunStatus::running:
    case RunStatus::paused:
      tell(NoticeBar::Kind::information,
           tr("%1 was stopped after %2 epochs and can be resumed.").arg(name).arg(result.epochs),
           {{tr("Inspect"), look}});
      return;
  }
}

void MainWindow::openAll(const QStringList& paths) {
  for (const QString& path : paths) {
    const QFileInfo file(path);
    const std::filesystem::path place = file.absoluteFilePath().toStdString();
    if (!file.exists()) {
      notices_->tell(NoticeBar::Kind::failure,
                     tr("There is no %1. Was it moved or renamed?").arg(path));
    } else if (file.isDir() && QFileInfo::exists(path + u"/run.json"_s)) {
      workspaces_->library().addRun(place);
      workspaces_->goTo(Workspace::runs);
    } else if (file.isDir()) {
      workspaces_->library().importLog(place);
      workspaces_->goTo(Workspace::runs);
    } else if (file.suffix() == u"safetensors"_s) {
      workspaces_->openRun(place);
    } else {
      workspaces_->documentActions().openFile(file.absoluteFilePath());
    }
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

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::LanguageChange) updateTitle();
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
  if (training.isBusy() && training.state() != SessionState::stopping && !mayStop_) {
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
  auto* box = new QMessageBox(this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setIcon(QMessageBox::Question);
  box->setWindowTitle(tr("Stop the training?"));
  box->setText(tr("A training is under way."));
  box->setInformativeText(
      tr("Closing stops it and saves it after this batch. The run is kept, and the next start "
         "offers to resume it."));
  const QAbstractButton* stop = box->addButton(tr("Stop and close"), QMessageBox::AcceptRole);
  box->setDefaultButton(box->addButton(tr("Keep training"), QMessageBox::RejectRole));
  connect(box, &QMessageBox::buttonClicked, this, [this, stop](const QAbstractButton* pressed) {
    if (pressed != stop) {
      mayDiscard_ = false;
      return;
    }
    mayStop_ = true;
    close();
  });
  // A training that has ended in the meantime needs no decision.
  connect(&workspaces_->training(), &TrainingSession::ended, box, &QWidget::close);
  box->open();
}

void MainWindow::saveLayout() const {
  QSettings settings;
  settings.setValue(kGeometryKey, saveGeometry());
  settings.setValue(kWorkspaceKey, static_cast<int>(workspaces_->current()));
  settings.setValue(kDocumentKey, workspaces_->document().path());
  workspaces_->saveLayout(settings);
}

void MainWindow::restoreLayout() {
  QSettings settings;
  if (!restoreGeometry(settings.value(kGeometryKey).toByteArray())) {
    const QScreen* screen = QApplication::primaryScreen();
    resize(kStandardSize.boundedTo(screen ? screen->availableSize() : kStandardSize));
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
  resize(kStandardSize);
  fitIntoScreen();
  workspaces_->restoreLayout(standard);
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
}

}  // namespace lambda
