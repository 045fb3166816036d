#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <QWidget>

#include "engine/values/config/problem.h"
#include "engine/values/config/run_config.h"
#include "widgets/forms/field_rows.h"

class QLabel;
class QToolButton;

namespace lambda {

class AugmentationPreview;
class DataPanel;
class FieldForm;
class LearningRatePlot;
class PlanCard;
class ProjectDocument;
class SampleImages;
class SetupColumn;

/// All settings of a training except the network: the data with a preview of its augmentation, the
/// recipe with a preview of its learning rate, the machine. Shows the document and changes it by
/// undo steps.
class SetupView : public QWidget {
  Q_OBJECT

 public:
  explicit SetupView(ProjectDocument& document, QWidget* parent = nullptr);

  DataPanel& data() { return *data_; }

  void setDevice(const QString& sentence, int cores);

  /// Shows the configuration of the training under way; nothing can be changed.
  void showRun(const RunConfig& config);

  /// Shows the document, which can be changed.
  void showDocument();

  /// Sets the run's position on the learning rate, in epochs.
  void setPosition(double epoch);

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
  /// An error is in the network.
  void designRequested(const std::string& path);

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  SetupColumn* addColumn(const QString& title, QWidget* beside = nullptr);
  FieldForm* makeForm();
  void makeDataColumn();
  void makeRecipeColumn();
  void makeMachineColumn();
  void updateSizes();
  void connectForm(FieldForm& form);
  void refresh();
  void requestSamples();
  void edit(const std::string& path, const FieldValue& value, const QString& gesture);
  void chooseSource(const DataSource& source);

  ProjectDocument& document_;
  std::optional<RunConfig> run_;  ///< The training under way; none = the document.
  bool isStale_ = false;          ///< The configuration changed while the view was hidden.
  int cores_ = 0;
  DataPanel* data_;
  SampleImages* samples_;
  AugmentationPreview* preview_;
  LearningRatePlot* learningRate_;
  std::array<FieldForm*, 3> forms_{};  ///< In the order of formOf().
  QToolButton* all_;
  QToolButton* next_;
  QWidget* seen_;  ///< The preview with its name and buttons.
  QLabel* device_;
  PlanCard* plan_;
};

}  // namespace lambda
