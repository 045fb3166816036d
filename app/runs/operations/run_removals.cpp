#include "app/runs/operations/run_removals.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <QAction>

#include "app/runs/run_library.h"
#include "app/session/page.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

RunRemovals::RunRemovals(RunLibrary& library, QObject* parent)
    : QObject(parent), library_(library), undo_(new QAction(this)), redo_(new QAction(this)) {
  undo_->setProperty(kLastingText, u"Undo"_s);
  redo_->setProperty(kLastingText, u"Redo"_s);
  connect(undo_, &QAction::triggered, this, &RunRemovals::undo);
  connect(redo_, &QAction::triggered, this, &RunRemovals::redo);
  connect(&library, &RunLibrary::trashed, this, &RunRemovals::onTrashed);
  connect(&library, &RunLibrary::refused, this, &RunRemovals::onRefused);
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
    done_.push_back({Way::trash, {}, removal.items});
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
      u"%1 removed from the list; nothing was deleted."_s.arg(namesOf(removal.items));
  done_.push_back(std::move(removal));
  updateActions();
  Q_EMIT removed(text);
}

void RunRemovals::onTrashed(const fs::path& run, const fs::path& place) {
  for (Removal& removal : done_) {
    const auto moved = std::ranges::find(removal.moving, run, &Item::path);
    if (moved == removal.moving.end()) continue;
    moved->trashed = place;
    removal.items.push_back(*moved);
    removal.moving.erase(moved);
    updateActions();
    Q_EMIT removed(u"%1 moved to the trash."_s.arg(namesOf(removal.items)));
    return;
  }
}

/// A run that the trash refused was not removed; a run that could not be restored can be undone
/// again.
void RunRemovals::onRefused(const fs::path& run) {
  const auto isIt = [&run](const Item& item) { return item.path == run; };
  for (Removal& removal : done_) std::erase_if(removal.moving, isIt);
  std::erase_if(done_, [](const Removal& removal) {
    return removal.items.empty() && removal.moving.empty();
  });
  if (std::erase(restoring_, run) > 0 && !undone_.empty()) {
    Removal& removal = undone_.back();
    const auto item = std::ranges::find_if(removal.items, isIt);
    if (item != removal.items.end()) {
      done_.push_back({removal.way, {*item}});
      removal.items.erase(item);
      if (removal.items.empty()) undone_.pop_back();
    }
  }
  updateActions();
}

void RunRemovals::undo() {
  const auto last = std::find_if(
      done_.rbegin(), done_.rend(), [](const Removal& each) { return !each.items.empty(); });
  if (last == done_.rend()) return;
  Removal removal{last->way, std::exchange(last->items, {})};
  if (last->moving.empty()) done_.erase(std::next(last).base());
  restoring_.clear();
  for (const Item& item : removal.items) restoring_.push_back(item.path);
  for (const Item& item : removal.items) {
    if (removal.way == Way::trash) {
      library_.restore(item.trashed, item.path);
    } else if (item.isImported) {
      library_.relistLog(item.path);
    } else {
      library_.addRun(item.path);
    }
  }
  const fs::path first = removal.items.front().path;
  const QString text = u"%1 restored."_s.arg(namesOf(removal.items));
  undone_.push_back(std::move(removal));
  updateActions();
  Q_EMIT restored(first, text);
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
  return countedText(static_cast<qint64>(items.size()), u"run"_s);
}

QString RunRemovals::textOf(const Removal& removal) {
  const QString names = namesOf(removal.items);
  return removal.way == Way::trash ? u"move %1 to the trash"_s.arg(names)
                                   : u"remove %1 from the list"_s.arg(names);
}

void RunRemovals::updateActions() {
  const auto last = std::find_if(
      done_.rbegin(), done_.rend(), [](const Removal& removal) { return !removal.items.empty(); });
  undo_->setEnabled(last != done_.rend());
  undo_->setText(undo_->isEnabled() ? u"Undo: %1"_s.arg(textOf(*last)) : u"Undo"_s);
  redo_->setEnabled(!undone_.empty());
  redo_->setText(redo_->isEnabled() ? u"Redo: %1"_s.arg(textOf(undone_.back())) : u"Redo"_s);
}

}  // namespace lambda
