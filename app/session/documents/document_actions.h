#pragma once

#include <functional>
#include <optional>

#include <QObject>
#include <QStringList>

#include "app/session/documents/document_recovery.h"
#include "widgets/work/work.h"

class QAction;
class QMenu;
class QWidget;

namespace lambda {

class ProjectDocument;

struct RunConfig;

/// Opening, saving and undoing: the document's part of the menus, with the recently used files. It
/// asks only where another document replaces unsaved changes, because undo reverts everything else.
class DocumentActions : public QObject {
  Q_OBJECT

 public:
  /// `window` is the parent of dialogs. Unsaved changes are kept below `recoveryFolder`.
  DocumentActions(ProjectDocument& document, const QString& recoveryFolder, QWidget& window);

  QAction* openAction() const { return open_; }

  QAction* saveAction() const { return save_; }

  QAction* saveAsAction() const { return saveAs_; }

  QAction* undoAction() const { return undo_; }

  QAction* redoAction() const { return redo_; }

  /// "Open recent", with the recently used files.
  QMenu* recentMenu() const { return recentMenu_; }

  /// The newest file first.
  QStringList recentFiles() const;

  /// Opens a network or a run's configuration; asks first where unsaved changes would be lost.
  void openFile(const QString& path);

  /// Opens the file that was open when the program was last closed. Nothing happens where it is
  /// empty, missing or can't be read.
  void reopen(const QString& path);

  /// Replaces the document by one without a file, such as a template or the network of a run; asks
  /// first where unsaved changes would be lost. `then` is called after it was replaced.
  void startFrom(const RunConfig& config, const std::function<void()>& then = {});

  /// Calls `proceed` once no unsaved changes can be lost: at once, or after the person has saved
  /// or discarded them. Not after Cancel.
  void saveChangesFirst(const std::function<void()>& proceed);

  /// Saves to the document's file, or asks for one. `then` is called after it was written.
  void save(const std::function<void()>& then = {});

  /// Unsaved changes of a program that has ended.
  const std::optional<RescuedDocument>& rescued() const { return rescued_; }

  void restoreRescued();
  void discardRescued();

  /// Keeps unsaved changes for the next start.
  void keepForRecovery();

  /// The program ends normally: nothing has to be rescued.
  void forgetRecovery();

 Q_SIGNALS:
  void recentFilesChanged(const QStringList& paths);
  /// A person has chosen a file, of any kind, to be opened.
  void openRequested(const QString& path);
  /// A file was opened.
  void opened();
  /// What happened, why and what to do.
  void failed(const QString& reason);

 private:
  void chooseFile();
  void chooseTarget(const std::function<void()>& then);
  void openNow(const QString& path);
  void writeTo(const QString& path, const std::function<void()>& then);
  void askBeforeLosing(const std::function<void()>& then);
  void remember(const QString& path);
  void fillRecentMenu();

  ProjectDocument& document_;
  QWidget& window_;
  DocumentRecovery recovery_;
  Work recent_{*this};
  std::optional<RescuedDocument> rescued_;
  QAction* open_;
  QAction* save_;
  QAction* saveAs_;
  QAction* undo_;
  QAction* redo_;
  QMenu* recentMenu_;
};

}  // namespace lambda
