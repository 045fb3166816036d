#include "app/session/inspection/inspection_queue.h"

#include <algorithm>
#include <utility>

namespace lambda {

void InspectionQueue::setTraining(std::shared_ptr<RunControl> control) {
  control_ = std::move(control);
  sent_.reset();
  if (!control_) waiting_.clear();
  sendNext();
}

void InspectionQueue::add(const InspectionRequest& request,
                          QObject& view,
                          Replies<SnapshotPointer> replies) {
  Place place{&view, request, std::move(replies)};
  place.request.id = ++lastId_;
  const bool isSent = sent_ && sent_->view == &view;
  if (isSent && waiting_.empty()) {
    // In the training's inbox the newer request replaces the older one. Where that is being
    // answered already, its number is no longer known here.
    sent_ = std::move(place);
    control_->requestInspection(sent_->request);
    return;
  }
  // Another view waits for the training to answer; nobody is told of that answer.
  if (isSent) sent_->view.clear();
  const auto same =
      std::ranges::find(waiting_, &view, [](const Place& other) { return other.view.data(); });
  if (same == waiting_.end()) {
    waiting_.push_back(std::move(place));
  } else {
    *same = std::move(place);
  }
  sendNext();
}

void InspectionQueue::remove(const QObject& view) {
  std::erase_if(waiting_, [&view](const Place& place) { return place.view == &view; });
  // The answer that is under way comes, and then the next request is sent.
  if (sent_ && sent_->view == &view) sent_->view.clear();
}

void InspectionQueue::sendNext() {
  if (sent_ || !control_) return;
  std::erase_if(waiting_, [](const Place& place) { return place.view.isNull(); });
  if (waiting_.empty()) return;
  sent_ = std::move(waiting_.front());
  waiting_.pop_front();
  control_->requestInspection(sent_->request);
}

std::optional<InspectionQueue::Place> InspectionQueue::takeSent(const InspectionRequest& request) {
  if (!sent_ || request.id != sent_->request.id) return std::nullopt;
  std::optional<Place> place = std::exchange(sent_, std::nullopt);
  sendNext();
  return place->view ? std::move(place) : std::nullopt;
}

void InspectionQueue::answer(const SnapshotPointer& snapshot) {
  if (const auto place = takeSent(snapshot->request)) place->replies.answered(snapshot);
}

void InspectionQueue::fail(const InspectionRequest& request, const QString& reason) {
  const auto place = takeSent(request);
  if (place && place->replies.failed) place->replies.failed(reason);
}

}  // namespace lambda
