#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <QListWidget>
#include <QTimer>

#include "app/experiments/experiment_sketch.h"
#include "engine/values/experiment/experiment.h"
#include "engine/values/experiment/experiment_state.h"
#include "widgets/work/work.h"

namespace lambda {

/// An experiment that can be chosen.
struct ListedExperiment {
  std::filesystem::path folder;  ///< Empty for one that was never run and for a theory experiment.
  std::string name;
  std::string question;
  std::vector<std::string> sizes;
  QString state;         ///< "3 of 12 runs done", or why it can't be read.
  bool isDraft = false;  ///< It has not been created yet.
  SketchKind sketch = SketchKind::effects;
  std::string theory = {};          ///< The stable name of a theory experiment; empty for others.
  std::filesystem::path file = {};  ///< That a person has opened; empty for others.
};

/// The description of a shipped experiment, or of one in a file. Throws Error.
Experiment descriptionOf(const ListedExperiment& experiment);

/// A draft, the opened files, the experiments in the experiments folder, the shipped ones and the
/// theory experiments, with their questions and states. While it is shown, it follows the opened
/// files and the experiments folder.
class ExperimentList : public QListWidget {
  Q_OBJECT

 public:
  explicit ExperimentList(QWidget* parent = nullptr);

  /// Lists the experiments in another folder, read in the background.
  void setFolder(const std::filesystem::path& folder);

  /// Reads the list again and selects the experiment in `place`, a folder or a file, once it is
  /// listed.
  void refresh(const std::filesystem::path& place = {});

  /// Selects the experiment in `folder` once it is listed.
  void selectOnceListed(const std::filesystem::path& folder) { wanted_ = folder; }

  /// Lists the experiment that a file describes, and selects it.
  void openFile(const std::filesystem::path& file);

  /// Shows how far the experiment in `folder` is.
  void setState(const std::filesystem::path& folder, const ExperimentState& state);

  /// Lists a draft before all others, or none where `draft` is null.
  void setDraft(const Experiment* draft);

  void selectDraft();

  /// Lists these theory experiments, or shows their new states.
  void setTheory(std::vector<ListedExperiment> theory);

  /// Null where none is selected.
  const ListedExperiment* selected() const;

 Q_SIGNALS:
  void chosen(const lambda::ListedExperiment& experiment);
  /// The description of the selected experiment has another content.
  void selectedChanged(const lambda::ListedExperiment& experiment);
  /// The selected experiment is not listed any more.
  void selectedRemoved();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  /// The descriptions of the experiments that are read, with the times of their contents.
  using Stamps = std::map<std::filesystem::path, std::filesystem::file_time_type>;

  struct Reading {
    Stamps stamps;
    std::vector<ListedExperiment> experiments;
  };

  static Stamps stampsOf(const std::vector<std::filesystem::path>& files,
                         const std::filesystem::path& folder);
  /// Reads the list again where the disk has changed.
  void follow();
  void take(Reading reading);
  void show(std::vector<ListedExperiment> experiments);
  void addHeading(const QString& text);
  void updateSketches();
  void onRowChanged();

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> files_;  ///< Opened by the person, the newest first.
  std::filesystem::path wanted_;
  std::optional<ListedExperiment> draft_;
  std::vector<ListedExperiment> theory_;
  std::vector<ListedExperiment> experiments_;  ///< All, in the order in which they are listed.
  Stamps stamps_;                              ///< Of what is listed.
  bool isReading_ = false;
  QTimer followTimer_;
  Work tasks_{*this};
  Work following_{*this};
};

}  // namespace lambda
