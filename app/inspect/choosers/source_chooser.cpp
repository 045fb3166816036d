#include "app/inspect/choosers/source_chooser.h"

#include <algorithm>
#include <utility>

#include <QDateTime>
#include <QHBoxLayout>
#include <QRegularExpression>

#include "app/inspect/choosers/name_list.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr int kPathRole = Qt::UserRole;
constexpr double kLeastRun = 120;  // pixels at the usual size of text
constexpr double kLeastCheckpoint = 88;

QString withoutCheckpointText(const RunSummary& run) {
  const QString title = runTitle(run);
  if (run.record.status == RunStatus::finished) {
    return u"%1 has no checkpoint: its folder lacks them all. Choose another run."_s.arg(title);
  }
  return u"%1 has no checkpoint yet: it ended before the end of its first epoch. "
         "Resume it, or choose another run."_s.arg(title);
}

}  // namespace

QString runTitle(const RunSummary& run) {
  const QString folder = QString::fromStdString(run.name);
  static const QRegularExpression stamp(u"^(\\d{4}-\\d{2}-\\d{2}_\\d{2}-\\d{2})-\\d{2}_"_s);
  const QRegularExpressionMatch match = stamp.match(folder);
  const QDateTime began = QDateTime::fromString(match.captured(1), u"yyyy-MM-dd_HH-mm"_s);
  QString title = shownName(run);
  if (began.isValid()) title += u" · "_s + momentText(began);
  if (run.record.bestValidationScore) {
    title += u" · "_s + scoreText(*run.record.bestValidationScore, run.record.scoredBy);
  }
  return title;
}

QString checkpointTitle(const fs::path& checkpoint) {
  const QString stem = toText(checkpoint.stem());
  if (stem == u"best"_s) return u"Best"_s;
  if (stem == u"last"_s) return u"Last"_s;
  if (stem.startsWith(u"epoch-"_s)) {
    return u"Epoch %1"_s.arg(stem.mid(6).toInt());
  }
  return stem;
}

SourceChooser::SourceChooser(QWidget* parent)
    : QWidget(parent),
      runList_(new NameList),
      checkpointList_(new NameList),
      opening_(*this),
      listing_(*this) {
  auto* row = makeBareLayout<QHBoxLayout>(this, 8);
  runList_->setMinimumContentsLength(24);
  runList_->setMaxVisibleItems(24);
  runList_->setAccessibleName(u"Run"_s);
  runList_->setToolTip(u"The run to inspect"_s);
  runList_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  checkpointList_->setAccessibleName(u"Checkpoint"_s);
  checkpointList_->setToolTip(u"Which of the run's weights"_s);
  checkpointList_->setMinimumContentsLength(8);
  fitToText();
  row->addWidget(runList_, 1);
  row->addWidget(checkpointList_);
  connect(runList_, &QComboBox::activated, this, &SourceChooser::runChosen);
  connect(checkpointList_, &QComboBox::activated, this, &SourceChooser::checkpointChosen);
  onFontChange(*this, [this] { fitToText(); });
}

void SourceChooser::fitToText() {
  // The lists shrink in favour of the controls beside them; their tooltips have the whole names.
  runList_->setMinimumWidth(qRound(kLeastRun * textScale()));
  checkpointList_->setMinimumWidth(qRound(kLeastCheckpoint * textScale()));
}

const RunSummary* SourceChooser::find(const fs::path& run) const {
  for (const std::vector<RunSummary>* list : {&runs_, &others_}) {
    for (const RunSummary& summary : *list) {
      if (summary.path == run) return &summary;
    }
  }
  return nullptr;
}

InspectionSource SourceChooser::sourceOf(const RunSummary& run, const fs::path& checkpoint) const {
  return {.kind = SourceKind::checkpoint,
          .run = run.path,
          .checkpoint = checkpoint,
          .record = run.record,
          .label = shownName(run) + u", "_s + checkpointTitle(checkpoint).toLower()};
}

void SourceChooser::setRuns(const std::vector<RunSummary>& runs) {
  runs_.clear();
  std::copy_if(runs.rbegin(), runs.rend(), std::back_inserter(runs_), [](const RunSummary& run) {
    return run.problem.empty();
  });
  std::erase_if(others_, [this](const RunSummary& other) {
    return std::any_of(
        runs_.begin(), runs_.end(), [&](const RunSummary& run) { return run.path == other.path; });
  });
  if (source_.kind == SourceKind::checkpoint) {
    if (const RunSummary* run = find(source_.run)) {
      source_.record = run->record;
    } else {
      lostRun_ = source_.run;
      lostReason_ = u"%1 is not shown any more: its folder was moved, renamed or deleted."_s.arg(
          shownName(source_.record, source_.run));
      choose({});
      Q_EMIT refused(lostReason_);
    }
  }
  if (!lostRun_.empty() && find(lostRun_)) {
    lostRun_.clear();
    Q_EMIT returned(lostReason_);
  }
  fillRuns();
}

void SourceChooser::setLive(const std::optional<InspectionSource>& live) {
  live_ = live;
  if (live && source_.kind == SourceKind::live) choose(*live);
  leaveEndedTraining();
  fillRuns();
}

/// Chooses the run of a training that was shown and has ended, unless another choice is under way.
void SourceChooser::leaveEndedTraining() {
  if (source_.kind != SourceKind::live || live_ || isOpening_) return;
  open(source_.run, {}, [this](const QString& reason) {
    choose({});
    fillRuns();
    Q_EMIT leftTraining(reason);
  });
}

void SourceChooser::showRun(const fs::path& path, const std::function<void()>& then) {
  open(path, then, [this](const QString& reason) { Q_EMIT refused(reason); });
}

void SourceChooser::open(const fs::path& path,
                         const std::function<void()>& then,
                         const Refusal& otherwise) {
  const RunSummary* known = find(runFolderOf(path));
  if (known && isCheckpointFile(path)) {
    opening_.cancel();
    isOpening_ = false;
    choose(sourceOf(*known, path));
    fillRuns();
    if (then) then();
    return;
  }
  isOpening_ = true;
  opening_.runNewest([run = runFolderOf(path)] { return readRunContent(run); },
                     [this, path, then, otherwise](const RunContent& content) {
                       isOpening_ = false;
                       const QString problem = take(path, content);
                       if (problem.isEmpty()) {
                         if (then) then();
                       } else {
                         otherwise(problem);
                         leaveEndedTraining();
                       }
                     });
}

/// Chooses the run or the checkpoint that was read. Returns why it can't be chosen, or nothing.
QString SourceChooser::take(const fs::path& path, const RunContent& content) {
  const fs::path& run = content.run.path;
  if (find(run) == nullptr) {
    if (!content.run.problem.empty()) return QString::fromStdString(content.run.problem);
    others_.push_back(content.run);
  }
  if (content.checkpoints.empty() && !isCheckpointFile(path)) {
    return withoutCheckpointText(*find(run));
  }
  listedRun_ = run;
  checkpoints_ = content.checkpoints;
  choose(sourceOf(*find(run), isCheckpointFile(path) ? path : checkpoints_.front()));
  fillRuns();
  return {};
}

bool SourceChooser::showLive() {
  if (!live_) return false;
  opening_.cancel();
  isOpening_ = false;
  choose(*live_);
  fillRuns();
  return true;
}

void SourceChooser::showNewest() {
  if (isOpening_ || showLive() || runs_.empty()) return;
  std::vector<fs::path> runs;
  for (const RunSummary& run : runs_) runs.push_back(run.path);
  isOpening_ = true;
  opening_.runNewest(
      [runs] {
        const auto newest = std::ranges::find_if(
            runs, [](const fs::path& run) { return !checkpointsOf(run).empty(); });
        return newest == runs.end() ? fs::path() : *newest;
      },
      [this](const fs::path& run) {
        isOpening_ = false;
        if (!run.empty()) showRun(run);
      });
}

void SourceChooser::choose(InspectionSource source) {
  const bool isOther = !source.isSameAs(source_);
  source_ = std::move(source);
  if (isOther) Q_EMIT sourceChanged(source_);
}

void SourceChooser::fillRuns() {
  runList_->clear();
  if (live_) runList_->addItem(live_->label, QVariant());
  int current = live_ && source_.kind == SourceKind::live ? 0 : -1;
  for (const std::vector<RunSummary>* list : {&others_, &runs_}) {
    for (const RunSummary& run : *list) {
      if (source_.kind == SourceKind::checkpoint && run.path == source_.run) {
        current = runList_->count();
      }
      runList_->addItem(runTitle(run), toText(run.path));
      runList_->setItemData(runList_->count() - 1,
                            toText(run.path) + u"\n"_s + QString::fromStdString(run.record.pattern),
                            Qt::ToolTipRole);
    }
  }
  runList_->setCurrentIndex(current);
  runList_->setEnabled(runList_->count() > 0);
  runList_->setPlaceholderText(runList_->count() > 0 ? u"Choose a run"_s : u"No runs yet"_s);
  fillCheckpoints();
  listCheckpoints();
}

/// Reads the list again: a training adds checkpoints and removes older ones.
void SourceChooser::listCheckpoints() {
  if (source_.kind != SourceKind::checkpoint) return listing_.cancel();
  listing_.runNewest([run = source_.run] { return checkpointsOf(run); },
                     [this, run = source_.run](const std::vector<fs::path>& found) {
                       const bool isShown =
                           source_.kind == SourceKind::checkpoint && source_.run == run;
                       if (!isShown || found == checkpoints_) return;
                       checkpoints_ = found;
                       fillCheckpoints();
                     });
}

void SourceChooser::fillCheckpoints() {
  checkpointList_->clear();
  const bool hasCheckpoints = source_.kind == SourceKind::checkpoint;
  checkpointList_->setVisible(hasCheckpoints);
  if (!hasCheckpoints) return;
  if (listedRun_ != source_.run) checkpoints_.clear();
  listedRun_ = source_.run;
  if (std::ranges::find(checkpoints_, source_.checkpoint) == checkpoints_.end()) {
    checkpoints_.push_back(source_.checkpoint);
  }
  for (const fs::path& path : checkpoints_) {
    checkpointList_->addItem(checkpointTitle(path));
    if (path == source_.checkpoint) checkpointList_->setCurrentIndex(checkpointList_->count() - 1);
  }
}

void SourceChooser::runChosen(int index) {
  const QString path = runList_->itemData(index, kPathRole).toString();
  if (path.isEmpty()) {
    showLive();
    return;
  }
  const fs::path run = toPath(path);
  if (source_.kind == SourceKind::checkpoint && source_.run == run) return;
  open(run, {}, [this](const QString& reason) {
    fillRuns();
    Q_EMIT refused(reason);
  });
}

void SourceChooser::checkpointChosen(int index) {
  const RunSummary* run = find(source_.run);
  if (run == nullptr || index < 0 || index >= static_cast<int>(checkpoints_.size())) return;
  opening_.cancel();
  isOpening_ = false;
  choose(sourceOf(*run, checkpoints_[static_cast<std::size_t>(index)]));
}

}  // namespace lambda
