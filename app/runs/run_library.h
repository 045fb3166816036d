#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <QObject>
#include <QString>
#include <QThread>

#include "app/runs/library/imported_log.h"
#include "app/runs/library/run_files.h"
#include "app/session/run_summary.h"
#include "engine/values/metrics.h"

class QSettings;

namespace lambda {

class LibraryWorker;

/// Whether the library folder can be used.
enum class LibraryState {
  reading,   ///< It has not been read yet.
  ready,     ///< It can be read and written.
  readOnly,  ///< It can be read; nothing can be trained into it.
  missing,   ///< There is no such folder.
  failed,    ///< It can't be read.
};

/// All runs a person has: those in the library folder, single ones opened from elsewhere, and logs
/// of other programs. A worker thread of its own reads and watches them, so that a run started on
/// the command line shows up within two seconds and its numbers follow. Run folders are the truth:
/// nothing is kept here that they do not say.
///
/// Lives on the GUI thread, which never waits for the disk: what is asked for comes with a signal.
class RunLibrary : public QObject {
  Q_OBJECT

 public:
  /// Where runs lie unless the person chose another folder: AppDataLocation/runs.
  static std::filesystem::path standardFolder();

  explicit RunLibrary(QObject* parent = nullptr);
  ~RunLibrary() override;

  const std::filesystem::path& folder() const { return folder_; }

  /// Watches another folder. The standard folder is created if it is not there, others are not.
  void setFolder(const std::filesystem::path& folder);

  LibraryState state() const { return state_; }

  /// What is wrong with the folder and what to do; empty while it can be read and written.
  const QString& stateText() const { return stateText_; }

  /// Ascending by path: the oldest first, where folders begin with their date.
  const std::vector<RunSummary>& runs() const { return runs_; }

  /// Null where there is no such run.
  const RunSummary* find(const std::filesystem::path& path) const;

  /// Also lists a run folder that lies elsewhere. A folder that is no run is refused().
  void addRun(const std::filesystem::path& path);
  /// No longer lists it; its files stay.
  void removeRun(const std::filesystem::path& path);

  const std::vector<std::filesystem::path>& addedRuns() const { return added_; }

  /// Reads event files for TensorBoard, also those of several runs below one folder. What can't be
  /// read is refused().
  void importLog(const std::filesystem::path& folder);
  void removeLog(const std::filesystem::path& path);

  const std::vector<ImportedLog>& importedLogs() const { return logs_; }

  /// The metrics of a run, null until metricsChanged() says that they are there. Those asked for
  /// last are kept up with what is appended to them.
  std::shared_ptr<const Metrics> metrics(const std::filesystem::path& path);

  /// Why they can't be read; empty where they can.
  QString metricsProblem(const std::filesystem::path& path) const;

  /// Lists a run's checkpoints and sizes: filesListed().
  void listFiles(const std::filesystem::path& path);

  /// Reads everything again now.
  void refresh();

  // Changes to run folders. Each is answered by runChanged() or changed(), or else refused().
  void setTags(const std::filesystem::path& path, std::vector<std::string> tags);
  void setNotes(const std::filesystem::path& path, std::string notes);
  /// Gives the run another name and its folder the matching one behind its date: renamed().
  void rename(const std::filesystem::path& path, const QString& name);
  /// Moves the folder to the system's trash: trashed().
  void moveToTrash(const std::filesystem::path& path);
  /// Brings back what trashed() told of.
  void restore(const std::filesystem::path& trashed, const std::filesystem::path& path);

  /// Remembers the folder, added runs and imported logs; the keys are below a group of their own.
  void saveTo(QSettings& settings) const;
  void restoreFrom(QSettings& settings);

 Q_SIGNALS:
  /// runs(), importedLogs() or state() are not what they were: something came or went.
  void changed();
  /// The summary of one run is new.
  void runChanged(const std::filesystem::path& path);
  void metricsChanged(const std::filesystem::path& path);
  void filesListed(const std::filesystem::path& path, const lambda::RunFiles& files);
  /// Comes before the changed() with the new path.
  void renamed(const std::filesystem::path& from, const std::filesystem::path& to);
  void trashed(const std::filesystem::path& path, const std::filesystem::path& trashed);
  /// A wish could not be granted: what happened, why and what to do.
  void refused(const std::filesystem::path& path, const QString& reason);

 private:
  friend class LibraryWorker;

  struct KnownMetrics {
    std::shared_ptr<const Metrics> metrics;
    QString problem;
    quint64 asked = 0;
  };

  template <class Task>
  void post(Task task);
  void take(const std::vector<std::filesystem::path>& paths,
            std::vector<RunSummary> news,
            LibraryState state,
            const QString& stateText);
  void takeMetrics(const std::filesystem::path& path,
                   std::shared_ptr<const Metrics> metrics,
                   const QString& problem);
  void takeLogs(const std::vector<ImportedLog>& logs);
  void takeRenaming(const std::filesystem::path& from, const std::filesystem::path& to);
  void forgetOldMetrics();

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> added_;
  std::vector<RunSummary> runs_;
  std::vector<ImportedLog> logs_;
  std::map<std::filesystem::path, KnownMetrics> metrics_;
  LibraryState state_ = LibraryState::reading;
  QString stateText_;
  quint64 asked_ = 0;
  QThread thread_;
  LibraryWorker* worker_ = nullptr;  ///< Lives on thread_.
};

}  // namespace lambda
