#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/session/page.h"
#include "app/train/setup/machine.h"
#include "engine/values/config/run_config.h"
#include "widgets/forms/field_rows.h"
#include "widgets/work/work.h"

class QStackedWidget;

namespace lambda {

class ProjectDocument;
class ResultBanner;
class TrainingQueue;
class RunView;
class SetupView;
class TrainingSession;
class TransportBar;
struct InspectionRequest;
struct InspectionSnapshot;
struct WeightTransfer;

/// The Train workspace: data and recipe with previews while nothing is trained; curves, the lambda
/// matrix and the position embeddings, live, during a training. Changes the document by its undo
/// steps, and the session by its requests.
class TrainPage : public Page {
  Q_OBJECT

 public:
  TrainPage(ProjectDocument& document, TrainingSession& session, QWidget* parent = nullptr);
  ~TrainPage() override;

  /// The folder for new runs.
  void setRunsFolder(const std::filesystem::path& folder);

  /// The file that keeps the queued runs. Those of an earlier program are shown, and wait.
  void setQueueFile(const std::filesystem::path& file);

  /// The folder to which CIFAR-10 is downloaded and in which it is searched for; by default the
  /// program's data folder.
  void setDataFolder(const std::filesystem::path& folder);

  /// A sentence with the device for the document's configuration and the reason for it, and the
  /// number of cores and the names of the GPUs, where any were looked for. Must be set again when
  /// the document's device has changed.
  void setDevice(const QString& sentence, const Machine& machine);

  /// Sets the tensors that the document's network takes from the weights at the start, or the
  /// reason why it can't; the answer to weightsOutcomeRequested().
  void setWeightsOutcome(const WeightTransfer& outcome);
  void setWeightsFailure(const QString& reason);

  /// Chooses the data at a path that somebody dropped or opened. False while a run trains, and
  /// where the path does not look like data.
  bool offerData(const std::filesystem::path& path);

  /// The answer to endRequested().
  void showEnd(const std::shared_ptr<const InspectionSnapshot>& snapshot);

  /// Chooses the weights to start from. False while a run trains.
  bool offerWeights(const std::filesystem::path& file);

  /// Starts a training with the document's configuration. Where it has errors, names them and shows
  /// the first one.
  void start();

  /// The other machines on which a training can be started, by name.
  void setPlaces(const QStringList& places);

  /// Says why a training could not be started on another machine.
  void showRefusal(const QString& reason);

  /// Queues a training with the document's configuration, under the same conditions.
  void queue();

  /// Queues prepared runs; their data is looked for as on all pages.
  void queueRuns(const std::vector<RunConfig>& configs);

  QList<QAction*> pageActions() const override;
  /// Those of the document; null while a run is shown instead of it.
  QAction* undoAction() const override;
  QAction* redoAction() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  void inspectRequested(const std::filesystem::path& run);
  void runsRequested(const std::filesystem::path& run);
  void weightsOutcomeRequested(const lambda::RunConfig& config,
                               const std::vector<std::string>& classNames);
  /// The last checkpoint of the run that has ended should be inspected.
  void endRequested(const lambda::InspectionRequest& request);
  /// An error is in the network; `path` is its field.
  void designRequested(const std::string& path);
  /// The run that has ended should be trained on, where it is.
  void resumeRequested(const std::filesystem::path& run);
  /// The document should be trained on the machine of this index among setPlaces().
  void startElsewhereRequested(int place, const lambda::RunConfig& config);
  /// Several values of a field of the document should be compared in an experiment.
  void varyRequested(const lambda::FieldRow& row);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void connectSession();
  void connectBanner();
  void showSetup(bool shown);
  bool showsDocument() const;
  QString bestLossInWords(const RunResult& result) const;
  void showRunSettings();
  void continueWithHalfRate(const std::filesystem::path& run);
  void showErrors();
  bool refuseErrors();
  void startElsewhere(int place);

  ProjectDocument& document_;
  TrainingSession& session_;
  std::filesystem::path runsFolder_;
  quint64 changeRequest_ = 0;  ///< The last request to change the settings of the run.
  bool hadErrors_ = false;     ///< Whether the document and its data had errors when last examined.
  QAction* undo_;
  QAction* redo_;
  TrainingQueue* queue_;
  Work tasks_{*this};
  TransportBar* transport_;
  ResultBanner* banner_;
  QStackedWidget* views_;
  SetupView* setup_;
  RunView* run_;
};

}  // namespace lambda
