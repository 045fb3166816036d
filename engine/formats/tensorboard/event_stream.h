#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/tensorboard/tensorboard_events.h"

namespace lambda {

/// What the event files of one folder hold, in order, before restarts are applied.
struct EventStream {
  EventLog log;
  /// (how many values precede it, its step) of each restart.
  std::vector<std::pair<std::size_t, std::int64_t>> restarts;

  /// Appends the events of one file. Throws Error, with nothing appended, unless it begins as one.
  void append(std::string_view bytes, const std::string& place);

  /// Drops the values that a later restart takes back. Linear in the values and restarts.
  EventLog withoutRewound() &&;
};

/// The bytes of an event file; at most 1 GiB.
std::string readEventFile(const std::filesystem::path& path);

}  // namespace lambda
