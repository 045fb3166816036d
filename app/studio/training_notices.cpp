#include "app/studio/training_notices.h"

#include <algorithm>
#include <utility>

#include <QApplication>
#include <QFileInfo>
#include <QSettings>
#include <QWidget>

#include "app/runs/run_library.h"
#include "app/session/runs/run_summary.h"
#include "app/session/training/training_session.h"
#include "app/studio/notice_bar.h"
#include "app/studio/preferences.h"
#include "app/studio/system/desktop_notification.h"
#include "app/studio/workspaces.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kTrainingKey = u"window/unfinishedTraining"_s;

}  // namespace

TrainingNotices::TrainingNotices(Workspaces& workspaces,
                                 NoticeBar& notices,
                                 const Preferences& preferences,
                                 std::function<bool()> isClosing,
                                 QWidget& window)
    : QObject(&window),
      workspaces_(workspaces),
      notices_(notices),
      preferences_(preferences),
      isClosing_(std::move(isClosing)),
      window_(window),
      stopped_(QSettings().value(kTrainingKey).toString()) {
  const TrainingSession& training = workspaces.training();
  connect(&training, &TrainingSession::ended, this, &TrainingNotices::tellEnd);
  connect(&training, &TrainingSession::started, this, [this, &training] {
    if (!training.isWatching()) remember(toText(training.status().run));
  });
  connect(&training, &TrainingSession::startRefused, this, [this](const QString& reason) {
    if (workspaces_.current() != Workspace::train) {
      notices_.tell(NoticeBar::Kind::failure, reason);
    }
  });
  connect(&workspaces.library(), &RunLibrary::changed, this, &TrainingNotices::offerStopped);
}

/// Stores the run under way, whole, so that it can be offered at the next start whatever ends the
/// program.
void TrainingNotices::remember(const QString& run) {
  stopped_.clear();
  QSettings settings;
  settings.setValue(kTrainingKey, run);
  settings.sync();
}

void TrainingNotices::offerStopped() {
  if (stopped_.isEmpty()) return;
  const std::filesystem::path path = stopped_.toStdString();
  const RunSummary* run = workspaces_.library().find(path);
  if (!run) return;
  if (run->isLive) {
    stopped_.clear();
    return;
  }
  remember({});
  const RunRecord& record = run->record;
  if (!run->problem.empty() || record.status == RunStatus::finished) return;
  notices_.tell(NoticeBar::Kind::question,
                u"%1 stopped in epoch %2 of %3 and can be resumed."_s.arg(
                    shownName(*run),
                    countText(std::min(record.epochsDone + 1, record.config.recipe.epochs)),
                    countText(record.config.recipe.epochs)),
                {{u"Resume"_s, [this, path] { workspaces_.resumeRun(path, std::nullopt); }},
                 {u"Inspect"_s, [this, path] { workspaces_.openRun(path); }}});
}

void TrainingNotices::tellEnd(const RunResult& result) {
  if (isClosing_()) return;
  remember({});
  QApplication::alert(&window_);
  const QString name = shownName(workspaces_.training().status().record, result.run);
  const auto tell = [this](NoticeBar::Kind kind,
                           const QString& text,
                           const std::vector<NoticeBar::Choice>& choices) {
    const EndNotification when = preferences_.settings().endNotification;
    const bool isWanted = when == EndNotification::always ||
                          (when == EndNotification::inBackground && !window_.isActiveWindow());
    if (isWanted) showDesktopNotification(u"A training has ended"_s, text);
    if (workspaces_.current() != Workspace::train) notices_.tell(kind, text, choices);
  };
  const auto look = [this, run = std::filesystem::path(result.run)] { workspaces_.openRun(run); };
  switch (result.status) {
    case RunStatus::failed:
      tell(NoticeBar::Kind::failure,
           u"%1 failed: %2"_s.arg(name, QString::fromStdString(result.failure)),
           {{u"Show"_s, [this] { workspaces_.goTo(Workspace::train); }}});
      return;
    case RunStatus::finished: {
      QStringList parts;
      const auto named = [&](double score) {
        return QString::fromStdString(namedScore(score, result.scoredBy));
      };
      if (result.bestValidationScore)
        parts << u"best validation "_s + named(*result.bestValidationScore);
      if (result.testScore) parts << u"test "_s + named(*result.testScore);
      tell(NoticeBar::Kind::good,
           parts.isEmpty() ? u"%1 has finished."_s.arg(name)
                           : u"%1 has finished: %2."_s.arg(name, parts.join(u", "_s)),
           {{u"Inspect"_s, look}});
      return;
    }
    case RunStatus::running:
    case RunStatus::paused:
      return;
    case RunStatus::stopped:
      tell(NoticeBar::Kind::information,
           u"%1 was stopped after %2 and can be resumed."_s.arg(
               name, countedText(result.epochs, u"epoch"_s)),
           {{u"Inspect"_s, look}});
      return;
  }
}

}  // namespace lambda
