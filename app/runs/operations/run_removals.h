#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include <QObject>
#include <QString>

#include "app/runs/run_row.h"

class QAction;

namespace lambda {

class RunLibrary;

/// Takes runs out of the list, into the trash or only off the list, and brings them back: the undo
/// and redo of the Runs workspace.
class RunRemovals : public QObject {
  Q_OBJECT

 public:
  /// `library` outlives this.
  explicit RunRemovals(RunLibrary& library, QObject* parent = nullptr);

  void moveToTrash(const std::vector<const RunRow*>& rows);
  /// Stops listing runs and logs from elsewhere.
  void takeOffList(const std::vector<const RunRow*>& rows);

  /// "Undo: move quickstart to the trash"; disabled while there is nothing to undo.
  QAction* undoAction() const { return undo_; }

  QAction* redoAction() const { return redo_; }

 Q_SIGNALS:
  /// Runs have been removed; `text` says which and where they are.
  void removed(const QString& text);
  /// Runs are being brought back, `run` first; `text` says which.
  void restored(const std::filesystem::path& run, const QString& text);

 private:
  enum class Way { trash, offList };

  struct Item {
    std::filesystem::path path;
    QString name;
    bool isImported = false;
    std::filesystem::path trashed;  ///< Its path in the trash; empty before it is there.
  };

  /// Runs that were removed together.
  struct Removal {
    Way way = Way::trash;
    std::vector<Item> items;
    std::vector<Item> moving = {};  ///< On their way to the trash.
  };

  static std::vector<Item> itemsOf(const std::vector<const RunRow*>& rows);
  static QString namesOf(const std::vector<Item>& items);
  static QString textOf(const Removal& removal);
  void remove(Removal removal);
  void onTrashed(const std::filesystem::path& run, const std::filesystem::path& place);
  void onRefused(const std::filesystem::path& run);
  void undo();
  void redo();
  void updateActions();

  RunLibrary& library_;
  QAction* undo_;
  QAction* redo_;
  std::vector<Removal> done_;
  std::vector<Removal> undone_;
  std::vector<std::filesystem::path> restoring_;  ///< Of the last undo.
};

}  // namespace lambda
