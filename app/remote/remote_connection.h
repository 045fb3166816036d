#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QTimer>

#include "app/remote/remote_place.h"
#include "engine/runs/remote/run_mirror.h"

namespace lambda {

enum class RemoteState {
  connecting,
  connected,
  lost,       ///< The connection has ended; the next try comes by itself.
  impossible  ///< The copy can't be kept here: nothing is tried again.
};

/// The files of a run that are fetched.
enum class RemoteFiles {
  inspections,  ///< The small ones that a run records with each epoch.
  toInspect,    ///< Those, and the checkpoint that represents the run.
};

/// A connection to `lambda follow` on another machine, which keeps the copy of its folder of runs
/// equal. It connects again by itself, after growing pauses. Lives on a worker's thread.
class RemoteConnection : public QObject {
  Q_OBJECT

 public:
  /// What became of a wish: `run` where it started one, and why it was refused; empty = it was not.
  using Answer = std::function<void(const std::string& run, const QString& refusal)>;

  /// `command`: with the program first. `copy`: the folder of the copy.
  RemoteConnection(const QString& name, const QStringList& command, std::filesystem::path copy);
  ~RemoteConnection() override;

  void connectNow();

  /// `answer` is called on this thread, at once where there is no connection.
  void send(RemoteWish wish, Answer answer);

  /// Ends the copy, if it is kept here: its runs are as others from then on.
  void release();

  /// Fetches files of a run that are not here. `answer`'s run is empty.
  void fetch(const std::string& run, RemoteFiles files, Answer answer);

 Q_SIGNALS:
  void stateChanged(lambda::RemoteState state, const QString& text);
  /// A run is new, or there are other files of it.
  void runChanged(const std::string& run);

 private:
  using FetchKey = std::pair<std::string, RemoteFiles>;  // Run and files.

  struct Fetch {
    std::size_t left = 0;  ///< Files.
    QString problem;
    std::vector<Answer> answers;
  };

  void read();
  void end(const QString& reason);
  void setState(RemoteState state, const QString& text);
  void answer(std::uint64_t id, const std::string& run, const std::string& refusal);

  QString name_;
  QStringList command_;
  std::filesystem::path copy_;
  std::unique_ptr<RunMirror> mirror_;
  std::unique_ptr<QProcess> process_;
  QTimer retry_;
  QTimer watchdog_;
  int tries_ = 0;          ///< Since the last connection.
  bool wasHeard_ = false;  ///< There was a connection.
  QByteArray complaints_;  ///< The end of what the process wrote on standard error.
  RemoteState state_ = RemoteState::connecting;
  std::uint64_t lastId_ = 0;
  std::map<std::uint64_t, Answer> answers_;
  std::map<FetchKey, Fetch> fetches_;
};

}  // namespace lambda
