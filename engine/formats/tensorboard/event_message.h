#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lambda {

/// A scalar to log, or one that was read.
struct Scalar {
  std::string tag;
  double value = 0;
};

enum class EventContent { nothing, version, summary, sessionStart, sessionOther };

/// The part of one of TensorBoard's event messages that carries scalars. Field numbers as in
/// tensorflow/core/util/event.proto, framework/summary.proto, tensor.proto and tensor_shape.proto.
struct EventMessage {
  double wallTime = 0;  ///< Seconds since 1970-01-01 UTC.
  std::int64_t step = 0;
  EventContent content = EventContent::nothing;
  std::vector<Scalar> scalars;  ///< Of a summary: its simple values and its tensors of rank 0.
};

/// Any bytes; none where they are no event. Tags are bytes: a foreign file need not hold UTF-8.
std::optional<EventMessage> decodeEvent(std::string_view bytes);

/// The message that begins an event file: "brain.Event:2" and our name.
std::string encodeVersion(double wallTime);

/// Scalars of one step, as simple values in float32.
std::string encodeScalars(std::int64_t step, const std::vector<Scalar>& scalars, double wallTime);

/// Says that what earlier files hold from `step` on is logged again.
std::string encodeRestart(std::int64_t step, double wallTime);

}  // namespace lambda
