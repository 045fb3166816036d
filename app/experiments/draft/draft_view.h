#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <QWidget>

#include "app/experiments/plan/plan_rows.h"
#include "engine/values/experiment/experiment.h"
#include "engine/values/fields/problem.h"
#include "widgets/forms/field_rows.h"
#include "widgets/work/work.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;
class QVBoxLayout;

namespace lambda {

class AxisRow;
class PlanPanel;

/// An experiment that has not begun: its name and question, the fields that it varies and their
/// values, seeds and measures, beside the plan with its cost and time. Holds the draft until it is
/// created or discarded.
class DraftView : public QWidget {
  Q_OBJECT

 public:
  /// `program`: the command line program, which measures the plan's time.
  explicit DraftView(const std::filesystem::path& program, QWidget* parent = nullptr);

  /// Nothing where there is no draft.
  const std::optional<Experiment>& draft() const { return draft_; }

  void setDraft(std::optional<Experiment> draft);

  /// Makes a field an axis of the draft, which is begun where there is none. A draft that was begun
  /// so takes the present configuration as its base each time.
  void vary(const RunConfig& base, const FieldRow& row);

  /// The folder in which the experiment will be created. Names that it has are taken.
  void setFolder(const std::filesystem::path& folder);

  /// No measurement may disturb a training.
  void setMayMeasure(bool mayMeasure);

  /// Shows why the experiment could not be created.
  void showFailure(const QString& reason);

 Q_SIGNALS:
  /// The draft was changed, replaced or discarded.
  void changed();
  /// A person wants the draft, which has no problems, as an experiment.
  void createRequested(const lambda::Experiment& experiment);

 private:
  struct Plan {
    std::vector<Problem> problems;
    std::vector<PlanRow> rows;
    std::string unchanged;  ///< The variant that is the base itself; empty if none is.
    bool isTaken = false;   ///< There is an experiment of this name.
  };

  QWidget* makeForm();
  void connectParts();
  void edit(const std::function<void(Experiment&)>& change);
  void showDraft();
  void showAxes();
  void showMeasures();
  void updatePlan();
  void takePlan(Plan plan);

  std::filesystem::path folder_;
  std::optional<Experiment> draft_;
  bool isOfDocument_ = false;  ///< The base is the configuration that Design and Train show.
  std::vector<AxisRow*> axisRows_;
  QLineEdit* name_;
  QLineEdit* question_;
  QLabel* base_;
  QVBoxLayout* axes_;
  QLabel* hint_;
  QComboBox* combination_;
  QSpinBox* seeds_;
  QSpinBox* earlyEnd_;
  QLabel* earlyEndText_;
  QComboBox* baseline_;
  QToolButton* measures_;
  QLabel* problems_;
  QPushButton* create_;
  QPushButton* discard_;
  PlanPanel* plan_;
  Work tasks_{*this};
};

}  // namespace lambda
