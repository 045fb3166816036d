#include "engine/runs/metrics_repair.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/runtime/error.h"
#include "engine/values/text/quantities.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// The values of each tag by step, from the run's own TensorBoard files.
class Scalars {
 public:
  explicit Scalars(const fs::path& folder) {
    try {
      const EventFolder events = readEventFolder(folder);
      for (const Curve& curve : events.curves) {
        for (const CurvePoint& point : curve.points) values_[curve.name][point.step] = point.value;
      }
    } catch (const Error&) {
      // Without these files nothing can be rebuilt, which the report says.
    }
  }

  double at(const std::string& tag, std::int64_t step) const {
    const auto curve = values_.find(tag);
    if (curve == values_.end()) return kUnknown;
    const auto value = curve->second.find(step);
    return value == curve->second.end() ? kUnknown : value->second;
  }

  bool has(const std::string& tag, std::int64_t step) const {
    const auto curve = values_.find(tag);
    return curve != values_.end() && curve->second.contains(step);
  }

  std::vector<std::int64_t> steps(const std::string& tag) const {
    std::vector<std::int64_t> steps;
    const auto curve = values_.find(tag);
    if (curve == values_.end()) return steps;
    for (const auto& [step, value] : curve->second) steps.push_back(step);
    return steps;
  }

 private:
  std::map<std::string, std::map<std::int64_t, double>> values_;
};

/// The last step of each epoch, by the number of the epoch. Epochs are counted back from the
/// checkpoint, because a fork does not begin at epoch 1.
std::map<int, std::int64_t> epochEnds(const Scalars& scalars, const TrainingProgress& at) {
  std::vector<std::int64_t> steps = scalars.steps("train/loss");
  std::erase_if(steps, [&](std::int64_t step) { return step > at.step - at.batch; });
  std::map<int, std::int64_t> ends;
  int epoch = at.epoch;
  for (auto step = steps.rbegin(); step != steps.rend() && epoch > 0; ++step) ends[epoch--] = *step;
  return ends;
}

int epochOf(std::int64_t step, const std::map<int, std::int64_t>& ends, int running) {
  for (const auto& [epoch, end] : ends) {
    if (step <= end) return epoch;
  }
  return running;
}

/// The scores of "batch", "train" or "validation".
Scores scoresFrom(const Scalars& scalars,
                  const std::string& part,
                  std::int64_t step,
                  ScoreKind scoredBy) {
  return {scalars.at(part + "/loss", step),
          scalars.at(part + "/" + traitsOf(scoredBy).key, step),
          scoredBy};
}

EpochRecord epochFrom(const Scalars& scalars, int epoch, std::int64_t step, ScoreKind scoredBy) {
  EpochRecord record{.step = step,
                     .epoch = epoch,
                     .seconds = kUnknown,
                     .train = scoresFrom(scalars, "train", step, scoredBy),
                     .learningRate = kUnknown,
                     .imagesPerSecond = scalars.at("epoch/imagesPerSecond", step),
                     .dataShare = kUnknown};
  if (scalars.has("validation/loss", step)) {
    record.validation = scoresFrom(scalars, "validation", step, scoredBy);
  }
  return record;
}

BatchRecord batchFrom(const Scalars& scalars, int epoch, std::int64_t step, ScoreKind scoredBy) {
  const Scores scores = scoresFrom(scalars, "batch", step, scoredBy);
  return {.step = step,
          .epoch = epoch,
          .seconds = kUnknown,
          .loss = scores.loss,
          .score = scores.score,
          .learningRate = scalars.at("batch/learningRate", step),
          .gradientNorm = scalars.at("batch/gradientNorm", step),
          .imagesPerSecond = kUnknown,
          .scoredBy = scoredBy};
}

template <class Record>
std::set<std::int64_t> stepsOf(const std::vector<Record>& records) {
  std::set<std::int64_t> steps;
  for (const Record& each : records) steps.insert(each.step);
  return steps;
}

struct Rebuilt {
  int batches = 0;
  int epochs = 0;
};

/// Adds the records up to the checkpoint that `metrics` lacks and the TensorBoard files hold.
Rebuilt rebuild(Metrics& metrics, const Scalars& scalars, const TrainingProgress& at) {
  Rebuilt rebuilt;
  const std::map<int, std::int64_t> ends = epochEnds(scalars, at);
  const std::set<std::int64_t> keptBatches = stepsOf(metrics.batches);
  for (const std::int64_t step : scalars.steps("batch/loss")) {
    if (step > at.step || keptBatches.contains(step)) continue;
    metrics.batches.push_back(
        batchFrom(scalars, epochOf(step, ends, at.epoch + 1), step, at.scoredBy));
    ++rebuilt.batches;
  }
  const std::set<std::int64_t> keptEpochs = stepsOf(metrics.epochs);
  for (const auto& [epoch, step] : ends) {
    if (keptEpochs.contains(step)) continue;
    metrics.epochs.push_back(epochFrom(scalars, epoch, step, at.scoredBy));
    ++rebuilt.epochs;
  }
  std::ranges::stable_sort(metrics.batches, {}, &BatchRecord::step);
  std::ranges::stable_sort(metrics.epochs, {}, &EpochRecord::step);
  return rebuilt;
}

/// The lines in order of step: a batch before the epoch that it ends, events after both.
std::string textOf(const Metrics& metrics) {
  std::string text;
  auto batch = metrics.batches.begin();
  auto epoch = metrics.epochs.begin();
  auto event = metrics.events.begin();
  while (batch != metrics.batches.end() || epoch != metrics.epochs.end() ||
         event != metrics.events.end()) {
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    const std::int64_t b = batch == metrics.batches.end() ? kNever : batch->step;
    const std::int64_t e = epoch == metrics.epochs.end() ? kNever : epoch->step;
    const std::int64_t v = event == metrics.events.end() ? kNever : event->step;
    if (b <= e && b <= v) {
      text += toLine(*batch++);
    } else if (e <= v) {
      text += toLine(*epoch++);
    } else {
      text += toLine(*event++);
    }
  }
  return text;
}

}  // namespace

std::string repairMetrics(const RunFolder& folder, std::int64_t start, TrainingProgress& at) {
  std::error_code error;
  const bool exists = fs::exists(folder.metrics(), error);
  const std::string text = exists ? readFile(folder.metrics(), kMaxMetricsBytes) : std::string();
  const std::uint64_t length = at.metricsBytes;
  const bool endsALine = length == 0 || (length <= text.size() && text[length - 1] == '\n');
  if (exists && endsALine) return {};

  Metrics metrics = metricsFromText(text);
  std::erase_if(metrics.batches, [&](const BatchRecord& each) { return each.step > at.step; });
  std::erase_if(metrics.epochs, [&](const EpochRecord& each) { return each.epoch > at.epoch; });
  // Changes after the checkpoint are repeated, and recorded again then.
  int changes = 0;
  std::erase_if(metrics.events, [&](const EventRecord& each) {
    return each.kind == EventKind::changed && ++changes > at.changes;
  });
  const Rebuilt rebuilt = rebuild(metrics, Scalars(folder.path()), at);
  const std::string whole = textOf(metrics);
  writeFileDurably(folder.metrics(), whole);
  at.metricsBytes = whole.size();

  std::string report =
      exists ? "metrics.jsonl ends before the checkpoint" : "metrics.jsonl is missing";
  report += ": " + formatCounted(rebuilt.batches, "batch record") + " and " +
            formatCounted(rebuilt.epochs, "epoch record") +
            " were rebuilt from the TensorBoard files, without their times";
  const auto present = static_cast<std::int64_t>(stepsOf(metrics.batches).size());
  const std::int64_t lost = at.step - start - present;
  if (lost > 0) report += "; the records of " + formatCounted(lost, "step") + " are lost";
  return report;
}

}  // namespace lambda
