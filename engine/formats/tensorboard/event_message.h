#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/run/histogram.h"

namespace lambda {

/// A scalar to log, or one that was read.
struct Scalar {
  std::string tag;
  double value = 0;
};

enum class EventContent { nothing, version, summary, sessionStart, sessionOther };

/// The scalar part of a TensorBoard event message. Field numbers are those of
/// tensorflow/core/util/event.proto, framework/summary.proto, tensor.proto and tensor_shape.proto.
struct EventMessage {
  double wallTime = 0;  ///< Seconds since 1970-01-01 UTC.
  std::int64_t step = 0;
  EventContent content = EventContent::nothing;
  std::vector<Scalar> scalars;  ///< Simple values and tensors of rank 0 of a summary.
};

/// Decodes arbitrary bytes; none if they are not an event. Tags need not be UTF-8.
std::optional<EventMessage> decodeEvent(std::string_view bytes);

/// The message that begins an event file: "brain.Event:2" and the name of this program.
std::string encodeVersion(double wallTime);

/// Scalars of one step, as simple values in float32.
std::string encodeScalars(std::int64_t step, const std::vector<Scalar>& scalars, double wallTime);

/// A histogram to log.
struct TaggedHistogram {
  std::string tag;
  const Histogram* histogram = nullptr;
};

/// Histograms of one step, as HistogramProto with a bucket for each octave of values: TensorBoard
/// shows about 30 buckets. Sums, smallest and greatest value are those of the bins; values that are
/// not finite are left out, as the format has no place for them.
std::string encodeHistograms(std::int64_t step,
                             const std::vector<TaggedHistogram>& histograms,
                             double wallTime);

/// A restart message: values of earlier files from `step` on are logged again.
std::string encodeRestart(std::int64_t step, double wallTime);

}  // namespace lambda
