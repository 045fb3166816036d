#pragma once

#include <functional>
#include <optional>

#include <QObject>
#include <QStringList>

#include "app/session/document_recovery.h"

class QAction;
class QMenu;
class QWidget;

namespace lambda {

class ProjectDocument;

/// Opening, saving, undoing: the document's part of the menus, with the files used last. Asks
/// nothing that undo can answer: opening over unsaved changes is the one question.
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

  /// "Open recent", with the files used last.
  QMenu* recentMenu() const { return recentMenu_; }

  /// The newest first.
  QStringList recentFiles() const;

  /// Opens a file; asks first where unsaved changes would be lost.
  void openFile(const QString& path);

  /// Saves to the document's file, or asks for one. `then` is called after it was written.
  void save(const std::function<void()>& then = {});

  /// Unsaved changes that a program which is gone left behind.
  const std::optional<RescuedDocument>& rescued() const { return rescued_; }

  void restoreRescued();
  void discardRescued();

  /// Unsaved changes are kept for the next start.
  void keepForRecovery();

  /// The program ends in good order: nothing is to be rescued.
  void forgetRecovery();

 Q_SIGNALS:
  void recentFilesChanged(const QStringList& paths);
  /// A file was opened.
  void opened();
  /// What happened, why and what to do.
  void failed(const QString& reason);

 private:
  void chooseFile();
  void chooseTarget(const std::function<void()>& then);
  void openNow(const QString& path);
  void writeTo(const QString& path, const std::function<void()>& then);
  void remember(const QString& path);
  void fillRecentMenu();

  ProjectDocument& document_;
  QWidget& window_;
  DocumentRecovery recovery_;
  std::optional<RescuedDocument> rescued_;
  QAction* open_;
  QAction* save_;
  QAction* saveAs_;
  QAction* undo_;
  QAction* redo_;
  QMenu* recentMenu_;
};

}  // namespace lambda
