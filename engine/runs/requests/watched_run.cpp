#include "engine/runs/requests/watched_run.h"

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/requests/run_requests.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/values/config/scoring.h"

namespace lambda {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInterval{200};

/// A training that has lost its lock for so long is dead: its last record is written before.
constexpr std::chrono::seconds kLongestUnlocked{2};

/// The same for one whose lock was never seen, as on some network disks, and that records nothing.
constexpr std::chrono::seconds kLongestSilence{60};

bool isTraining(RunStatus status) {
  return status == RunStatus::running || status == RunStatus::paused;
}

class WatchedRun {
 public:
  WatchedRun(RunFolder folder,
             const std::function<void(const RunRequest&)>& ask,
             RunControl& control,
             Observer& observer)
      : folder_(std::move(folder)),
        ask_(ask),
        control_(control),
        observer_(observer),
        tail_(folder_.metrics()) {}

  RunResult watch() {
    readRecord();
    if (!isTraining(record_.status)) {
      throw Error(folder_.path().string(), "its training has ended", "open it in Runs");
    }
    isPaused_ = record_.status == RunStatus::paused;
    if (isPaused_) control_.pause();
    // What was recorded before is read by the observer.
    tail_.poll();
    begin();
    while (true) {
      const bool isOver = pollRun();
      if (isOver || control_.isLeft()) return result(record_.status, record_.statusText);
      if (isDead()) {
        return result(RunStatus::failed,
                      "the process that trained it has died or can't be seen any more\n  lambda "
                      "resume continues it from its last checkpoint");
      }
      obey();
    }
  }

 private:
  void begin() { observer_.started(record_, folder_.path().string(), tail_.offset()); }

  void readRecord() {
    std::vector<Problem> ignored;
    record_ = readRunRecord(folder_.record(), ignored);
  }

  /// Passes on what is new; true at the end of the training.
  bool pollRun() {
    // The record says the end after everything else was written.
    const std::size_t changes = record_.changes.size();
    readRecord();
    MetricsTail::Update update = tail_.poll();
    if (update.restarted) {
      begin();
      return !isTraining(record_.status);
    }
    const Metrics& news = update.metrics;
    if (!news.batches.empty() || !news.epochs.empty() || !news.events.empty()) {
      heard_ = Clock::now();
    }
    for (std::size_t i = changes; i < record_.changes.size(); ++i) {
      observer_.settingsChanged(record_.changes[i], i);
      answerChange({});
    }
    for (const BatchRecord& batch : news.batches) observer_.batchFinished(batch);
    for (const EpochRecord& epoch : news.epochs) observer_.epochFinished(epoch);
    for (const EventRecord& event : news.events) take(event);
    return !isTraining(record_.status);
  }

  void take(const EventRecord& event) {
    observer_.eventRecorded(event);
    switch (event.kind) {
      case EventKind::paused:
        isPaused_ = true;
        if (control_.mode() == RunControl::Mode::running) control_.pause();
        break;
      case EventKind::continued:
        isPaused_ = false;
        if (control_.mode() == RunControl::Mode::paused) control_.resume();
        break;
      case EventKind::warning:
        if (event.text.starts_with(kChangeRefused)) {
          answerChange(event.text.substr(kChangeRefused.size()));
        }
        break;
      default:
        break;
    }
  }

  /// The process answers requests in their order; what it answers to somebody else may answer ours
  /// early.
  void answerChange(const std::string& refusal) {
    if (changes_.empty()) return;
    if (refusal.empty()) {
      observer_.changeGranted(changes_.front());
    } else {
      observer_.changeRefused(changes_.front(), refusal);
    }
    changes_.pop_front();
  }

  bool isDead() {
    if (RunLock::isHeld(folder_)) {
      locked_ = Clock::now();
      return false;
    }
    if (locked_) return Clock::now() - *locked_ > kLongestUnlocked;
    return Clock::now() - heard_ > kLongestSilence && !isPaused_;
  }

  void obey() {
    switch (control_.next()) {
      case RunControl::Turn::batch:
        if (isPauseAsked_ || isPaused_) {
          const bool isRunning = control_.mode() == RunControl::Mode::running;
          ask({isRunning ? RequestKind::resume : RequestKind::step});
          if (isRunning) isPauseAsked_ = isPaused_ = false;
        }
        std::this_thread::sleep_for(kInterval);
        break;
      case RunControl::Turn::change:
        for (const ChangeRequest& change : control_.takeChanges()) askFor(change);
        break;
      case RunControl::Turn::inspection:
        if (const auto request = control_.takeInspection()) {
          observer_.inspectionFailed(*request, "The network is in another process.");
        }
        break;
      case RunControl::Turn::paused:
        if (!isPauseAsked_ && !isPaused_) ask({RequestKind::pause});
        isPauseAsked_ = true;
        if (isPaused_) {
          control_.waitForChange(kInterval);
        } else {
          std::this_thread::sleep_for(kInterval);
        }
        break;
      case RunControl::Turn::stop:
        if (!isStopAsked_) ask({RequestKind::stop});
        isStopAsked_ = true;
        std::this_thread::sleep_for(kInterval);
        break;
    }
  }

  void askFor(const ChangeRequest& change) {
    const LiveSettings now = liveSettingsOf(record_.config);
    if (settingsAfter(now, change) == now) {
      observer_.changeGranted(change);
      return;
    }
    changes_.push_back(change);
    ask({RequestKind::change, change});
  }

  void ask(const RunRequest& request) {
    try {
      ask_(request);
    } catch (const Error& error) {
      const EventRecord warning{.step = lastStep(),
                                .epoch = record_.epochsDone + 1,
                                .kind = EventKind::warning,
                                .text = error.what()};
      observer_.eventRecorded(warning);
      if (request.kind == RequestKind::change) answerChange(error.what());
    }
  }

  std::int64_t lastStep() const {
    return static_cast<std::int64_t>(record_.epochsDone) * record_.batchesPerEpoch;
  }

  RunResult result(RunStatus status, const std::string& failure) const {
    return {folder_.path().string(),
            status,
            record_.epochsDone,
            record_.bestValidationScore,
            record_.testScore,
            record_.validationMajority,
            record_.testMajority,
            record_.trainSeconds,
            record_.imagesPerSecond,
            record_.config.architecture.task,
            record_.config.architecture.input.width,
            failure,
            scoringOf(record_.config.recipe),
            record_.scoredBy};
  }

  RunFolder folder_;
  const std::function<void(const RunRequest&)>& ask_;
  RunControl& control_;
  Observer& observer_;
  MetricsTail tail_;
  RunRecord record_;
  Clock::time_point heard_ = Clock::now();   ///< The last time that it recorded something.
  std::optional<Clock::time_point> locked_;  ///< The last time that its lock was seen.
  std::deque<ChangeRequest> changes_;        ///< Those that the process has not answered.
  bool isPaused_ = false;                    ///< The process has paused.
  bool isPauseAsked_ = false;
  bool isStopAsked_ = false;
};

}  // namespace

RunResult watchRun(const std::filesystem::path& run,
                   const std::function<void(const RunRequest&)>& ask,
                   RunControl& control,
                   Observer& observer) {
  return WatchedRun(RunFolder::open(run), ask, control, observer).watch();
}

}  // namespace lambda
