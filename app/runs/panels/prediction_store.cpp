#include "app/runs/panels/prediction_store.h"

namespace lambda {

PredictionStore::PredictionStore(InspectionSession& inspection, QObject* parent)
    : QObject(parent), inspection_(inspection) {
  connect(&inspection,
          &InspectionSession::predicted,
          this,
          [this](quint64 id, std::shared_ptr<const Predictions> predictions) {
            update(id, true, [&](Entry& entry) { entry.predictions = std::move(predictions); });
          });
  connect(&inspection,
          &InspectionSession::progressed,
          this,
          [this](quint64 id, qint64 done, qint64 total) {
            update(id, false, [&](Entry& entry) {
              entry.done = done;
              entry.total = total;
            });
          });
  connect(&inspection, &InspectionSession::cancelled, this, [this](quint64 id) {
    update(id, true, [](Entry&) {});
  });
  connect(&inspection, &InspectionSession::failed, this, [this](quint64 id, const QString& reason) {
    update(id, true, [&](Entry& entry) { entry.failure = reason; });
  });
}

PredictionStore::Entry PredictionStore::entry(const std::filesystem::path& run, Split split) const {
  const auto found = entries_.find({run, split});
  return found == entries_.end() ? Entry() : found->second;
}

void PredictionStore::ask(const std::filesystem::path& run, Split split) {
  Entry& entry = entries_[{run, split}];
  if (entry.isRunning) return;
  entry.isRunning = true;
  entry.done = entry.total = 0;
  entry.failure.clear();
  asked_[inspection_.predict(run, split)] = {run, split};
  Q_EMIT changed(run, split);
}

void PredictionStore::cancel(const std::filesystem::path& run, Split split) {
  for (const auto& [id, key] : asked_) {
    if (key == Key(run, split)) inspection_.cancel(id);
  }
}

template <class Change>
void PredictionStore::update(quint64 id, bool isLast, Change change) {
  const auto asked = asked_.find(id);
  if (asked == asked_.end()) return;
  const Key key = asked->second;
  Entry& entry = entries_[key];
  change(entry);
  if (isLast) {
    entry.isRunning = false;
    asked_.erase(asked);
  }
  Q_EMIT changed(key.first, key.second);
}

}  // namespace lambda
