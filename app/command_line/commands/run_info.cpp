#include "app/command_line/commands/run_info.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/text_table.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/evaluations_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/evaluations.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/config/scoring.h"
#include "engine/values/text/quantities.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBestEpochsShown = 3;
constexpr std::size_t kSlowestRanksShown = 16;

std::uint64_t diskUseOf(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::set<std::pair<dev_t, ino_t>> seen;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat status {};

    if (lstat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (!seen.insert({status.st_dev, status.st_ino}).second) continue;
    bytes += static_cast<std::uint64_t>(status.st_size);
  }
  return bytes;
}

CheckpointInfo checkpointInfoOf(const fs::path& path) {
  CheckpointInfo info;
  info.name = path.filename().string();
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (!error) info.bytes = bytes;
  try {
    const TrainingProgress progress = readCheckpointHeader(path).progress;
    info.epoch = progress.epoch;
    info.step = progress.step;
  } catch (const Error& failure) {
    info.damage = failure.reason();
  }
  return info;
}

std::string statusOf(const RunInfo& info) {
  return info.interrupted ? "interrupted" : std::string(nameOf(info.record.status));
}

/// The epochs with the best validation, the best first.
std::vector<EpochRecord> bestEpochs(const Metrics& metrics, BestBy by) {
  std::vector<EpochRecord> epochs;
  for (const EpochRecord& epoch : metrics.epochs) {
    if (epoch.validation) epochs.push_back(epoch);
  }
  std::stable_sort(epochs.begin(), epochs.end(), [&](const EpochRecord& a, const EpochRecord& b) {
    return isBetter(*a.validation, *b.validation, by);
  });
  epochs.resize(std::min(epochs.size(), kBestEpochsShown));
  return epochs;
}

std::string statusText(const RunInfo& info) {
  const RunRecord& record = info.record;
  std::string text = statusOf(info) + ", " + std::to_string(record.epochsDone) + " of " +
                     formatCounted(record.config.recipe.epochs, "epoch");
  if (info.interrupted) text += "; it was killed: lambda resume continues it";
  if (!record.statusText.empty()) {
    text += "; " + record.statusText.substr(0, record.statusText.find('\n'));
  }
  return text;
}

std::string factsText(const RunInfo& info) {
  const RunRecord& record = info.record;
  FactList facts;
  facts.add("run", shownPath(info.path));
  facts.add("status", statusText(info));
  facts.add("network",
            record.config.architecture.name + ", " + record.pattern + ", " +
                formatCount(record.parameters) + " parameters");
  const std::string& digest = record.dataSha256.train;
  facts.add("data",
            textOf(record.config.data.source) +
                (digest.empty() ? "" : ", SHA-256 " + digest.substr(0, 12)));
  for (const DataChange& change : record.dataChanges) facts.add("data changed", textOf(change));
  facts.add("started", record.environment.started);
  if (!record.ranks.empty()) {
    std::set<std::string> hosts;
    for (const RankRecord& each : record.ranks) hosts.insert(each.host);
    facts.add("trained by",
              std::to_string(record.ranks.size()) + " processes on " +
                  formatCounted(static_cast<std::int64_t>(hosts.size()), "host"));
  }
  facts.add(
      "machine",
      record.environment.device + ", " + formatCounted(record.environment.threads, "thread") +
          (record.environment.threadChanges > 0
               ? " at first, changed " + formatCounted(record.environment.threadChanges, "time") +
                     " (not repeatable to the bit)"
               : "") +
          ", " + record.environment.cpu + ", LibTorch " + record.environment.torch);
  const std::string& commit = record.environment.commit;
  facts.add("program", record.environment.program + (commit.empty() ? "" : ", commit " + commit));
  facts.add("precision",
            precisionText(record.config.recipe.precision, record.environment.precisionRates));
  const StartConfig& start = record.config.start;
  if (!start.weights.empty()) {
    facts.add(
        "starts from",
        shownPath(start.weights) + ", SHA-256 " + start.sha256.substr(0, 12) +
            (start.frozenStages > 0 ? ", " + formatCounted(start.frozenStages, "stage") + " frozen"
                                    : ""));
  }
  const DataConfig& data = record.config.data;
  if (!data.pseudoLabels.empty()) {
    facts.add("pseudo-labels",
              shownPath(data.pseudoLabels) + ", SHA-256 " + data.pseudoLabelsSha256.substr(0, 12));
  }
  if (!record.config.experiment.empty()) {
    facts.add("experiment", record.config.experiment + ", variant " + record.config.name);
  }
  if (!record.lineage.parentRun.empty()) {
    const std::string& checkpoint = record.lineage.parentCheckpoint;
    facts.add(checkpoint.empty() ? "duplicate of" : "forked from",
              record.lineage.parentRun + (checkpoint.empty() ? "" : ", " + checkpoint));
  }
  for (const RunChange& change : record.changes) {
    facts.add("changed",
              "after step " + formatCount(change.step) + ", in epoch " +
                  std::to_string(change.epoch + 1) + ": " + textOf(change));
  }
  facts.add("training",
            formatDuration(record.trainSeconds) + ", " +
                throughputText(record.imagesPerSecond,
                               record.config.architecture.task,
                               record.config.architecture.input.width));
  if (record.testScore) {
    facts.add("test",
              scoreInWords(*record.testScore, record.scoredBy) + majorityText(record.testMajority) +
                  ", the test set was scored " + formatCounted(info.testEvaluations, "time"));
  }
  const std::string scoring = scoringText(scoringOf(record.config.recipe));
  if (!scoring.empty()) facts.add("scored with", scoring);
  facts.add("on disk", formatBytes(info.diskBytes));
  return facts.text();
}

/// The slowest processes first: the others wait for them.
std::string ranksText(const RunRecord& record) {
  using Align = TextTable::Align;
  std::vector<std::size_t> order(record.ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, {}, [&](std::size_t rank) { return record.ranks[rank].imagesPerSecond; });
  const std::size_t hidden = order.size() - std::min(order.size(), kSlowestRanksShown);
  order.resize(order.size() - hidden);
  const Architecture& network = record.config.architecture;
  TextTable table({{"rank", Align::right},
                   {"host"},
                   {"device"},
                   {"threads", Align::right},
                   {throughputUnit(network.task), Align::right},
                   {"waits", Align::right}});
  for (const std::size_t rank : order) {
    const RankRecord& each = record.ranks[rank];
    table.addRow({std::to_string(rank),
                  each.host,
                  each.device,
                  std::to_string(each.threads),
                  throughputNumber(each.imagesPerSecond, network.task, network.input.width),
                  formatPercent(each.waitShare)});
  }
  return table.text("  ") +
         (hidden > 0 ? "  and " + std::to_string(hidden) + " faster ones\n" : "");
}

std::string evaluationsText(const std::vector<EvaluationRecord>& evaluations,
                            const char* scoreName) {
  using Align = TextTable::Align;
  TextTable table({{"evaluated"},
                   {"checkpoint"},
                   {"split"},
                   {"data"},
                   {scoreName, Align::right},
                   {"loss", Align::right}});
  for (const EvaluationRecord& each : evaluations) {
    table.addRow({each.time,
                  each.checkpoint,
                  std::string(nameOf(each.split)),
                  each.data.empty() ? "the run's" : shownPath(each.data),
                  formatScore(each.scores.score, each.scores.scoredBy),
                  formatFixed(each.scores.loss, 4)});
  }
  return table.text("  ");
}

Json evaluationsJson(const std::vector<EvaluationRecord>& evaluations) {
  Json list = Json::array();
  for (const EvaluationRecord& each : evaluations) {
    list.push_back({{"time", each.time},
                    {"checkpoint", each.checkpoint},
                    {"epoch", each.epoch},
                    {"step", each.step},
                    {"split", nameOf(each.split)},
                    {"images", each.images},
                    {"data", each.data},
                    {"dataSha256", each.dataSha256},
                    {"loss", each.scores.loss},
                    {traitsOf(each.scores.scoredBy).key, each.scores.score}});
  }
  return list;
}

}  // namespace

RunInfo readRunInfo(const fs::path& path) {
  const RunFolder folder = RunFolder::open(path);
  RunInfo info;
  info.path = folder.path();
  std::vector<Problem> warnings;
  info.record = readRunRecord(folder.record(), warnings);
  const bool marked =
      info.record.status == RunStatus::running || info.record.status == RunStatus::paused;
  info.interrupted = marked && !RunLock::isHeld(folder);
  info.metrics = readMetrics(folder.metrics());
  info.testEvaluations = testEvaluationsOf(folder, info.record);
  info.evaluations = readEvaluations(folder.evaluations()).records;
  for (const fs::path& checkpoint : folder.checkpointsNewestFirst()) {
    info.checkpoints.push_back(checkpointInfoOf(checkpoint));
  }
  info.diskBytes = diskUseOf(folder.path());
  return info;
}

Json runInfoJson(const RunInfo& info) {
  Json checkpoints = Json::array();
  for (const CheckpointInfo& checkpoint : info.checkpoints) {
    Json entry{{"name", checkpoint.name},
               {"bytes", checkpoint.bytes},
               {"epoch", checkpoint.epoch},
               {"step", checkpoint.step}};
    if (!checkpoint.damage.empty()) entry["damage"] = checkpoint.damage;
    checkpoints.push_back(std::move(entry));
  }
  Json best = Json::array();
  const BestBy by = info.record.config.checkpoints.bestBy;
  for (const EpochRecord& epoch : bestEpochs(info.metrics, by)) {
    best.push_back({{"epoch", epoch.epoch},
                    {traitsOf(epoch.validation->scoredBy).key, epoch.validation->score},
                    {"loss", epoch.validation->loss}});
  }
  Json object{{"run", info.path.string()},
              {"status", statusOf(info)},
              {"diskBytes", info.diskBytes},
              {"checkpoints", checkpoints},
              {"bestEpochs", best},
              {"testEvaluations", info.testEvaluations},
              {"evaluations", evaluationsJson(info.evaluations)},
              {"record", Json::parse(toJson(info.record))}};
  const std::vector<std::string> scoring = scoringOf(info.record.config.recipe);
  if (!scoring.empty()) object["scoring"] = scoring;
  return object;
}

std::string runInfoText(const RunInfo& info) {
  using Align = TextTable::Align;
  std::string text = factsText(info);
  const char* scoreName = traitsOf(info.record.scoredBy).name;
  const std::vector<EpochRecord> epochs =
      bestEpochs(info.metrics, info.record.config.checkpoints.bestBy);
  if (!epochs.empty()) {
    TextTable table(
        {{"best epochs", Align::right}, {scoreName, Align::right}, {"loss", Align::right}});
    for (const EpochRecord& epoch : epochs) {
      table.addRow({std::to_string(epoch.epoch),
                    formatScore(epoch.validation->score, epoch.validation->scoredBy),
                    formatFixed(epoch.validation->loss, 4)});
    }
    text += "\n" + table.text("  ");
  }
  if (!info.record.ranks.empty()) text += "\n" + ranksText(info.record);
  if (!info.evaluations.empty()) text += "\n" + evaluationsText(info.evaluations, scoreName);
  TextTable table({{"checkpoint"},
                   {"epochs", Align::right},
                   {"step", Align::right},
                   {"size", Align::right},
                   {""}});
  for (const CheckpointInfo& checkpoint : info.checkpoints) {
    const bool good = checkpoint.damage.empty();
    table.addRow({checkpoint.name,
                  good ? std::to_string(checkpoint.epoch) : "",
                  good ? formatCount(checkpoint.step) : "",
                  formatBytes(checkpoint.bytes),
                  good ? "" : "damaged: " + checkpoint.damage});
  }
  return text + "\n" + table.text("  ");
}

}  // namespace lambda
