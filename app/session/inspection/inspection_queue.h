#pragma once

#include <deque>
#include <memory>
#include <optional>

#include <QObject>
#include <QPointer>

#include "app/session/replies.h"
#include "engine/runtime/run_control.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

using SnapshotPointer = std::shared_ptr<const InspectionSnapshot>;

/// The requests to inspect the network that is being trained. Each view has one place; the views
/// take turns, one request at a time, in the order in which they asked. A view that asks faster
/// than it is answered waits behind the others again.
class InspectionQueue {
 public:
  /// The training that answers; null = none, which drops all requests.
  void setTraining(std::shared_ptr<RunControl> control);

  /// Replaces an older request of the view, which then gets no reply.
  void add(const InspectionRequest& request, QObject& view, Replies<SnapshotPointer> replies);
  void remove(const QObject& view);

  /// Gives the training's reply to the view that asked for it, and sends the next request.
  void answer(const SnapshotPointer& snapshot);
  void fail(const InspectionRequest& request, const QString& reason);

 private:
  struct Place {
    QPointer<QObject> view;
    InspectionRequest request;
    Replies<SnapshotPointer> replies;
  };

  void sendNext();
  std::optional<Place> takeSent(const InspectionRequest& request);

  std::shared_ptr<RunControl> control_;
  std::deque<Place> waiting_;
  std::optional<Place> sent_;
  std::uint64_t lastId_ = 0;
};

}  // namespace lambda
