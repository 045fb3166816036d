#pragma once

#include <optional>

#include <QKeySequence>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace lambda {

class KeyField;
class ShortcutModel;
class ShortcutRegistry;

/// All commands in a table, and below it the shortcut of the selected one. New keys are taken as
/// soon as they are pressed; where another command has them, the person decides.
class ShortcutsSection : public QWidget {
  Q_OBJECT

 public:
  /// `registry` outlives the section.
  explicit ShortcutsSection(ShortcutRegistry& registry, QWidget* parent = nullptr);

 private:
  /// The keys that were pressed belong to another command.
  struct Conflict {
    std::size_t owner;
    QKeySequence keys;
  };

  void makeTable();
  void makeEditor();
  void makeConflict();
  std::optional<std::size_t> selected() const;
  void showSelected();
  void take(const QKeySequence& keys);
  void offer(const Conflict& conflict);
  void tell(const QString& text, const QString& role);
  void endConflict();

  ShortcutRegistry& registry_;
  ShortcutModel* model_;
  QSortFilterProxyModel* found_;
  QLineEdit* search_;
  QTableView* table_;
  QLabel* title_;
  KeyField* keys_;
  QPushButton* remove_;
  QPushButton* reset_;
  QLabel* message_;
  QPushButton* swap_;
  QPushButton* takeOver_;
  QPushButton* keep_;
  std::optional<Conflict> conflict_;
};

}  // namespace lambda
