#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <QWidget>

#include "app/train/setup/machine.h"
#include "app/train/setup/run_settings.h"
#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"
#include "widgets/forms/field_rows.h"

class QHBoxLayout;
class QLabel;
class QTabBar;
class QToolButton;

namespace lambda {

class AugmentationPreview;
class ChangeBar;
class DataPanel;
class FieldForm;
class LearningRatePlot;
class PlanCard;
class ProjectDocument;
class SampleImages;
class SetupColumn;
class WeightsPanel;
struct WeightTransfer;

/// All settings of a training except the network: the data with a preview of its augmentation, the
/// recipe with a preview of its learning rate, the machine. Shows the document and changes it by
/// undo steps. While a run trains it shows that one: what can be changed then is prepared here and
/// requested as a whole, and everything else is locked. On a second tab the document can then be
/// prepared as the next run, and queued.
class SetupView : public QWidget {
  Q_OBJECT

 public:
  explicit SetupView(ProjectDocument& document, QWidget* parent = nullptr);

  DataPanel& data() { return *data_; }

  void setDevice(const QString& sentence, const Machine& machine);

  /// Sets the file of weights to start from; empty = drawn from the seed.
  void chooseWeights(const std::filesystem::path& file);

  /// Sets the tensors that the network takes from the weights at the start, or the reason why it
  /// can't. An answer that came too late, without weights at the start, is ignored.
  void setWeightsOutcome(const WeightTransfer& outcome);
  void setWeightsFailure(const QString& reason);

  /// Shows the configuration of the training under way, with its changes so far.
  void showRun(const RunConfig& config,
               const std::vector<RunChange>& changes = {},
               int batchesPerEpoch = 0);

  /// The training has answered the change that was requested last; empty = it was granted.
  void showChangeAnswer(const QString& refusal);

  /// Shows the document, which can be changed.
  void showDocument();

  /// Whether somebody prepares the next run here.
  bool isPreparing() const;

  /// Shows the training under way, not the next run.
  void endPreparing();

  /// Sets the run's position, in epochs, and its running epoch, counted from 1.
  void setPosition(double epoch, int runningEpoch);

  /// Shows the rarely changed settings too.
  void setAllShown(bool all);
  bool allShown() const;

  /// The document's problems, and those of the data that only a check of the files finds.
  std::vector<Problem> problems() const;

  /// The document's configuration with the place where the data was found.
  RunConfig runConfig() const;

  /// Puts the cursor into the field; false where it is elsewhere, for example in the network.
  bool showField(const std::string& path);

 Q_SIGNALS:
  void problemsChanged();
  /// The outcome of starting from the configuration's weights is to be found and set.
  void weightsOutcomeRequested(const lambda::RunConfig& config,
                               const std::vector<std::string>& classNames);
  /// An error is in the network.
  void designRequested(const std::string& path);
  /// The settings of the training under way are to be changed.
  void changeRequested(const lambda::ChangeRequest& request);
  /// The document is to be trained after the training under way.
  void queueRequested();
  /// Several values of a field of the document should be compared in an experiment.
  void varyRequested(const lambda::FieldRow& row);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// All that the outcome of starting from a file depends on.
  struct StartedNetwork {
    std::string weights;
    Architecture architecture;
    std::vector<std::string> classNames;

    bool operator==(const StartedNetwork&) const = default;
  };

  SetupColumn* addColumn(const QString& title, QWidget* beside = nullptr);
  FieldForm* makeForm();
  void makeDataColumn();
  void makeRecipeColumn();
  void makeMachineColumn();
  void updateSizes();
  void connectForm(FieldForm& form);
  void refresh();
  void requestSamples();
  void makeChoice();
  bool showsRun() const;
  void showRunState();
  void edit(const std::string& path, const FieldValue& value, const QString& gesture);
  void followSource(DataConfig& data, const DataSource& before);
  void chooseSource(const DataSource& source);
  void requestWeightsOutcome(const RunConfig& config);

  ProjectDocument& document_;
  std::optional<RunSettings> run_;  ///< The training under way; none = only the document.
  bool isStale_ = false;            ///< The configuration changed while the view was hidden.
  Machine machine_;
  QHBoxLayout* row_;
  QWidget* choice_;  ///< The tabs and the button to queue the document.
  QTabBar* tabs_;
  std::array<SetupColumn*, 3> columns_{};
  ChangeBar* change_;
  DataPanel* data_;
  SampleImages* samples_;
  AugmentationPreview* preview_;
  WeightsPanel* weights_;
  std::optional<StartedNetwork> askedStart_;  ///< Of the last request for an outcome.
  /// The number of validation images before the data was switched to sequences.
  int imageValidation_ = DataConfig().validationCount;
  LearningRatePlot* learningRate_;
  std::array<FieldForm*, 3> forms_{};  ///< In the order of formOf().
  QToolButton* all_;
  QToolButton* next_;
  QWidget* seen_;  ///< The preview with its name and buttons.
  QLabel* device_;
  PlanCard* plan_;
};

}  // namespace lambda
