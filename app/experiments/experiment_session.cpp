#include "app/experiments/experiment_session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/experiments/experiment_folder.h"
#include "engine/experiments/read_curves.h"
#include "engine/experiments/read_experiment.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::chrono::seconds kReadInterval{1};

/// How long the program waits at its end for a worker that saves its runs.
constexpr int kSavingMs = 30'000;

ExperimentState readAll(const ExperimentFolder& folder, const ExperimentState* before) {
  ExperimentState state = readExperiment(folder, before);
  readCurves(folder, state, before);
  return state;
}

}  // namespace

ExperimentSession::ExperimentSession(fs::path program, QObject* parent)
    : QObject(parent), program_(std::move(program)) {
  timer_.setInterval(kReadInterval);
  connect(&timer_, &QTimer::timeout, this, &ExperimentSession::read);
  worker_.setStandardOutputFile(QProcess::nullDevice());
  connect(&worker_, &QProcess::started, this, &ExperimentSession::changed);
  connect(&worker_, &QProcess::finished, this, &ExperimentSession::onFinished);
  connect(&worker_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    Q_EMIT failed(
        u"%1 can't be started: %2. Install the program lambda beside lambda-studio."_s.arg(
            toText(program_), worker_.errorString()));
    Q_EMIT changed();
  });
}

ExperimentSession::~ExperimentSession() {
  worker_.disconnect(this);
  if (!isWorking()) return;
  worker_.terminate();
  worker_.waitForFinished(kSavingMs);
}

void ExperimentSession::reset() {
  tasks_.cancel();
  isReading_ = false;
  timer_.stop();
  folder_.clear();
  state_.reset();
  planRows_.clear();
}

ExperimentSession::Reading ExperimentSession::readingOf(const ExperimentFolder& folder,
                                                        const ExperimentState* before) {
  Reading reading{readAll(folder, before), {}, {}};
  const auto& cells = reading.state->cells;
  const bool hasBegun = std::ranges::any_of(cells, &ExperimentCell::hasRun);
  if (!hasBegun) reading.planRows = planRowsOf(folder.plan());
  return reading;
}

void ExperimentSession::open(const fs::path& folder) {
  reset();
  folder_ = folder;
  Q_EMIT changed();
  read();
}

ExperimentSession::Reading ExperimentSession::planOfDescription(
    const std::function<Experiment()>& load) {
  try {
    const Experiment experiment = load();
    const ExperimentPlan plan = planOf(experiment);
    return Reading{stateOfPlan(experiment, plan), {}, {}, planRowsOf(plan)};
  } catch (const std::exception& error) {
    return Reading{{}, {}, QString::fromUtf8(error.what())};
  }
}

void ExperimentSession::showPlan(const std::function<Experiment()>& load, const std::string& size) {
  reset();
  load_ = [load, size] { return resolvedExperiment(load(), size); };
  Q_EMIT changed();
  tasks_.run([load = load_] { return planOfDescription(load); },
             [this](Reading reading) { take(std::move(reading)); });
}

void ExperimentSession::create(const fs::path& experiments) {
  if (!state_ || !folder_.empty()) return;
  tasks_.run([load = load_] { return planOfDescription(load); },
             [this, experiments](Reading reading) {
               const bool isRead = reading.problem.isEmpty();
               if (isRead && reading.state->experiment == state_->experiment) {
                 return create(experiments, state_->experiment);
               }
               take(std::move(reading));
               if (isRead) Q_EMIT descriptionChanged();
             });
}

void ExperimentSession::create(const fs::path& experiments, const Experiment& experiment) {
  if (isWorking()) return;
  tasks_.run(
      [experiments, experiment] {
        try {
          const ExperimentFolder folder = ExperimentFolder::create(experiments, experiment);
          Reading reading = readingOf(folder, nullptr);
          reading.folder = folder.path();
          return reading;
        } catch (const std::exception& error) {
          return Reading{{}, {}, QString::fromUtf8(error.what())};
        }
      },
      [this](Reading reading) {
        const bool isCreated = !reading.folder.empty();
        if (isCreated) folder_ = reading.folder;
        take(std::move(reading));
        if (!isCreated) return;
        work();
        Q_EMIT created();
      });
}

void ExperimentSession::work(const QStringList& options) {
  if (folder_.empty() || isWorking()) return;
  isPausing_ = false;
  worker_.start(toText(program_),
                QStringList{u"experiment"_s, u"run"_s, toText(folder_)} + options);
  timer_.start();
  Q_EMIT changed();
}

void ExperimentSession::pause() {
  if (!isWorking()) return;
  isPausing_ = true;
  worker_.terminate();
}

void ExperimentSession::read() {
  // A reading that takes longer than the timer's interval must still arrive.
  if (folder_.empty() || std::exchange(isReading_, true)) return;
  tasks_.run(
      [folder = folder_, before = state_] {
        try {
          return readingOf(ExperimentFolder::open(folder), before ? &*before : nullptr);
        } catch (const std::exception& error) {
          return Reading{{}, {}, QString::fromUtf8(error.what())};
        }
      },
      [this](Reading reading) {
        isReading_ = false;
        take(std::move(reading));
      });
}

void ExperimentSession::take(Reading reading) {
  if (!reading.problem.isEmpty()) {
    timer_.stop();
    Q_EMIT failed(reading.problem);
    return;
  }
  // A worker of another program may be training.
  const bool isFollowed = isWorking() || reading.state->countOf(CellState::running) > 0;
  if (!isFollowed) {
    timer_.stop();
  } else if (!timer_.isActive()) {
    timer_.start();
  }
  if (state_ == reading.state) return;
  state_ = std::move(reading.state);
  planRows_ = std::move(reading.planRows);
  Q_EMIT changed();
}

void ExperimentSession::onFinished(int status, QProcess::ExitStatus how) {
  const QString text = QString::fromLocal8Bit(worker_.readAllStandardError()).trimmed();
  const bool hasFailed = how == QProcess::CrashExit || status != 0;
  if (hasFailed && !isPausing_) {
    Q_EMIT failed(text.isEmpty()
                      ? u"The worker ended with status %1. Run it again to continue."_s.arg(status)
                      : text);
  }
  Q_EMIT changed();
  Q_EMIT workEnded();
  read();
}

}  // namespace lambda
