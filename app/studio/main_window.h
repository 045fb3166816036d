#pragma once

#include <memory>

#include <QList>
#include <QMainWindow>

#include "app/studio/workspaces.h"

class QActionGroup;

namespace lambda {

class CloseGuard;
class CommandPalette;
class NavigationRail;
class NoticeBar;
class Preferences;
class PreferencesWindow;
class ShortcutRegistry;
class ShortcutSheet;
class Tour;
class VerificationWindow;
struct Command;

/// The window: rail, menus, notices and status bar around the workspaces. It can close in every
/// state: a training is stopped and saved first, and offered at the next start. It asks where
/// changes of the document would be lost or a training would be stopped.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(EngineHandle engine, Preferences& preferences, QWidget* parent = nullptr);
  ~MainWindow() override;

  Workspaces& workspaces() { return *workspaces_; }

  /// Opens networks, experiments, runs, weights, data and event files, each in its workspace.
  void openAll(const QStringList& paths);

  /// Closes after a signal, when nobody can answer questions: unsaved changes are kept to be
  /// restored at the next start.
  void closeWithoutAsking();

  /// The size of a first start: it grows with the text, and a smaller screen limits it.
  static QSize standardSize();

  /// Begins the tour of the pages, once for each person.
  void offerTour();

  /// All available actions, in the order of the menus.
  QList<QAction*> actionsOfMenus() const;

 protected:
  bool event(QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void open(const QString& path);
  void makeMenus();
  void makeFileMenu();
  void makeEditMenu();
  QAction* exportAction() const;
  void makeHelpMenu();
  void makeWorkspaceActions();
  void connectTraining();
  void onWorkspaceChanged(Workspace workspace);
  void updateTitle();
  void updateUndo();
  void offerRescued();
  void reportIgnored();
  void showPalette();
  void showShortcuts();
  void showAbout();
  void showVerification();
  void openPaper();
  void showPreferences();
  void registerShortcuts();
  void updateHint();
  void makeTour();
  void addPageCommands(Workspace workspace, std::vector<Command>& commands);
  void askToStop();
  void saveLayout() const;
  void restoreLayout();
  void resetLayout();
  void fitIntoScreen();

  Preferences& preferences_;
  Workspaces* workspaces_;
  CloseGuard* closeGuard_;
  NavigationRail* rail_;
  NoticeBar* notices_;
  QActionGroup* workspaceActions_;
  CommandPalette* palette_;
  ShortcutSheet* shortcuts_ = nullptr;
  VerificationWindow* verification_ = nullptr;
  QMenu* pageMenu_ = nullptr;
  QAction* commands_ = nullptr;
  QAction* sheet_ = nullptr;
  QAction* export_ = nullptr;
  QAction* undo_ = nullptr;
  QAction* redo_ = nullptr;
  ShortcutRegistry* registry_;
  PreferencesWindow* preferencesWindow_ = nullptr;
  Tour* tour_ = nullptr;
  bool keepsRescue_ = false;
  bool mayDiscard_ = false;  ///< The person has decided about unsaved changes.
  QSize fittedSize_;         ///< As fitIntoScreen() has left it.
  bool hasFrame_ = false;    ///< The window manager has drawn the frame, whose size is now known.
  bool mayStop_ = false;     ///< The person has decided that the training may be stopped.
};

}  // namespace lambda
