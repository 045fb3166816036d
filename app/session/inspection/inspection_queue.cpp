#include "app/session/inspection/inspection_queue.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lambda {

void InspectionQueue::setTraining(std::shared_ptr<RunControl> control) {
  control_ = std::move(control);
  sent_.reset();
  if (!control_) waiting_.clear();
  sendNext();
}

QFuture<SnapshotPointer> InspectionQueue::add(const InspectionRequest& request,
                                              const QObject& view) {
  Place place{&view, request, std::make_unique<QPromise<SnapshotPointer>>()};
  place.request.id = ++lastId_;
  place.promise->start();
  const QFuture<SnapshotPointer> future = place.promise->future();
  const bool isSent = sent_ && sent_->view == &view && sent_->isWanted();
  if (isSent && waiting_.empty()) {
    // In the training's inbox the newer request replaces the older one. Where that is being
    // answered already, its number is no longer known here.
    sent_ = std::move(place);
    control_->requestInspection(sent_->request);
    return future;
  }
  // Another view waits for the training to answer; nobody is told of that answer.
  if (isSent) sent_->promise.reset();
  const auto same = std::ranges::find(waiting_, &view, &Place::view);
  if (same == waiting_.end()) {
    waiting_.push_back(std::move(place));
  } else {
    *same = std::move(place);
  }
  sendNext();
  return future;
}

void InspectionQueue::sendNext() {
  if (sent_ || !control_) return;
  std::erase_if(waiting_, [](const Place& place) { return !place.isWanted(); });
  if (waiting_.empty()) return;
  sent_ = std::move(waiting_.front());
  waiting_.pop_front();
  control_->requestInspection(sent_->request);
}

std::optional<InspectionQueue::Place> InspectionQueue::takeSent(const InspectionRequest& request) {
  if (!sent_ || request.id != sent_->request.id) return std::nullopt;
  std::optional<Place> place = std::exchange(sent_, std::nullopt);
  sendNext();
  return place->isWanted() ? std::move(place) : std::nullopt;
}

void InspectionQueue::answer(const SnapshotPointer& snapshot) {
  const auto place = takeSent(snapshot->request);
  if (!place) return;
  place->promise->addResult(snapshot);
  place->promise->finish();
}

void InspectionQueue::fail(const InspectionRequest& request, const std::string& reason) {
  const auto place = takeSent(request);
  if (!place) return;
  place->promise->setException(std::make_exception_ptr(std::runtime_error(reason)));
  place->promise->finish();
}

}  // namespace lambda
