#include "app/runs/operations/run_removals.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <QAction>

#include "app/runs/run_library.h"
#include "app/session/page.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

RunRemovals::RunRemovals(RunLibrary& library, QObject* parent)
    : QObject(parent), library_(library), undo_(new QAction(this)), redo_(new QAction(this)) {
  undo_->setProperty(kLastingText, tr("Undo"));
  redo_->setProperty(kLastingText, tr("Redo"));
  connect(undo_, &QAction::triggered, this, &RunRemovals::undo);
  connect(redo_, &QAction::triggered, this, &RunRemovals::redo);
  connect(&library, &RunLibrary::trashed, this, &RunRemovals::onTrashed);
  updateActions();
}

void RunRemovals::moveToTrash(const std::vector<const RunRow*>& rows) {
  undone_.clear();
  remove({Way::trash, itemsOf(rows)});
}

void RunRemovals::takeOffList(const std::vector<const RunRow*>& rows) {
  undone_.clear();
  remove({Way::offList, itemsOf(rows)});
}

std::vector<RunRemovals::Item> RunRemovals::itemsOf(const std::vector<const RunRow*>& rows) {
  std::vector<Item> items;
  for (const RunRow* row : rows) {
    items.push_back({row->run.path, row->name(), row->isImported(), {}});
  }
  return items;
}

void RunRemovals::remove(Removal removal) {
  if (removal.items.empty()) return;
  if (removal.way == Way::trash) {
    // The trash takes them one by one, and may refuse some.
    moving_.insert(moving_.end(), removal.items.begin(), removal.items.end());
    done_.push_back({Way::trash, {}});
    for (const Item& item : removal.items) library_.moveToTrash(item.path);
    return;
  }
  for (const Item& item : removal.items) {
    if (item.isImported) {
      library_.removeLog(item.path);
    } else {
      library_.removeRun(item.path);
    }
  }
  const QString text =
      tr("%1 taken off the list; nothing was deleted.").arg(namesOf(removal.items));
  done_.push_back(std::move(removal));
  updateActions();
  Q_EMIT removed(text);
}

void RunRemovals::onTrashed(const fs::path& run, const fs::path& place) {
  const auto moved = std::find_if(
      moving_.begin(), moving_.end(), [&](const Item& item) { return item.path == run; });
  const auto removal = std::find_if(
      done_.rbegin(), done_.rend(), [](const Removal& each) { return each.way == Way::trash; });
  if (moved == moving_.end() || removal == done_.rend()) return;
  moved->trashed = place;
  removal->items.push_back(*moved);
  moving_.erase(moved);
  updateActions();
  Q_EMIT removed(tr("%1 moved to the trash.").arg(namesOf(removal->items)));
}

void RunRemovals::undo() {
  while (!done_.empty() && done_.back().items.empty()) done_.pop_back();
  if (done_.empty()) return;
  Removal removal = std::move(done_.back());
  done_.pop_back();
  for (const Item& item : removal.items) {
    if (removal.way == Way::trash) {
      library_.restore(item.trashed, item.path);
    } else if (item.isImported) {
      library_.importLog(item.path);
    } else {
      library_.addRun(item.path);
    }
  }
  const fs::path first = removal.items.front().path;
  undone_.push_back(std::move(removal));
  updateActions();
  Q_EMIT restored(first);
}

void RunRemovals::redo() {
  if (undone_.empty()) return;
  Removal removal = std::move(undone_.back());
  undone_.pop_back();
  remove(std::move(removal));
  updateActions();
}

QString RunRemovals::namesOf(const std::vector<Item>& items) {
  if (items.size() == 1) return items.front().name;
  return countedText(static_cast<qint64>(items.size()), tr("run"), tr("runs"));
}

QString RunRemovals::textOf(const Removal& removal) {
  const QString names = namesOf(removal.items);
  return removal.way == Way::trash ? tr("move %1 to the trash").arg(names)
                                   : tr("take %1 off the list").arg(names);
}

void RunRemovals::updateActions() {
  const auto last = std::find_if(
      done_.rbegin(), done_.rend(), [](const Removal& removal) { return !removal.items.empty(); });
  undo_->setEnabled(last != done_.rend());
  undo_->setText(undo_->isEnabled() ? tr("Undo: %1").arg(textOf(*last)) : tr("Undo"));
  redo_->setEnabled(!undone_.empty());
  redo_->setText(redo_->isEnabled() ? tr("Redo: %1").arg(textOf(undone_.back())) : tr("Redo"));
}

}  // namespace lambda
