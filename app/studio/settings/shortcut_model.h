#pragma once

#include <QAbstractTableModel>

namespace lambda {

class ShortcutRegistry;

/// All commands with their page and their shortcut, which is shown bold where a person changed it.
class ShortcutModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kCommand, kPlace, kKeys, kColumns };

  /// `registry` outlives the model.
  explicit ShortcutModel(const ShortcutRegistry& registry, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const ShortcutRegistry& registry_;
};

}  // namespace lambda
