#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/tensorboard/tensorboard_events.h"

namespace lambda {

/// The content of the event files of one folder, in order, before restarts are applied.
struct EventStream {
  EventLog log;
  /// (number of preceding values, step) of each restart.
  std::vector<std::pair<std::size_t, std::int64_t>> restarts;

  /// Appends the events of one file. Throws Error and appends nothing if it is no event file.
  void append(std::string_view bytes, const std::string& place);

  /// Drops the values that a later restart replaces. Linear in the values and restarts.
  EventLog withoutRewound() &&;
};

/// The bytes of an event file. Throws Error if it can't be read or is larger than 1 GiB.
std::string readEventFile(const std::filesystem::path& path);

}  // namespace lambda
