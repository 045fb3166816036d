#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <optional>

#include <QFuture>
#include <QObject>
#include <QPromise>

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

  /// Replaces an older request of the view, whose future is then cancelled.
  QFuture<SnapshotPointer> add(const InspectionRequest& request, const QObject& view);

  /// Gives the training's reply to the view that asked for it, and sends the next request.
  void answer(const SnapshotPointer& snapshot);
  void fail(const InspectionRequest& request, const std::string& reason);

 private:
  struct Place {
    const QObject* view = nullptr;  ///< Whose place it is.
    InspectionRequest request;
    /// Null where a newer request waits for the training's reply to this one.
    std::unique_ptr<QPromise<SnapshotPointer>> promise;

    bool isWanted() const { return promise && !promise->isCanceled(); }
  };

  void sendNext();
  std::optional<Place> takeSent(const InspectionRequest& request);

  std::shared_ptr<RunControl> control_;
  std::deque<Place> waiting_;
  std::optional<Place> sent_;
  std::uint64_t lastId_ = 0;
};

}  // namespace lambda
