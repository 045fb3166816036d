#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <QWidget>

#include "app/inspect/feed/inspection_source.h"
#include "app/session/run_summary.h"

class QComboBox;

namespace lambda {

/// Chooses the weights: the training under way, or a run and one of its checkpoints.
class SourceChooser : public QWidget {
  Q_OBJECT

 public:
  explicit SourceChooser(QWidget* parent = nullptr);

  /// The runs of the library; those that can't be read are left out. The choice stays.
  void setRuns(const std::vector<RunSummary>& runs);

  /// The training under way; none = there is none. When a chosen training ends, its run is chosen.
  void setLive(const std::optional<InspectionSource>& live);

  /// Chooses a run by its folder, or a checkpoint by its file, even one that is not in the list.
  /// Returns an empty text, or the reason why it can't be chosen.
  QString showRun(const std::filesystem::path& path);
  /// Returns false where no training is under way.
  bool showLive();
  /// Chooses the training under way or, without one, the newest run that has a checkpoint.
  void showNewest();

  bool isEmpty() const { return runs_.empty() && !live_; }

  const InspectionSource& source() const { return source_; }

 Q_SIGNALS:
  void sourceChanged(const lambda::InspectionSource& source);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fitToText();
  void fillRuns();
  void fillCheckpoints();
  void choose(InspectionSource source);
  void runChosen(int index);
  void checkpointChosen(int index);
  const RunSummary* find(const std::filesystem::path& run) const;
  InspectionSource sourceOf(const RunSummary& run, const std::filesystem::path& checkpoint) const;

  std::vector<RunSummary> runs_;
  std::vector<RunSummary> others_;  ///< Opened by path, from outside the library.
  std::optional<InspectionSource> live_;
  InspectionSource source_;
  std::vector<std::filesystem::path> checkpoints_;  ///< In the order of the second list.
  QComboBox* runList_;
  QComboBox* checkpointList_;
};

/// "cpu-hybrid · 21 Nov 01:08": a run's name and its start, from its folder's name.
QString runTitle(const RunSummary& run);

/// The checkpoint of a run's first epoch and that of its last one, or its only two; empty paths
/// where there are none.
std::pair<std::filesystem::path, std::filesystem::path> firstAndLastCheckpoint(
    const std::filesystem::path& run);

/// "Best", "Last", "Epoch 12".
QString checkpointTitle(const std::filesystem::path& checkpoint);

}  // namespace lambda
