#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/tensorboard/tensorboard_events.h"

namespace lambda {

/// The content of the event files of one folder, in order.
struct EventStream {
  struct File {
    std::filesystem::path path;
    std::size_t begin = 0;  ///< Number of preceding values.
  };

  EventLog log;
  std::vector<File> files;
  /// (number of preceding values, step) of each restart that a file marks.
  std::vector<std::pair<std::size_t, std::int64_t>> restarts;

  /// Appends the events of one file; `log` then has the damage of this file alone. Throws Error and
  /// appends nothing if it is no event file.
  void append(std::string_view bytes, const std::filesystem::path& path);

  /// Drops the values that a later, marked restart replaces. Linear in the values and restarts.
  void dropRewound();

  /// Drops the values of each tag that a later file logs again without a mark, because the program
  /// resumed at an earlier step: those from the step on with which the tag begins in that file, if
  /// they were all logged before. Values of programs that log into one folder at the same time
  /// stay. Says what it drops, and where steps are repeated and all values stay.
  std::vector<EventRemark> dropAbandoned();

 private:
  void keep(const std::vector<bool>& kept);
};

/// The bytes of an event file. Throws Error if it can't be read or is larger than 1 GiB.
std::string readEventFile(const std::filesystem::path& path);

}  // namespace lambda
