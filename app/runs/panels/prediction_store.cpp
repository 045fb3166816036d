#include "app/runs/panels/prediction_store.h"

namespace lambda {

PredictionStore::PredictionStore(InspectionSession& inspection, QObject* parent)
    : QObject(parent), inspection_(inspection) {}

PredictionStore::Entry PredictionStore::entry(const std::filesystem::path& run, Split split) const {
  const auto found = entries_.find({run, split});
  return found == entries_.end() ? Entry() : found->second;
}

void PredictionStore::ask(const std::filesystem::path& run, Split split) {
  const Key key(run, split);
  Entry& entry = entries_[key];
  if (entry.isRunning) return;
  entry.isRunning = true;
  entry.done = entry.total = 0;
  entry.failure.clear();
  requests_[key] = inspection_.predict(
      run,
      split,
      *this,
      {.answered =
           [this, key](const PredictionsPointer& predictions) {
             update(key, true, [&](Entry& found) { found.predictions = predictions; });
           },
       .failed =
           [this, key](const QString& reason) {
             update(key, true, [&](Entry& found) { found.failure = reason; });
           },
       .progressed =
           [this, key](qint64 done, qint64 total) {
             update(key, false, [&](Entry& found) {
               found.done = done;
               found.total = total;
             });
           }});
  Q_EMIT changed(run, split);
}

void PredictionStore::cancel(const std::filesystem::path& run, Split split) {
  const Key key(run, split);
  const auto request = requests_.find(key);
  if (request == requests_.end()) return;
  inspection_.cancel(request->second);
  update(key, true, [](Entry&) {});
}

template <class Change>
void PredictionStore::update(const Key& key, bool isLast, Change change) {
  Entry& entry = entries_[key];
  change(entry);
  if (isLast) {
    entry.isRunning = false;
    requests_.erase(key);
  }
  Q_EMIT changed(key.first, key.second);
}

}  // namespace lambda
