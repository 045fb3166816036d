#include "app/session/inspection/prediction_store.h"

#include "app/session/inspection/checkpoint_service.h"
#include "app/session/runs/run_content.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

PredictionStore::PredictionStore(CheckpointService& checkpoints, QObject* parent)
    : QObject(parent), checkpoints_(checkpoints) {}

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

PredictionStore::Known& PredictionStore::knownAt(const Key& key) {
  Known& known = known_[key];
  if (!known.attempt) known.attempt = std::make_unique<Work>(*this);
  return known;
}

void PredictionStore::ask(const fs::path& checkpoint, Split split) {
  const Key key(fileOf(checkpoint), split);
  Known& known = knownAt(key);
  if (known.entry.isRunning) return;
  known.entry = {.predictions = known.entry.predictions, .isRunning = true, .failure = {}};
  known.attempt->runNewest([checkpoint] { return placeOf(checkpoint); },
                           [this, key, checkpoint](const Place& place) {
                             if (!isCheckpointFile(checkpoint)) files_[checkpoint] = place.file;
                             classify(key, place);
                           });
  Q_EMIT changed();
}

void PredictionStore::classify(const Key& asked, const Place& place) {
  const Key key(place.file, asked.second);
  if (key != asked) {
    known_[asked].entry.isRunning = false;
    if (knownAt(key).entry.isRunning) return Q_EMIT changed();
    Entry& next = known_[key].entry;
    next = {.predictions = next.predictions, .isRunning = true, .failure = {}};
  }
  Known& known = known_[key];
  if (known.entry.predictions && known.written == place.written) {
    return end(key, [](Known&) {});
  }
  known.attempt->followNewest(
      checkpoints_.predict(key.first, key.second),
      [this, key, written = place.written](const PredictionsPointer& predictions) {
        end(key, [&](Known& ended) {
          ended.entry.predictions = predictions;
          ended.written = written;
        });
      },
      [this, key](const QString& reason) {
        end(key, [&](Known& ended) { ended.entry.failure = reason; });
      },
      [this, key](int done, int total) {
        Entry& entry = known_[key].entry;
        entry.done = done;
        entry.total = total;
        Q_EMIT changed();
      });
}

void PredictionStore::cancel(const fs::path& checkpoint, Split split) {
  const Key key(fileOf(checkpoint), split);
  const auto found = known_.find(key);
  if (found == known_.end() || !found->second.entry.isRunning) return;
  found->second.attempt->cancel();
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
