#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/files/append_file.h"
#include "engine/formats/tensorboard/event_message.h"
#include "engine/values/curve.h"

namespace lambda {

/// Writes a TensorBoard event file of scalars. Each call reaches the operating system before it
/// returns, so a killed process loses nothing. Values are stored as float32, as PyTorch does.
/// Not thread-safe. All members throw Error naming the file.
class EventWriter {
 public:
  /// Creates `folder`/events.out.tfevents.<seconds>.<host>.<process>.<number>, which must not exist
  /// yet. `resumeStep`: the first step that a resumed run logs again; readers then drop what
  /// earlier files in the folder hold from that step on.
  explicit EventWriter(const std::filesystem::path& folder,
                       std::optional<std::int64_t> resumeStep = std::nullopt,
                       FileSystem& system = FileSystem::real());

  /// Logs scalars at one step, now.
  void add(std::int64_t step, const std::vector<Scalar>& scalars);

  /// The same at `wallTime`, in seconds since 1970-01-01 UTC.
  void add(std::int64_t step, const std::vector<Scalar>& scalars, double wallTime);

  /// Brings everything to the disk.
  void flush();

  const std::filesystem::path& path() const { return file_.path(); }

 private:
  AppendFile file_;
};

/// The first record of an event file, framed: the version "brain.Event:2" and our name.
std::string encodeVersionEvent(double wallTime);

/// A scalar as a foreign or own file holds it.
struct EventValue {
  std::string tag;
  std::int64_t step = 0;
  double wallTime = 0;  ///< Seconds since 1970-01-01 UTC.
  double value = 0;

  bool operator==(const EventValue&) const = default;
};

struct EventLog {
  std::vector<EventValue> values;  ///< In the order they were logged, restarts applied.
  int damagedRecords = 0;          ///< Left out: a failed CRC, or no event.
  bool incomplete = false;         ///< The file ends in a record that is cut or can't be framed.

  bool operator==(const EventLog&) const = default;
};

/// The scalars of an event file that anyone may have made, in both forms: simple values and
/// tensors of rank 0. After a restart record (SessionLog START) earlier values from its step on are
/// dropped, as TensorBoard does. Damage after the first record is left out and reported in the log.
/// Throws Error where the file can't be read, is beyond 1 GiB, or does not begin as an event file.
EventLog readEvents(const std::filesystem::path& path);

/// The same from bytes in memory; `place` names them in errors.
EventLog parseEvents(std::string_view bytes, const std::string& place);

/// The curves of a TensorBoard log folder, subfolders included, ascending by name. A tag that only
/// one folder has names its curve; one repeated over folders is named by the folder's path below
/// `folder` ("Accuracy_Test"), with the tag behind it where that folder has several such tags.
/// Files of one folder follow each other by name, restarts applied. Event files that can't be read
/// are left out while others can. Throws Error where there is no readable event file.
std::vector<Curve> readEventFolder(const std::filesystem::path& folder);

}  // namespace lambda
