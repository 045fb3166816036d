#include "app/studio/settings/shortcut_model.h"

#include <QAction>
#include <QFont>

#include "app/studio/settings/shortcut_registry.h"

using namespace Qt::StringLiterals;

namespace lambda {

ShortcutModel::ShortcutModel(const ShortcutRegistry& registry, QObject* parent)
    : QAbstractTableModel(parent), registry_(registry) {
  connect(&registry, &ShortcutRegistry::changed, this, [this] {
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
  });
}

int ShortcutModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(registry_.commands().size());
}

int ShortcutModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant ShortcutModel::data(const QModelIndex& index, int role) const {
  const auto row = static_cast<std::size_t>(index.row());
  const ShortcutCommand& command = registry_.commands()[row];
  if (role == Qt::FontRole && index.column() == kKeys && registry_.isChanged(row)) {
    QFont font;
    font.setBold(true);
    return font;
  }
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case kCommand:
      return command.name;
    case kPlace:
      return command.place;
    default:
      return command.action
                 ? QKeySequence::listToString(command.action->shortcuts(), QKeySequence::NativeText)
                 : QString();
  }
}

QVariant ShortcutModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QStringList names{u"Command"_s, u"Menu or page"_s, u"Shortcut"_s};
  return names[section];
}

}  // namespace lambda
