#include "app/runs/operations/fork_starter.h"

#include "app/runs/run_library.h"
#include "app/runs/run_row.h"
#include "app/session/training/training_session.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

ForkStarter::ForkStarter(RunLibrary& library, TrainingSession& training, QWidget& place)
    : QObject(&place), library_(library), place_(place) {
  connect(&library, &RunLibrary::changed, this, [this] {
    if (!dialog_) return;
    if (const RunSummary* run = library_.find(dialog_->run())) {
      dialog_->setName(rowOf(*run).name());
      return;
    }
    Q_EMIT runLost(u"Could not fork %1: it is no longer there."_s.arg(toText(dialog_->run())));
    dialog_->close();
  });
  connect(&library, &RunLibrary::renamed, this, [this](const fs::path& from, const fs::path& to) {
    if (!dialog_ || dialog_->run() != from) return;
    if (!checkpoint_.empty()) checkpoint_ = to / checkpoint_.lexically_relative(from);
    dialog_->followRun(to);
  });
  connect(
      &library, &RunLibrary::filesListed, this, [this](const fs::path& run, const RunFiles& files) {
        if (dialog_ && dialog_->run() == run) dialog_->setCheckpoints(files, checkpoint_);
      });
  const auto closeStarted = [this] {
    if (dialog_ && dialog_->isStarting()) dialog_->close();
  };
  connect(&training, &TrainingSession::started, this, closeStarted);
  connect(&training, &TrainingSession::ended, this, closeStarted);
  connect(&training, &TrainingSession::startRefused, this, [this](const QString& reason) {
    if (!dialog_ || !dialog_->isStarting()) return;
    dialog_->showRefusal(reason);
    dialog_->raise();
    dialog_->activateWindow();
  });
}

ForkStarter::~ForkStarter() {
  delete dialog_;
}

void ForkStarter::open(const fs::path& run, const fs::path& checkpoint) {
  const RunSummary* summary = library_.find(run);
  if (!summary) return;
  if (dialog_ && (dialog_->isStarting() || dialog_->run() == run)) {
    dialog_->raise();
    dialog_->activateWindow();
    return;
  }
  delete dialog_;
  dialog_ = new ForkDialog(*summary, &place_);
  dialog_->setAttribute(Qt::WA_DeleteOnClose);
  checkpoint_ = checkpoint;
  connect(dialog_, &ForkDialog::forkRequested, this, &ForkStarter::forkRequested);
  library_.listFiles(run);
  dialog_->show();
}

}  // namespace lambda
