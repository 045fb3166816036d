#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include <QStackedWidget>

#include "app/session/engine_calls.h"
#include "app/session/page.h"
#include "app/session/studio_settings.h"
#include "app/studio/notice_bar.h"
#include "widgets/work/work.h"

namespace lambda {

class CheckpointService;
class DesignPage;
class DocumentActions;
class ExperimentsPage;
struct EngineLanes;
struct FieldRow;
class InspectPage;
class MachineService;
class ProjectDocument;
class RemoteDialog;
class RemoteRuns;
class ReportWriter;
class RunLibrary;
class RunsPage;
class TrainingSession;
class TrainPage;
class WelcomePage;

enum class Workspace { welcome, design, train, inspect, runs, experiments };

/// How the window shows a workspace.
struct WorkspaceTraits {
  Workspace workspace;
  const char* title;     ///< Its name.
  const char* icon;      ///< As in icon().
  const char* settings;  ///< The group of its settings; empty where it has none.
};

/// All workspaces, in the order of the enumeration.
inline constexpr std::array<WorkspaceTraits, 6> kWorkspaces{{
    {Workspace::welcome, "Welcome", "welcome", ""},
    {Workspace::design, "Design", "design", "design"},
    {Workspace::train, "Train", "train", "train"},
    {Workspace::inspect, "Inspect", "inspect", "inspect"},
    {Workspace::runs, "Runs", "runs", "runs"},
    {Workspace::experiments, "Experiments", "experiments", "experiments"},
}};

/// The pages and the objects they work on: the document, the two sessions and the library. Each
/// page knows these and no other page; a request to another page is a signal, which is forwarded
/// here. A page that needs more space than the window has is scrolled.
class Workspaces : public QStackedWidget {
  Q_OBJECT

 public:
  explicit Workspaces(EngineHandle engine, QWidget* parent = nullptr);
  ~Workspaces() override;

  ProjectDocument& document() { return *document_; }

  TrainingSession& training() { return *training_; }

  RunLibrary& library() { return *library_; }

  RemoteRuns& remote() { return *remote_; }

  MachineService& machine() { return *machine_; }

  DocumentActions& documentActions() { return *documentActions_; }

  Workspace current() const { return static_cast<Workspace>(currentIndex()); }

  void goTo(Workspace workspace);

  /// The page of a workspace; null for the welcome page, which has neither actions nor a layout.
  Page* page(Workspace workspace) const;

  static QString titleOf(Workspace workspace);

  /// Starts over from the quickstart preset, trains it in the library folder and shows it.
  void trainQuickstart();

  void openRun(const std::filesystem::path& run);

  /// Shows the experiment in a folder, among those beside it.
  void openExperiment(const std::filesystem::path& folder);

  /// Shows the experiment that a file describes.
  void openExperimentFile(const std::filesystem::path& file);

  /// Chooses the data or the weights of the next training and shows it. False while a run trains.
  bool chooseData(const std::filesystem::path& place);
  bool chooseWeights(const std::filesystem::path& file);

  /// Trains a run on and shows it; `epochs` as in ResumeOptions.
  void resumeRun(const std::filesystem::path& run, std::optional<int> epochs);

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

  WelcomePage& welcomePage() { return *welcomePage_; }

  /// Uses a person's decisions from now on.
  void apply(const StudioSettings& settings);

  /// Reads the most recently used library.
  void openLibrary(QSettings& settings);

 Q_SIGNALS:
  void workspaceChanged(lambda::Workspace workspace);
  /// A message that the person should see on every page: what happened, why and what to do.
  void failed(const QString& reason);
  /// The same where it concerns one page only.
  void toldOnPage(const lambda::Page* page, lambda::NoticeBar::Kind kind, const QString& text);
  /// A report is in this file.
  void reportWritten(const QString& file);
  /// This text of a page does not hold any more.
  void withdrawn(const QString& text);

 private:
  void addPages();
  void connectWelcomePage();
  void connectDesignPage();
  void connectTrainPage();
  void connectInspectPage();
  void connectExperimentsPage();
  void connectRunsPage();
  void connectRemote();
  void connectReports();
  void withFiles(const std::filesystem::path& run, const std::function<void()>& call);
  void watchRun(const std::filesystem::path& run);
  void showRemote();
  void openVariant(const RunConfig& config);
  void queueVariants(const std::vector<RunConfig>& configs);
  void vary(const FieldRow& row);
  void askForDevice();
  void updateRuns();

  EngineHandle engine_;
  ProjectDocument* document_;
  DocumentActions* documentActions_;
  RunLibrary* library_;
  RemoteRuns* remote_;
  // After the document, the library and the remote runs: their threads end first.
  TrainingSession* training_;
  std::unique_ptr<EngineLanes> lanes_;
  std::unique_ptr<MachineService> machine_;
  std::unique_ptr<CheckpointService> checkpoints_;
  WelcomePage* welcomePage_;
  DesignPage* designPage_;
  TrainPage* trainPage_;
  InspectPage* inspectPage_;
  RunsPage* runsPage_;
  ExperimentsPage* experimentsPage_;
  std::array<QWidget*, kWorkspaces.size()> pages_;  ///< All pages, in the order of Workspace.
  RemoteDialog* remoteDialog_ = nullptr;
  ReportWriter* reports_;
  std::filesystem::path experimentsFolder_;  ///< That belongs to the library.
  std::optional<DeviceConfig> askedDevice_;
  Work weights_{*this};  ///< What a network takes from a file.
  Work end_{*this};      ///< The last inspection of a training that has ended.
  Work device_{*this};
};

}  // namespace lambda
