#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include <QTimer>

#include "app/inspect/inspect_selection.h"
#include "app/inspect/modes/inspect_mode.h"
#include "app/session/page.h"
#include "app/session/runs/run_summary.h"

class QFrame;
class QStackedWidget;

namespace lambda {

class CompareMode;
class EmptyState;
class EpochsMode;
class ImageChoice;
class ImageMode;
class InspectActions;
class InspectBar;
class CheckpointService;
class PanelDeck;
class SourceChooser;
class TextMode;
class GenerateMode;
class TrainingSession;

/// The workspace that inspects networks: the choice of weights and of a mode at the top, what the
/// mode shows in the middle, and the images or texts to choose from below. The page holds the
/// choice and passes it to the mode.
class InspectPage : public Page {
  Q_OBJECT

 public:
  /// Both sessions outlive the page.
  InspectPage(TrainingSession& training, CheckpointService& checkpoints, QWidget* parent = nullptr);
  ~InspectPage() override;

  /// The runs to choose from, oldest first.
  void setRuns(const std::vector<RunSummary>& runs);

  /// The runs that are checked elsewhere: a comparison begins with them where they are two.
  void setCheckedRuns(const std::vector<std::filesystem::path>& runs);

  /// Inspects a run (a folder) or one of its checkpoints (a file).
  void showRun(const std::filesystem::path& path);
  /// Inspects one image of a run's split, for example from a cell of a confusion matrix.
  void showImage(const std::filesystem::path& path, Split split, int image);
  /// Inspects the network that is being trained, if there is one.
  void showLive();

  /// Opens a picture file as the network's input: its middle, scaled to the input's size.
  void openPicture(const QString& path);

  InspectModeKind mode() const { return mode_; }

  void setMode(InspectModeKind mode);

  const InspectionSource& source() const;

  QList<QAction*> pageActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  /// There is nothing to inspect: the person wants to train, or to open a run.
  void trainRequested();
  void runsRequested();
  /// The result of an action, for a line at the top of the window.
  void told(const QString& text, bool isProblem);
  /// Says that something else is shown than what was asked for, and why.
  void noted(const QString& text);
  /// A text of told() or noted() does not hold any more.
  void withdrawn(const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void makeLayout();
  void connectParts();
  void connectActions();
  void takeLive();
  void refuseRun(const QString& reason);
  void showReason(const QString& reason);
  void takeSource(const InspectionSource& source);
  bool takesTokens() const;
  void showSelection();
  void updateState();
  void enableActions();
  void updateStatus();

  InspectMode& current() const { return *modes_[static_cast<std::size_t>(mode_)]; }

  TrainingSession& training_;
  InspectSelection selection_;
  ImageChoice* images_;
  PanelDeck* deck_;
  ImageMode* imageMode_;
  EpochsMode* epochsMode_;
  CompareMode* compareMode_;
  TextMode* textMode_;
  GenerateMode* generateMode_;
  std::array<InspectMode*, 5> modes_;  ///< In the order of InspectModeKind.
  InspectModeKind mode_ = InspectModeKind::image;
  InspectActions* actions_;
  QTimer statusTimer_;

  InspectBar* bar_;
  SourceChooser& chooser_;
  QStackedWidget* stack_;
  EmptyState* empty_;
  QFrame* bottomLine_;
};

}  // namespace lambda
