#include "app/studio/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>

#include "app/runs/run_library.h"
#include "app/session/document_actions.h"
#include "app/session/project_document.h"
#include "app/session/training_session.h"
#include "app/studio/command_palette.h"
#include "app/studio/navigation_rail.h"
#include "app/studio/notice_bar.h"
#include "app/studio/preferences.h"
#include "app/studio/shortcut_sheet.h"
#include "app/train/train_status.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kGeometryKey = u"window/geometry"_s;
const QString kWorkspaceKey = u"window/workspace"_s;
constexpr QSize kStandardSize{1440, 900};

struct WorkspaceEntry {
  const char* text;
  const char* icon;
};

/// In the order of Workspace.
constexpr std::array kWorkspaces{
    WorkspaceEntry{QT_TRANSLATE_NOOP("lambda::MainWindow", "Welcome"), "welcome"},
    WorkspaceEntry{QT_TRANSLATE_NOOP("lambda::MainWindow", "Design"), "design"},
    WorkspaceEntry{QT_TRANSLATE_NOOP("lambda::MainWindow", "Train"), "train"},
    WorkspaceEntry{QT_TRANSLATE_NOOP("lambda::MainWindow", "Inspect"), "inspect"},
    WorkspaceEntry{QT_TRANSLATE_NOOP("lambda::MainWindow", "Runs"), "runs"}};

QString percent(double share) {
  return QLocale().toString(100 * share, 'f', 1) + u" %"_s;
}

void collect(const QList<QAction*>& from, QList<QAction*>& all) {
  for (QAction* action : from) {
    if (action->menu()) {
      collect(action->menu()->actions(), all);
    } else if (!action->isSeparator() && !all.contains(action)) {
      all << action;
    }
  }
}

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
  connect(&workspaces_->document(), &ProjectDocument::changed, this, &MainWindow::updateTitle);
  updateTitle();
  restoreLayout();
  offerRescued();
}

MainWindow::~MainWindow() = default;

void MainWindow::makeWorkspaceActions() {
  for (std::size_t i = 0; i < kWorkspaces.size(); ++i) {
    auto* action = new QAction(tr(kWorkspaces[i].text), this);
    action->setCheckable(true);
    action->setShortcut(QKeySequence(u"Ctrl+%1"_s.arg(i)));
    const auto workspace = static_cast<Workspace>(i);
    connect(action, &QAction::triggered, this, [this, workspace] { workspaces_->goTo(workspace); });
    workspaceActions_->addAction(action);
    rail_->addWorkspace(action, QString::fromLatin1(kWorkspaces[i].icon));
  }
}

void MainWindow::makeMenus() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  const DocumentActions& document = workspaces_->documentActions();
  file->addAction(document.openAction());
  file->addMenu(document.recentMenu());
  file->addAction(document.saveAction());
  file->addAction(document.saveAsAction());
  file->addSeparator();
  QAction* openRun = file->addAction(tr("Open a run or event files …"));
  openRun->setShortcut(QKeySequence(u"Ctrl+Alt+O"_s));
  connect(openRun, &QAction::triggered, this, [this] {
    auto* dialog =
        new QFileDialog(this, tr("A run's folder, or a folder of TensorBoard event files"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(
        dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { openAll({path}); });
    dialog->open();
  });
  QAction* libraryFolder = file->addAction(tr("Choose the library folder …"));
  libraryFolder->setToolTip(tr("Where runs are kept"));
  connect(libraryFolder, &QAction::triggered, this, [this] {
    auto* dialog =
        new QFileDialog(this,
                        tr("Folder for runs"),
                        QString::fromStdString(workspaces_->library().folder().string()));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
      workspaces_->library().setFolder(path.toStdString());
    });
    dialog->open();
  });
  file->addSeparator();
  QAction* quit = file->addAction(tr("Quit"));
  quit->setShortcut(QKeySequence::Quit);
  connect(quit, &QAction::triggered, this, &QWidget::close);

  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  edit->addActions({document.undoAction(), document.redoAction()});

  pageMenu_ = menuBar()->addMenu(QString());
  connect(
      pageMenu_, &QMenu::aboutToShow, this, [this] { onWorkspaceChanged(workspaces_->current()); });

  QMenu* view = menuBar()->addMenu(tr("&View"));
  view->addActions(workspaceActions_->actions());
  view->addSeparator();
  preferences_.addTo(*view);
  view->addSeparator();
  connect(
      view->addAction(tr("Reset the layout")), &QAction::triggered, this, &MainWindow::resetLayout);

  QMenu* help = menuBar()->addMenu(tr("&Help"));
  QAction* commands = help->addAction(tr("All commands …"));
  commands->setShortcut(QKeySequence(u"Ctrl+Shift+P"_s));
  connect(commands, &QAction::triggered, this, &MainWindow::showPalette);
  QAction* shortcuts = help->addAction(tr("Keyboard shortcuts"));
  shortcuts->setShortcuts({QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)});
  connect(shortcuts, &QAction::triggered, this, &MainWindow::showShortcuts);
  connect(help->addAction(tr("The paper: LambdaNetworks")), &QAction::triggered, this, [] {
    QDesktopServices::openUrl(QUrl(u"https://arxiv.org/abs/2102.08602"_s));
  });
  connect(help->addAction(tr("About Lambda Studio")),
          &QAction::triggered,
          this,
          &MainWindow::showAbout);
  rail_->addBottomAction(commands, u"search"_s);
  commands->setIconText(tr("Search"));
}

void MainWindow::connectTraining() {
  TrainingSession& training = workspaces_->training();
  connect(&training, &TrainingSession::ended, this, &MainWindow::tellEnd);
  connect(&training, &TrainingSession::startRefused, this, [this](const QString& reason) {
    if (isClosing_) {
      close();
      return;
    }
    if (workspaces_->current() != Workspace::train)
      notices_->tell(NoticeBar::Kind::failure, reason);
  });
}

void MainWindow::onWorkspaceChanged(Workspace workspace) {
  workspaceActions_->actions().at(static_cast<int>(workspace))->setChecked(true);
  const Page* page = workspaces_->page(workspace);
  pageMenu_->clear();
  pageMenu_->menuAction()->setVisible(page != nullptr);
  if (!page) return;
  pageMenu_->setTitle(u"&"_s + tr(kWorkspaces[static_cast<std::size_t>(workspace)].text));
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

QList<QAction*> MainWindow::actionsOfMenus() const {
  QList<QAction*> all;
  collect(menuBar()->actions(), all);
  return all;
}

void MainWindow::offerRescued() {
  DocumentActions& document = workspaces_->documentActions();
  if (!document.rescued()) return;
  const QString name = document.rescued()->path.isEmpty()
                           ? tr("a network without a file")
                           : QFileInfo(document.rescued()->path).fileName();
  notices_->tell(NoticeBar::Kind::question,
                 tr("Unsaved changes of %1 were rescued, from %2.")
                     .arg(name, QLocale().toString(document.rescued()->when, QLocale::ShortFormat)),
                 {{tr("Restore"),
                   [this, &document] {
                     document.restoreRescued();
                     workspaces_->goTo(Workspace::design);
                   }},
                  {tr("Discard"), [&document] { document.discardRescued(); }}});
}

void MainWindow::showPalette() {
  QList<QAction*> actions = actionsOfMenus();
  for (const Workspace workspace :
       {Workspace::design, Workspace::train, Workspace::inspect, Workspace::runs}) {
    for (QAction* action : workspaces_->page(workspace)->pageActions()) {
      if (action && !actions.contains(action)) actions << action;
    }
  }
  palette_->open(actions);
}

void MainWindow::showShortcuts() {
  if (!shortcuts_) shortcuts_ = new ShortcutSheet(this);
  std::vector<ShortcutGroup> groups;
  for (QAction* menu : menuBar()->actions()) {
    if (!menu->menu() || menu->menu() == pageMenu_) continue;
    ShortcutGroup group{menu->text().remove(u'&'), {}};
    collect(menu->menu()->actions(), group.actions);
    groups.push_back(group);
  }
  for (std::size_t i = 1; i < kWorkspaces.size(); ++i) {
    groups.push_back(
        {tr(kWorkspaces[i].text), workspaces_->page(static_cast<Workspace>(i))->pageActions()});
  }
  shortcuts_->setGroups(groups);
  shortcuts_->show();
  shortcuts_->raise();
  shortcuts_->activateWindow();
}

void MainWindow::showAbout() {
  auto* box = new QMessageBox(this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setWindowTitle(tr("About Lambda Studio"));
  box->setText(tr("<h3>Lambda Studio %1</h3>"
                  "<p>Build, train and look into lambda networks: layers that model long-range "
                  "interactions without "
                  "attention (Bello, ICLR 2021).</p>"
                  "<p>GPL-3.0-or-later. Made with Qt %2, QCustomPlot 2.1 and LibTorch.</p>")
                   .arg(QApplication::applicationVersion(), QString::fromLatin1(qVersion())));
  box->open();
}

void MainWindow::tellEnd(const RunResult& result) {
  if (isClosing_) {
    close();
    return;
  }
  QApplication::alert(this);
  if (workspaces_->current() == Workspace::train && isActiveWindow()) return;
  const QString name = QFileInfo(QString::fromStdString(result.run)).fileName();
  const auto look = [this, run = std::filesystem::path(result.run)] { workspaces_->openRun(run); };
  switch (result.status) {
    case RunStatus::failed:
      notices_->tell(NoticeBar::Kind::failure,
                     tr("%1 failed: %2").arg(name, QString::fromStdString(result.failure)),
                     {{tr("Show it"), [this] { workspaces_->goTo(Workspace::train); }}});
      return;
    case RunStatus::finished: {
      QStringList parts;
      if (result.bestValidationAccuracy)
        parts << tr("best validation %1").arg(percent(*result.bestValidationAccuracy));
      if (result.testAccuracy) parts << tr("test %1").arg(percent(*result.testAccuracy));
      notices_->tell(NoticeBar::Kind::good,
                     tr("%1 has finished: %2").arg(name, parts.join(u", "_s)),
                     {{tr("Look inside"), look}});
      return;
    }
    case RunStatus::stopped:
    case RunStatus::running:
    case RunStatus::paused:
      notices_->tell(
          NoticeBar::Kind::information,
          tr("%1 was stopped after %2 epochs and can be resumed.").arg(name).arg(result.epochs),
          {{tr("Look inside"), look}});
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
  if (workspaces_->document().isModified() && !mayDiscard_) {
    event->ignore();
    askToSave();
    return;
  }
  if (workspaces_->training().isBusy()) {
    event->ignore();
    closeAfterTraining();
    return;
  }
  saveLayout();
  if (!keepsRescue_) workspaces_->documentActions().forgetRecovery();
  event->accept();
}

void MainWindow::closeWithoutAsking() {
  workspaces_->documentActions().keepForRecovery();
  keepsRescue_ = mayDiscard_ = true;
  close();
}

void MainWindow::askToSave() {
  auto* box =
      new QMessageBox(QMessageBox::Question,
                      tr("Save your changes?"),
                      tr("%1 has changes that are not saved.").arg(workspaces_->document().title()),
                      QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel,
                      this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setDefaultButton(QMessageBox::Save);
  connect(box, &QMessageBox::finished, this, [this](int answer) {
    if (answer == QMessageBox::Cancel) return;
    if (answer == QMessageBox::Discard) {
      mayDiscard_ = true;
      close();
      return;
    }
    workspaces_->documentActions().save([this] { close(); });
  });
  box->open();
}

void MainWindow::closeAfterTraining() {
  if (isClosing_) return;
  isClosing_ = true;
  notices_->tell(NoticeBar::Kind::information,
                 tr("The training is being saved; the window closes then."));
  workspaces_->training().stop();
}

void MainWindow::saveLayout() const {
  QSettings settings;
  settings.setValue(kGeometryKey, saveGeometry());
  settings.setValue(kWorkspaceKey, static_cast<int>(workspaces_->current()));
  workspaces_->saveLayout(settings);
}

void MainWindow::restoreLayout() {
  QSettings settings;
  if (!restoreGeometry(settings.value(kGeometryKey).toByteArray())) {
    const QScreen* screen = QApplication::primaryScreen();
    resize(kStandardSize.boundedTo(screen ? screen->availableSize() : kStandardSize));
  }
  workspaces_->restoreLayout(settings);
  workspaces_->openLibrary(settings);
  const int last = std::clamp(
      settings.value(kWorkspaceKey, 0).toInt(), 0, static_cast<int>(kWorkspaces.size()) - 1);
  workspaces_->goTo(static_cast<Workspace>(last));
  onWorkspaceChanged(workspaces_->current());
}

void MainWindow::resetLayout() {
  // Never written: every page finds nothing in it and falls back to its standard.
  QSettings standard(QSettings::IniFormat,
                     QSettings::UserScope,
                     QApplication::organizationName(),
                     u"standard-layout"_s);
  workspaces_->restoreLayout(standard);
  resize(kStandardSize.boundedTo(screen()->availableSize()));
}

}  // namespace lambda
