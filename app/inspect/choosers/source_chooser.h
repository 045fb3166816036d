#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <QWidget>

#include "app/inspect/feed/inspection_source.h"
#include "app/session/runs/run_content.h"
#include "widgets/work/work.h"

class QComboBox;

namespace lambda {

/// Chooses the weights: the training under way, or a run and one of its checkpoints. What a run
/// offers is read in the background.
class SourceChooser : public QWidget {
  Q_OBJECT

 public:
  explicit SourceChooser(QWidget* parent = nullptr);

  /// The runs of the library; those that can't be read are left out. The choice stays.
  void setRuns(const std::vector<RunSummary>& runs);

  /// The training under way; none = there is none. When a chosen training ends, its run is chosen.
  void setLive(const std::optional<InspectionSource>& live);

  /// Chooses a run by its folder, or a checkpoint by its file, even one that is not in the list.
  /// Calls `then` once it is chosen; refused() says why it can't be.
  void showRun(const std::filesystem::path& path, const std::function<void()>& then = {});
  /// Returns false where no training is under way.
  bool showLive();
  /// Chooses the training under way or, without one, the newest run that has a checkpoint, unless a
  /// choice is under way.
  void showNewest();

  bool isEmpty() const { return runs_.empty() && !live_; }

  const InspectionSource& source() const { return source_; }

 Q_SIGNALS:
  void sourceChanged(const lambda::InspectionSource& source);
  /// A run can't be chosen: what happened, why and what to do.
  void refused(const QString& reason);
  /// The run of that refusal is there again.
  void returned(const QString& reason);
  /// The training that was shown has ended, and its run can't be chosen, which nobody asked for.
  void leftTraining(const QString& reason);

 private:
  using Refusal = std::function<void(const QString& reason)>;

  void fitToText();
  void fillRuns();
  void fillCheckpoints();
  void listCheckpoints();
  void choose(InspectionSource source);
  void open(const std::filesystem::path& path,
            const std::function<void()>& then,
            const Refusal& otherwise);
  QString take(const std::filesystem::path& path, const RunContent& content);
  void leaveEndedTraining();
  void runChosen(int index);
  void checkpointChosen(int index);
  const RunSummary* find(const std::filesystem::path& run) const;
  InspectionSource sourceOf(const RunSummary& run, const std::filesystem::path& checkpoint) const;

  std::vector<RunSummary> runs_;
  std::vector<RunSummary> others_;  ///< Opened by path, from outside the library.
  std::optional<InspectionSource> live_;
  InspectionSource source_;
  std::filesystem::path lostRun_;  ///< It was shown until it was not there any more.
  QString lostReason_;
  std::filesystem::path listedRun_;                 ///< The run of checkpoints_.
  std::vector<std::filesystem::path> checkpoints_;  ///< In the order of the second list.
  bool isOpening_ = false;                          ///< A choice is under way.
  QComboBox* runList_;
  QComboBox* checkpointList_;
  Work opening_;
  Work listing_;
};

/// "cpu-hybrid · 21 Nov 01:08": a run's name and its start, from its folder's name.
QString runTitle(const RunSummary& run);

/// "Best", "Last", "Epoch 12".
QString checkpointTitle(const std::filesystem::path& checkpoint);

}  // namespace lambda
