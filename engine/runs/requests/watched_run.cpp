#include "engine/runs/requests/watched_run.h"

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/formats/files/file_stamp.h"
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

/// A request that had no effect for so long is forgotten, or asked again.
constexpr std::chrono::seconds kLongestAnswer{10};

bool isTraining(RunStatus status) {
  return status == RunStatus::running || status == RunStatus::paused;
}

/// When a request was sent whose effect has not been seen.
class SentRequest {
 public:
  void send() { sent_ = Clock::now(); }

  void end() { sent_.reset(); }

  bool isUnderWay() const { return sent_ && Clock::now() - *sent_ < kLongestAnswer; }

 private:
  std::optional<Clock::time_point> sent_;
};

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
    // What was recorded before is read by the observer.
    tail_.poll();
    begin();
    while (true) {
      const bool isOver = pollRun();
      if (isOver || control_.isLeft()) return result(record_.status, record_.statusText);
      if (isDead()) {
        return result(RunStatus::failed,
                      "the process that trained it has died\n  lambda resume continues it from its "
                      "last checkpoint");
      }
      obey();
    }
  }

 private:
  void begin() { observer_.started(record_, folder_.path().string(), tail_.offset()); }

  /// Reads the record where it has changed.
  void readRecord() {
    const FileStamp stamp = stampOf(folder_.record());
    if (stamp == stamp_) return;
    stamp_ = stamp;
    std::vector<Problem> ignored;
    record_ = readRunRecord(folder_.record(), ignored);
  }

  /// Passes on what is new; true at the end of the training.
  bool pollRun() {
    // The record says an end after everything else was written, and a change and a pause before.
    const std::size_t changes = record_.changes.size();
    readRecord();
    MetricsTail::Update update = tail_.poll();
    if (update.restarted) {
      begin();
    } else {
      for (std::size_t i = changes; i < record_.changes.size(); ++i) {
        observer_.settingsChanged(record_.changes[i], i);
        answerChange({});
      }
      for (const BatchRecord& batch : update.metrics.batches) observer_.batchFinished(batch);
      for (const EpochRecord& epoch : update.metrics.epochs) observer_.epochFinished(epoch);
      for (const EventRecord& event : update.metrics.events) take(event);
    }
    followPause();
    return !isTraining(record_.status);
  }

  /// Somebody else may have paused the run, or have ended a pause.
  void followPause() {
    const bool isPaused = record_.status == RunStatus::paused;
    if (isPaused == isPaused_) return;
    isPaused_ = isPaused;
    (isPaused ? pause_ : resume_).end();
    if (isPaused && control_.mode() == RunControl::Mode::running && !resume_.isUnderWay()) {
      control_.pause();
    } else if (!isPaused && control_.mode() == RunControl::Mode::paused && !pause_.isUnderWay()) {
      control_.resume();
    }
  }

  void take(const EventRecord& event) {
    observer_.eventRecorded(event);
    if (event.kind == EventKind::warning && event.text.starts_with(kChangeRefused)) {
      answerChange(event.text.substr(kChangeRefused.size()));
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

  /// Where locks of the process are never seen, as on some network disks, it is not known.
  bool isDead() {
    if (RunLock::isHeld(folder_)) locked_ = Clock::now();
    return locked_ && Clock::now() - *locked_ > kLongestUnlocked;
  }

  void obey() {
    switch (control_.next()) {
      case RunControl::Turn::batch:
        if (control_.mode() != RunControl::Mode::running) {
          ask({RequestKind::step});
        } else if ((isPaused_ || pause_.isUnderWay()) && !resume_.isUnderWay()) {
          pause_.end();
          if (ask({RequestKind::resume})) resume_.send();
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
        if ((!isPaused_ || resume_.isUnderWay()) && !pause_.isUnderWay()) {
          resume_.end();
          if (ask({RequestKind::pause})) pause_.send();
        }
        if (isPaused_ && !pause_.isUnderWay()) {
          control_.waitForChange(kInterval);
        } else {
          std::this_thread::sleep_for(kInterval);
        }
        break;
      case RunControl::Turn::stop:
        if (!stop_.isUnderWay()) {
          ask({RequestKind::stop});
          stop_.send();
        }
        std::this_thread::sleep_for(kInterval);
        break;
    }
  }

  void askFor(const ChangeRequest& change) {
    const LiveSettings now = liveSettingsOf(record_.config);
    if (settingsAfter(now, change) == now) {
      observer_.changeGranted(change);
    } else if (const std::string refusal = refusalOf({RequestKind::change, change});
               refusal.empty()) {
      changes_.push_back(change);
    } else {
      observer_.changeRefused(change, refusal);
    }
  }

  /// Asks the process; false, with a warning, where that is refused.
  bool ask(const RunRequest& request) {
    const std::string refusal = refusalOf(request);
    if (refusal.empty()) return true;
    observer_.eventRecorded(
        {.step = static_cast<std::int64_t>(record_.epochsDone) * record_.batchesPerEpoch,
         .epoch = record_.epochsDone + 1,
         .kind = EventKind::warning,
         .text = refusal});
    return false;
  }

  std::string refusalOf(const RunRequest& request) {
    try {
      ask_(request);
      return {};
    } catch (const Error& error) {
      return error.what();
    }
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
  FileStamp stamp_;  ///< Of the file that the record was read from.
  RunRecord record_;
  std::optional<Clock::time_point> locked_;  ///< The last time that its lock was seen.
  std::deque<ChangeRequest> changes_;        ///< Those that the process has not answered.
  bool isPaused_ = false;                    ///< As its record says.
  SentRequest pause_;
  SentRequest resume_;
  SentRequest stop_;
};

}  // namespace

RunResult watchRun(const std::filesystem::path& run,
                   const std::function<void(const RunRequest&)>& ask,
                   RunControl& control,
                   Observer& observer) {
  return WatchedRun(RunFolder::open(run), ask, control, observer).watch();
}

}  // namespace lambda
