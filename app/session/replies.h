#pragma once

#include <functional>

#include <QString>
#include <QtGlobal>

namespace lambda {

/// The replies to a request, called on the GUI thread: any number of times `progressed`, then
/// either `answered` or `failed`. A request that was cancelled, that a newer one has replaced, or
/// whose context was destroyed gets no more replies.
template <class Result>
struct Replies {
  std::function<void(const Result&)> answered;
  /// What happened, why and what to do.
  std::function<void(const QString& reason)> failed = {};
  std::function<void(qint64 done, qint64 total)> progressed = {};
};

}  // namespace lambda
