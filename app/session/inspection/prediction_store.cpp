#include "app/session/inspection/prediction_store.h"

#include "app/session/inspection/inspection_session.h"
#include "app/session/runs/run_content.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

PredictionStore::PredictionStore(InspectionSession& inspection, QObject* parent)
    : QObject(parent), inspection_(inspection), tasks_(*this) {}

fs::path PredictionStore::fileOf(const fs::path& checkpoint) const {
  if (isCheckpointFile(checkpoint)) return checkpoint;
  const auto known = files_.find(checkpoint);
  return known == files_.end() ? checkpoint / "checkpoints/best.safetensors" : known->second;
}

PredictionStore::Place PredictionStore::placeOf(const fs::path& checkpoint) {
  Place place{checkpoint, {}};
  try {
    place.file = checkpointAt(checkpoint);
  } catch (const Error&) {
    // The classification fails and says why.
  }
  std::error_code ignored;
  place.written = fs::last_write_time(place.file, ignored);
  return place;
}

PredictionStore::Entry PredictionStore::entry(const fs::path& checkpoint, Split split) const {
  const auto found = known_.find({fileOf(checkpoint), split});
  return found == known_.end() ? Entry() : found->second.entry;
}

void PredictionStore::ask(const fs::path& checkpoint, Split split) {
  const Key key(fileOf(checkpoint), split);
  Known& known = known_[key];
  if (known.entry.isRunning) return;
  known.entry = {.predictions = known.entry.predictions, .isRunning = true, .failure = {}};
  known.attempt = ++lastAttempt_;
  known.request = 0;
  tasks_.run([checkpoint] { return placeOf(checkpoint); },
             [this, key, checkpoint, attempt = known.attempt](const Place& place) {
               if (!isCheckpointFile(checkpoint)) files_[checkpoint] = place.file;
               classify(key, attempt, place);
             });
  Q_EMIT changed();
}

void PredictionStore::classify(const Key& asked, quint64 attempt, const Place& place) {
  const auto found = known_.find(asked);
  const bool isWanted = found->second.entry.isRunning && found->second.attempt == attempt;
  if (!isWanted) return;
  const Key key(place.file, asked.second);
  if (key != asked) {
    found->second.entry.isRunning = false;
    if (known_[key].entry.isRunning) return Q_EMIT changed();
    Entry& next = known_[key].entry;
    next = {.predictions = next.predictions, .isRunning = true, .failure = {}};
  }
  Known& known = known_[key];
  if (known.entry.predictions && known.written == place.written) {
    return end(key, [](Known&) {});
  }
  known.request = inspection_.predict(
      key.first,
      key.second,
      *this,
      {.answered =
           [this, key, written = place.written](const PredictionsPointer& predictions) {
             end(key, [&](Known& ended) {
               ended.entry.predictions = predictions;
               ended.written = written;
             });
           },
       .failed =
           [this, key](const QString& reason) {
             end(key, [&](Known& ended) { ended.entry.failure = reason; });
           },
       .progressed =
           [this, key](qint64 done, qint64 total) {
             Entry& entry = known_[key].entry;
             entry.done = done;
             entry.total = total;
             Q_EMIT changed();
           }});
}

void PredictionStore::cancel(const fs::path& checkpoint, Split split) {
  const Key key(fileOf(checkpoint), split);
  const auto found = known_.find(key);
  if (found == known_.end() || !found->second.entry.isRunning) return;
  inspection_.cancel(found->second.request);
  end(key, [](Known&) {});
}

template <class Change>
void PredictionStore::end(const Key& key, Change change) {
  Known& known = known_[key];
  known.entry.isRunning = false;
  change(known);
  Q_EMIT changed();
}

}  // namespace lambda
