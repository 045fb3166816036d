#include "app/studio/main_window.h"

// The menus and the dialogs that their entries open.

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QUrl>

#include "app/runs/run_library.h"
#include "app/session/documents/document_actions.h"
#include "app/session/page.h"
#include "app/studio/commands/command_palette.h"
#include "app/studio/commands/shortcut_sheet.h"
#include "app/studio/navigation_rail.h"
#include "app/studio/notice_bar.h"
#include "app/studio/preferences.h"
#include "app/studio/settings/preferences_window.h"
#include "app/studio/settings/shortcut_registry.h"
#include "app/studio/tour/tour_stops.h"
#include "app/studio/verification_window.h"
#include "app/studio/welcome/welcome_page.h"
#include "widgets/export/export_menu.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kTourKey = u"tour/shown"_s;

void collect(const QList<QAction*>& from, QList<QAction*>& all) {
  for (QAction* action : from) {
    if (!action) continue;
    if (action->menu()) {
      collect(action->menu()->actions(), all);
    } else if (!action->isSeparator() && !all.contains(action)) {
      all << action;
    }
  }
}

QString plainText(const QAction& action) {
  return action.text().remove(u'&');
}

}  // namespace

void MainWindow::makeMenus() {
  makeFileMenu();

  makeEditMenu();

  pageMenu_ = menuBar()->addMenu(QString());
  connect(
      pageMenu_, &QMenu::aboutToShow, this, [this] { onWorkspaceChanged(workspaces_->current()); });

  QMenu* view = menuBar()->addMenu(u"&View"_s);
  view->addActions(workspaceActions_->actions());
  view->addSeparator();
  preferences_.addTo(*view);
  view->addSeparator();
  connect(
      view->addAction(u"Reset the layout"_s), &QAction::triggered, this, &MainWindow::resetLayout);

  makeHelpMenu();
  registerShortcuts();
  connect(registry_, &ShortcutRegistry::changed, this, &MainWindow::updateHint);
}

void MainWindow::makeFileMenu() {
  QMenu* file = menuBar()->addMenu(u"&File"_s);
  const DocumentActions& document = workspaces_->documentActions();
  file->addAction(document.openAction());
  file->addMenu(document.recentMenu());
  file->addAction(document.saveAction());
  file->addAction(document.saveAsAction());
  file->addSeparator();
  QAction* openExperiment = file->addAction(u"Open an experiment …"_s);
  openExperiment->setToolTip(u"Open an experiment's file, or the experiment.json in its folder"_s);
  connect(openExperiment, &QAction::triggered, this, [this] {
    auto* dialog =
        new QFileDialog(this,
                        u"An experiment's file, or the experiment.json in its folder"_s,
                        toText(workspaces_->library().folder().parent_path() / "experiments"),
                        u"Experiments (*.json)"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::open);
    dialog->open();
  });
  QAction* openRun = file->addAction(u"Open a run or event files …"_s);
  openRun->setShortcut(QKeySequence(u"Ctrl+Alt+O"_s));
  connect(openRun, &QAction::triggered, this, [this] {
    auto* dialog =
        new QFileDialog(this, u"A run's folder, or a folder of TensorBoard event files"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(
        dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { openAll({path}); });
    dialog->open();
  });
  QAction* libraryFolder = file->addAction(u"Choose the library folder …"_s);
  libraryFolder->setToolTip(u"The folder that contains the runs"_s);
  connect(libraryFolder, &QAction::triggered, this, [this] {
    auto* dialog =
        new QFileDialog(this, u"Folder for runs"_s, toText(workspaces_->library().folder()));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
      workspaces_->library().setFolder(path.toStdString());
    });
    dialog->open();
  });
  export_ = file->addAction(u"Export …"_s);
  export_->setToolTip(u"Write the network or the run for other programs"_s);
  connect(export_, &QAction::triggered, this, [this] {
    if (QAction* shown = exportAction()) shown->trigger();
  });
  file->addSeparator();
  QAction* quit = file->addAction(u"Quit"_s);
  quit->setShortcut(QKeySequence::Quit);
  connect(quit, &QAction::triggered, this, &QWidget::close);
}

void MainWindow::makeEditMenu() {
  QMenu* edit = menuBar()->addMenu(u"&Edit"_s);
  const auto add = [&](const QString& text, const QList<QKeySequence>& keys, auto actionOf) {
    QAction* action = edit->addAction(text);
    action->setProperty(kLastingText, text);
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, [this, actionOf] {
      const Page* page = workspaces_->page(workspaces_->current());
      QAction* shown = page ? (page->*actionOf)() : nullptr;
      if (shown) shown->trigger();
    });
    return action;
  };
  undo_ = add(u"Undo"_s, {QKeySequence::Undo}, &Page::undoAction);
  redo_ = add(
      u"Redo"_s, {QKeySequence(u"Ctrl+Shift+Z"_s), QKeySequence(u"Ctrl+Y"_s)}, &Page::redoAction);
  edit->addSeparator();
  QAction* preferences = edit->addAction(u"Preferences …"_s);
  preferences->setShortcut(QKeySequence(u"Ctrl+,"_s));
  preferences->setToolTip(u"Theme, text size, folders, threads, questions and shortcuts"_s);
  connect(preferences, &QAction::triggered, this, &MainWindow::showPreferences);
  for (const WorkspaceTraits& traits : kWorkspaces) {
    const Page* page = workspaces_->page(traits.workspace);
    if (!page) continue;
    for (const QAction* action : {page->undoAction(), page->redoAction(), page->exportAction()}) {
      if (action) connect(action, &QAction::changed, this, &MainWindow::updateUndo);
    }
  }
}

/// That of the page in view; null where it has none.
QAction* MainWindow::exportAction() const {
  const Page* page = workspaces_->page(workspaces_->current());
  return page ? page->exportAction() : nullptr;
}

/// Undo and export belong to the page in view.
void MainWindow::updateUndo() {
  const Page* page = workspaces_->page(workspaces_->current());
  const auto show = [](QAction& shown, const QAction* source) {
    shown.setEnabled(source && source->isEnabled());
    shown.setText(source ? source->text() : shown.property(kLastingText).toString());
  };
  show(*undo_, page ? page->undoAction() : nullptr);
  show(*redo_, page ? page->redoAction() : nullptr);
  const QAction* exporting = exportAction();
  export_->setEnabled(exporting && exporting->isEnabled());
}

void MainWindow::makeHelpMenu() {
  QMenu* help = menuBar()->addMenu(u"&Help"_s);
  commands_ = help->addAction(u"All commands …"_s);
  commands_->setShortcut(QKeySequence(u"Ctrl+Shift+P"_s));
  connect(commands_, &QAction::triggered, this, &MainWindow::showPalette);
  sheet_ = help->addAction(u"Keyboard shortcuts"_s);
  sheet_->setShortcuts({QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)});
  connect(sheet_, &QAction::triggered, this, &MainWindow::showShortcuts);
  QAction* tour = help->addAction(u"Tour of the pages"_s);
  tour->setToolTip(u"Points at the main controls of the four pages"_s);
  connect(tour, &QAction::triggered, this, [this] { tour_->begin(); });
  QAction* verification = help->addAction(u"Verify the paper's statements …"_s);
  verification->setToolTip(u"Check that what the papers say of the layers holds in this build"_s);
  connect(verification, &QAction::triggered, this, &MainWindow::showVerification);
  connect(help->addAction(u"The paper: LambdaNetworks"_s),
          &QAction::triggered,
          this,
          &MainWindow::openPaper);
  connect(
      help->addAction(u"About Lambda Studio"_s), &QAction::triggered, this, &MainWindow::showAbout);
  rail_->addBottomAction(commands_, u"search"_s);
  commands_->setIconText(u"Search"_s);
}

void MainWindow::openPaper() {
  const QString address = u"https://arxiv.org/abs/2102.08602"_s;
  if (QDesktopServices::openUrl(QUrl(address))) return;
  QApplication::clipboard()->setText(address);
  notices_->tell(
      NoticeBar::Kind::information,
      u"No browser was found to open the paper. Its address was copied: %1"_s.arg(address));
}

QList<QAction*> MainWindow::actionsOfMenus() const {
  QList<QAction*> all;
  collect(menuBar()->actions(), all);
  return all;
}

void MainWindow::showPalette() {
  std::vector<Command> commands;
  for (const QAction* menu : menuBar()->actions()) {
    if (!menu->menu() || menu->menu() == pageMenu_) continue;
    QList<QAction*> actions;
    collect(menu->menu()->actions(), actions);
    for (QAction* action : actions) commands.push_back({action, plainText(*menu), {}, {}});
  }
  for (const WorkspaceTraits& traits : kWorkspaces) addPageCommands(traits.workspace, commands);
  palette_->open(std::move(commands));
}

void MainWindow::addPageCommands(Workspace workspace, std::vector<Command>& commands) {
  const Page* page = workspaces_->page(workspace);
  if (!page) return;
  const QString place = Workspaces::titleOf(workspace);
  const auto goTo = [this, workspace] {
    if (workspaces_->current() != workspace) workspaces_->goTo(workspace);
  };
  QList<QAction*> actions;
  collect(page->pageActions(), actions);
  for (QAction* action : actions) {
    const auto isAction = [action](const Command& command) { return command.action == action; };
    if (std::ranges::none_of(commands, isAction)) commands.push_back({action, place, {}, goTo});
  }
  for (const PictureExport& picture : pictureExportsBelow(*page)) {
    commands.push_back({picture.save, place, u"Export the picture %1 …"_s.arg(picture.name), goTo});
  }
}

void MainWindow::showShortcuts() {
  if (!shortcuts_) shortcuts_ = new ShortcutSheet(this);
  std::vector<ShortcutGroup> groups;
  for (QAction* menu : menuBar()->actions()) {
    if (!menu->menu() || menu->menu() == pageMenu_) continue;
    ShortcutGroup group{plainText(*menu), {}};
    collect(menu->menu()->actions(), group.actions);
    groups.push_back(group);
  }
  for (const QAction* entry : workspaceActions_->actions()) {
    const auto workspace = static_cast<Workspace>(entry->data().toInt());
    const Page* page = workspaces_->page(workspace);
    if (!page) continue;
    ShortcutGroup group{entry->text(), {}};
    collect(page->pageActions(), group.actions);
    groups.push_back(group);
  }
  shortcuts_->setGroups(groups);
  shortcuts_->show();
  shortcuts_->raise();
  shortcuts_->activateWindow();
}

/// The menus' actions first: those of pages that are also in a menu work everywhere.
void MainWindow::registerShortcuts() {
  for (const QAction* menu : menuBar()->actions()) {
    if (!menu->menu() || menu->menu() == pageMenu_) continue;
    QList<QAction*> actions;
    // The recently used files change.
    for (QAction* action : menu->menu()->actions()) {
      if (action->menu() != workspaces_->documentActions().recentMenu()) collect({action}, actions);
    }
    for (QAction* action : actions) registry_->add(action, plainText(*menu), true);
  }
  for (const WorkspaceTraits& traits : kWorkspaces) {
    const Page* page = workspaces_->page(traits.workspace);
    if (!page) continue;
    QList<QAction*> actions;
    collect(page->pageActions(), actions);
    for (QAction* action : actions) {
      registry_->add(action, Workspaces::titleOf(traits.workspace), false);
    }
  }
}

/// The welcome page names the keys that lead to everything else.
void MainWindow::updateHint() {
  QStringList sentences;
  const auto add = [&](const QAction& action, const QString& use) {
    if (!action.shortcut().isEmpty())
      sentences << action.shortcut().toString(QKeySequence::NativeText) + use;
  };
  add(*commands_, u" finds every command by its name."_s);
  add(*sheet_, u" shows all shortcuts."_s);
  workspaces_->welcomePage().setHint(sentences.join(u' '));
}

void MainWindow::showPreferences() {
  if (!preferencesWindow_) {
    preferencesWindow_ =
        new PreferencesWindow(preferences_, workspaces_->library(), *registry_, this);
  }
  preferencesWindow_->open();
}

void MainWindow::makeTour() {
  tour_ = new Tour(*this, tourStops(*workspaces_, *rail_), this);
}

void MainWindow::offerTour() {
  QSettings settings;
  if (settings.value(kTourKey).toBool()) return;
  settings.setValue(kTourKey, true);
  tour_->begin();
}

void MainWindow::showVerification() {
  if (!verification_) verification_ = new VerificationWindow(workspaces_->machine(), this);
  verification_->show();
  verification_->raise();
  verification_->activateWindow();
  verification_->start();
}

void MainWindow::showAbout() {
  constexpr int kSignSide = 48;
  auto* box = new QMessageBox(this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setWindowTitle(u"About Lambda Studio"_s);
  box->setIconPixmap(QApplication::windowIcon().pixmap(kSignSide, kSignSide));
  box->setText(u"Lambda Studio %1"_s.arg(QApplication::applicationVersion()));
  box->setInformativeText(
      u"Build, train and inspect lambda networks: layers that model long-range interactions "
      u"without attention (Bello, ICLR 2021).\n\nGPL-3.0-or-later. Made with Qt %1, QCustomPlot "
      u"2.1 "
      u"and LibTorch 2.11."_s.arg(QString::fromLatin1(qVersion())));
  box->addButton(QMessageBox::Close);
  box->open();
}

}  // namespace lambda
