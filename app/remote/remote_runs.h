#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <QObject>
#include <QString>

#include "app/remote/remote_connection.h"
#include "app/remote/remote_place.h"
#include "engine/values/config/run_config.h"
#include "engine/values/run/run_request.h"

class QSettings;

namespace lambda {

/// The folders of runs on other machines that a person follows. Their copies lie in the library
/// folder, where all pages find them as other runs; what only the machine with the run can do is
/// passed on to it. Lives on the GUI thread; answers come on it.
class RemoteRuns : public QObject {
  Q_OBJECT

 public:
  /// What became of a request: `run`, the copy of a run that began, and why it was refused.
  using Answer = std::function<void(const std::filesystem::path& run, const QString& refusal)>;
  using Command = std::function<QStringList(const RemotePlace& place)>;

  /// `command`: that follows a place.
  explicit RemoteRuns(Command command = followCommand, QObject* parent = nullptr);
  ~RemoteRuns() override;

  /// The library folder, in whose subfolder "remote" the copies lie.
  void setLibrary(const std::filesystem::path& library);

  std::vector<RemotePlace> places() const;

  /// Follows a place. Returns why it can't be followed; empty where it can.
  QString add(const RemotePlace& place);
  /// Ends the connection. The copy stays, as it is, and is no copy any more.
  void remove(const RemotePlace& place);

  RemoteState stateOf(const RemotePlace& place) const;
  QString stateTextOf(const RemotePlace& place) const;

  /// Tries to connect at once.
  void reconnect(const RemotePlace& place);

  /// Whether the run is a copy of one on another machine that is followed.
  bool isRemote(const std::filesystem::path& run) const;

  /// Gets files of a run that are not here.
  void fetch(const std::filesystem::path& run, RemoteFiles files, Answer answer);

  /// Trains on another machine: a new run, or a stopped one on.
  void start(const RemotePlace& place, const RunConfig& config, Answer answer);
  void resume(const std::filesystem::path& run, Answer answer);

  /// A function that passes requests to the process that trains the run. It may be called on any
  /// thread but this one, waits for the answer of the other machine, and throws Error where the
  /// request is refused.
  std::function<void(const RunRequest&)> requestsTo(const std::filesystem::path& run) const;

  void saveTo(QSettings& settings) const;
  void restoreFrom(QSettings& settings);

 Q_SIGNALS:
  /// places() or the state of one has changed.
  void changed();
  /// A run is new, or there are other files of it to fetch.
  void runChanged(const std::filesystem::path& run);
  /// The runs whose copies lie there are not followed any more from now on.
  void leaving(const std::filesystem::path& copies);

 private:
  struct Gate;
  struct Followed;

  Followed* find(const RemotePlace& place) const;
  Followed* ownerOf(const std::filesystem::path& run) const;
  void send(Followed& followed, RemoteWish wish, Answer answer);
  RemoteConnection::Answer toThis(const Followed& followed, Answer answer);
  void follow(const RemotePlace& place);
  std::filesystem::path freeCopyFor(const RemotePlace& place) const;

  Command command_;
  std::filesystem::path library_;
  std::vector<std::unique_ptr<Followed>> followed_;
};

}  // namespace lambda
