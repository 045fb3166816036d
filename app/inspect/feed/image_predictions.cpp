#include "app/inspect/feed/image_predictions.h"

namespace lambda {

ImagePredictions::ImagePredictions(PredictionStore& store, QObject* parent)
    : QObject(parent), store_(store) {
  connect(&store_, &PredictionStore::changed, this, &ImagePredictions::refresh);
}

void ImagePredictions::setSubject(const std::filesystem::path& checkpoint, Split split) {
  if (checkpoint != checkpoint_) step_.reset();
  checkpoint_ = checkpoint;
  split_ = split;
  entry_ = {};
  Q_EMIT progressed(std::nullopt);
  Q_EMIT changed();
  refresh();
}

void ImagePredictions::setStep(std::int64_t step) {
  step_ = step;
  refresh();
}

void ImagePredictions::request() {
  if (!checkpoint_.empty()) store_.ask(checkpoint_, split_);
}

void ImagePredictions::cancel() {
  if (!checkpoint_.empty()) store_.cancel(checkpoint_, split_);
}

void ImagePredictions::refresh() {
  PredictionStore::Entry entry;
  if (!checkpoint_.empty()) entry = store_.entry(checkpoint_, split_);
  if (entry.predictions && step_ && entry.predictions->step != *step_) entry.predictions.reset();
  if (entry == entry_) return;
  const PredictionStore::Entry before = std::exchange(entry_, entry);
  Q_EMIT progressed(entry.isRunning ? std::optional(std::pair(entry.done, entry.total))
                                    : std::nullopt);
  if (entry.predictions != before.predictions) {
    Q_EMIT changed();
    if (before.isRunning) Q_EMIT scored();
  }
  if (before.isRunning && !entry.failure.isEmpty()) Q_EMIT failed(entry.failure);
}

}  // namespace lambda
