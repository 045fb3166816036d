#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/files/append_file.h"
#include "engine/formats/tensorboard/event_message.h"
#include "engine/values/run/curve.h"

namespace lambda {

/// Writes a TensorBoard event file of scalars and histograms. Each call reaches the operating
/// system before it returns, so a killed process loses nothing. Scalars are stored as float32, as
/// PyTorch does. Not thread-safe. All members throw Error naming the file.
class EventWriter {
 public:
  /// Creates `folder`/events.out.tfevents.<seconds>.<host>.<process>.<number>, which must not exist
  /// yet. `resumeStep`: the first step that a resumed run logs again; readers then drop the values
  /// of earlier files in the folder from that step on.
  explicit EventWriter(const std::filesystem::path& folder,
                       std::optional<std::int64_t> resumeStep = std::nullopt,
                       FileSystem& system = FileSystem::real());

  /// Logs scalars of one step with the current time.
  void add(std::int64_t step, const std::vector<Scalar>& scalars);

  /// Logs scalars of one step at `wallTime`, in seconds since 1970-01-01 UTC.
  void add(std::int64_t step, const std::vector<Scalar>& scalars, double wallTime);

  /// Logs histograms of one step with the current time.
  void add(std::int64_t step, const std::vector<TaggedHistogram>& histograms);

  /// Writes everything to the disk (fsync).
  void flush();

  const std::filesystem::path& path() const { return file_.path(); }

 private:
  AppendFile file_;
};

/// The first record of an event file, framed: "brain.Event:2" and the name of this program.
std::string encodeVersionEvent(double wallTime);

/// A scalar of an event file, from this or another program.
struct EventValue {
  std::string tag;
  std::int64_t step = 0;
  double wallTime = 0;  ///< Seconds since 1970-01-01 UTC.
  double value = 0;

  bool operator==(const EventValue&) const = default;
};

struct EventLog {
  std::vector<EventValue> values;  ///< In the order they were logged, restarts applied.
  int damagedRecords = 0;          ///< Records left out: their CRC fails, or they are no event.
  bool incomplete = false;         ///< The last record is cut off or its length is invalid.

  bool operator==(const EventLog&) const = default;
};

/// The scalars of an untrusted event file, in both forms: simple values and tensors of rank 0.
/// After a restart record (SessionLog START) earlier values from its step on are dropped, as
/// TensorBoard does. Damage after the first record is left out and reported in the log. Throws
/// Error where the file can't be read, is beyond 1 GiB, or does not begin as an event file.
EventLog readEvents(const std::filesystem::path& path);

/// The same from bytes in memory; `place` names them in errors.
EventLog parseEvents(std::string_view bytes, const std::string& place);

/// What is to be said of an event file: damage, why it was left out, or steps that it logs again.
struct EventRemark {
  std::filesystem::path file;
  std::string text;  ///< Without a point at its end.

  bool operator==(const EventRemark&) const = default;
};

struct EventFolder {
  std::vector<Curve> curves;  ///< In ascending order of their names.
  std::vector<EventRemark> remarks;
};

/// Whether the path is a file with the name of an event file.
bool isEventFile(const std::filesystem::path& path);

/// The curves of a TensorBoard log folder, including subfolders, or of one event file. The
/// name of a curve is its tag if only one folder has that tag. Otherwise it is the folder's path
/// below `folder` ("Accuracy_Test"), followed by the tag if that folder has several such tags.
/// Files of one folder are read in the order of their names. A file that resumes at an earlier step
/// replaces the values of earlier files from there on, with a restart record or without, and event
/// files that can't be read are left out; the remarks say so. `isCancelled` is called between
/// files; those that were read until then are the result. Throws Error if there is no readable
/// event file.
EventFolder readEventFolder(const std::filesystem::path& folder,
                            const std::function<bool()>& isCancelled = {});

}  // namespace lambda
