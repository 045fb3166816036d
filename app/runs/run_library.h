#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <QObject>
#include <QString>

#include "app/runs/library/imported_log.h"
#include "app/runs/library/run_files.h"
#include "app/session/runs/run_summary.h"
#include "engine/values/run/metrics.h"
#include "widgets/work/lane.h"

class QSettings;

namespace lambda {

class LibraryWorker;

/// Whether the library folder can be used.
enum class LibraryState {
  reading,   ///< It has not been read yet.
  ready,     ///< It can be read and written.
  readOnly,  ///< It can be read, but no run can be trained in it.
  missing,   ///< There is no such folder.
  failed,    ///< It can't be read.
};

/// All runs of a person: those in the library folder, single ones opened from elsewhere, and logs
/// of other programs. A worker thread reads and watches them, so that a run started on the command
/// line appears within two seconds and its numbers follow. Run folders are the only source: nothing
/// is kept here that they do not contain.
///
/// Lives on the GUI thread, which never waits for the disk: results come with a signal.
class RunLibrary : public QObject {
  Q_OBJECT

 public:
  /// The folder of runs unless the person chose another: AppDataLocation/runs.
  static std::filesystem::path standardFolder();

  explicit RunLibrary(QObject* parent = nullptr);
  ~RunLibrary() override;

  const std::filesystem::path& folder() const { return folder_; }

  /// Watches another folder. The standard folder is created if it is missing, others are not.
  void setFolder(const std::filesystem::path& folder);

  LibraryState state() const { return state_; }

  /// The problem of the folder and what to do; empty while it can be read and written.
  const QString& stateText() const { return stateText_; }

  /// Ascending by path: the oldest first, where folder names begin with their date.
  const std::vector<RunSummary>& runs() const { return runs_; }

  /// Null where there is no such run.
  const RunSummary* find(const std::filesystem::path& path) const;

  /// Lists or imports what these files and folders belong to: runs, or event files for TensorBoard.
  /// Each is answered by opened() or refused().
  void open(std::vector<std::filesystem::path> paths);

  /// Also lists a run folder from elsewhere. A folder that is no run is refused() and taken off
  /// again.
  void addRun(const std::filesystem::path& path);
  /// Removes it from the list; its files stay.
  void removeRun(const std::filesystem::path& path);

  const std::vector<std::filesystem::path>& addedRuns() const { return added_; }

  /// Reads event files for TensorBoard, also those of several runs below one folder. Files that
  /// can't be read are refused(). A log that was imported stays in the list until it is removed,
  /// also while its files are missing.
  void importLog(const std::filesystem::path& folder);
  void removeLog(const std::filesystem::path& path);
  /// Lists a log again that was removed, also while its files are missing.
  void relistLog(const std::filesystem::path& path);

  const std::vector<ImportedLog>& importedLogs() const { return logs_; }

  /// The metrics of a run, null until metricsChanged(). The most recently requested ones are
  /// updated with the lines that are appended to them.
  std::shared_ptr<const Metrics> metrics(const std::filesystem::path& path);

  /// Why the metrics can't be read; empty where they can.
  QString metricsProblem(const std::filesystem::path& path) const;

  /// Lists a run's checkpoints and sizes: filesListed().
  void listFiles(const std::filesystem::path& path);

  /// Finds the command line that trains such a run again: commandFound().
  void findCommand(const std::filesystem::path& run);

  /// Writes a file whole: written(), or refused() with its path.
  void write(const std::filesystem::path& file, const QByteArray& content);

  /// Reads everything again at once.
  void refresh();

  // Changes to run folders. Each is answered by runChanged() or changed(), or else refused().
  void setTags(const std::filesystem::path& path, std::vector<std::string> tags);
  void setNotes(const std::filesystem::path& path, std::string notes);
  /// Gives the run another name, and its folder the same name behind its date: renamed().
  void rename(const std::filesystem::path& path, const QString& name);
  /// Moves the folder to the system's trash: trashed().
  void moveToTrash(const std::filesystem::path& path);
  /// Restores a folder that trashed() reported.
  void restore(const std::filesystem::path& trashed, const std::filesystem::path& path);

  /// Saves the folder, added runs and imported logs; the keys are in a separate group.
  void saveTo(QSettings& settings) const;
  /// From then on every change of these lists is written to the same place at once.
  void restoreFrom(QSettings& settings);

 Q_SIGNALS:
  /// runs(), importedLogs() or state() have changed: entries were added or removed.
  void changed();
  /// The summary of one run has changed.
  void runChanged(const std::filesystem::path& path);
  void metricsChanged(const std::filesystem::path& path);
  void filesListed(const std::filesystem::path& path, const lambda::RunFiles& files);
  /// `folder` is being listed or imported, as open() requested.
  void opened(const std::filesystem::path& folder);
  void commandFound(const QString& command);
  /// `sentence` says what the file holds.
  void written(const std::filesystem::path& file, const QString& sentence);
  /// Emitted before the changed() with the new path.
  void renamed(const std::filesystem::path& from, const std::filesystem::path& to);
  void trashed(const std::filesystem::path& path, const std::filesystem::path& trashed);
  /// A request could not be met: what happened, why and what to do.
  void refused(const std::filesystem::path& path, const QString& reason);

 private:
  struct KnownMetrics {
    std::shared_ptr<const Metrics> metrics;
    QString problem;
    quint64 asked = 0;
  };

  template <class Task>
  void post(Task task);
  void connectWorker();
  void take(const std::vector<std::filesystem::path>& paths,
            const std::vector<RunSummary>& news,
            LibraryState state,
            const QString& stateText);
  void takeMetrics(const std::filesystem::path& path,
                   const std::shared_ptr<const Metrics>& metrics,
                   const QString& problem);
  void takeLogs(const std::vector<ImportedLog>& logs);
  void takeLogAgain(const ImportedLog& log);
  void takeFoundRuns(const std::vector<std::filesystem::path>& runs);
  void update(const ImportedLog& log);
  void shareAdded();
  void store();
  void takeRenaming(const std::filesystem::path& from, const std::filesystem::path& to);
  void forgetOldMetrics();

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> added_;
  std::vector<RunSummary> runs_;
  std::vector<std::filesystem::path> logPaths_;  ///< All imported logs, read or not.
  std::vector<ImportedLog> logs_;                ///< Those that have been read.
  std::map<std::filesystem::path, KnownMetrics> metrics_;
  LibraryState state_ = LibraryState::reading;
  QString stateText_;
  quint64 asked_ = 0;
  std::unique_ptr<QSettings> store_;  ///< Null until restoreFrom().
  std::atomic<bool> isEnding_ = false;
  std::unique_ptr<LibraryWorker> worker_;  ///< Only for lane_, on which it lives.
  Lane lane_{0};
};

}  // namespace lambda
