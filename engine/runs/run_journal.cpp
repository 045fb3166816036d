#include "engine/runs/run_journal.h"

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_tail.h"
#include "engine/formats/files/line_splitter.h"
#include "engine/formats/metrics/histograms_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runtime/utc_time.h"
#include "engine/values/config/record_fields.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

std::string scoreKeyOf(const auto& record) {
  return traitsOf(record.scoredBy).key;
}

}  // namespace

RunJournal::RunJournal(const RunFolder& folder, Observer& observer)
    : folder_(folder),
      observer_(observer),
      metrics_(folder.metrics()),
      log_(folder.log(), std::chrono::minutes(1)) {}

void RunJournal::rewind(const TrainingProgress& checkpoint) {
  const std::string text = readFile(folder_.metrics(), kMaxMetricsBytes);
  // Events are kept: a stop or a failure did happen and is not part of the curves.
  std::string events;
  for (const EventRecord& event : metricsFromText(text.substr(checkpoint.metricsBytes)).events) {
    if (event.kind != EventKind::changed) events += toLine(event);
  }
  metrics_.replaceTail(checkpoint.metricsBytes, events);
  // The scalars of an epoch have the step of its last batch, and a checkpoint may have been written
  // between the two.
  resumeStep_ = checkpoint.step;
  const Metrics kept = metricsFromText(text.substr(0, checkpoint.metricsBytes));
  if (!kept.batches.empty() && kept.batches.back().step == checkpoint.step) {
    addScalars(kept.batches.back());
  }
  if (!kept.epochs.empty() && kept.epochs.back().step == checkpoint.step) {
    addScalars(kept.epochs.back());
  }
  try {
    rewindHistograms(checkpoint.step);
  } catch (const Error& error) {
    // The run is resumed all the same, and says so when it would record the next ones.
    histogramsError_ = error;
  }
}

void RunJournal::rewindHistograms(std::int64_t step) {
  std::error_code error;
  if (!std::filesystem::exists(folder_.histograms(), error)) return;
  std::size_t kept = 0;
  bool isPast = false;
  std::string last;
  LineSplitter lines(kLongestHistogramsLine);
  const auto keep = [&](std::string_view line) {
    isPast = isPast || stepOfHistogramsLine(line).value_or(0) > step;
    if (isPast) return;
    kept += line.size() + 1;
    last = line;
  };
  FileTail(folder_.histograms())
      .poll([] {}, [&](std::string_view text) { lines.feed(text, keep, [&] { isPast = true; }); });
  histograms_ = std::make_unique<AppendFile>(folder_.histograms());
  histograms_->truncate(kept);
  if (stepOfHistogramsLine(last) == step) addHistograms(histogramsFromLine(last));
}

EventWriter& RunJournal::events() {
  if (!events_) events_ = std::make_unique<EventWriter>(folder_.path(), resumeStep_);
  return *events_;
}

void RunJournal::log(std::string_view level, const std::string& text) {
  try {
    log_.appendLine(utcTime() + " " + std::string(level) + " " + text);
  } catch (const Error&) {
    // A failing log must not end a run, but failing metrics and checkpoints do.
  }
}

void RunJournal::addScalars(const BatchRecord& record) {
  events().add(record.step,
               {{"batch/loss", record.loss},
                {"batch/" + scoreKeyOf(record), record.score},
                {"batch/learningRate", record.learningRate},
                {"batch/gradientNorm", record.gradientNorm}});
}

void RunJournal::addScalars(const EpochRecord& record) {
  std::vector<Scalar> scalars{{"train/loss", record.train.loss},
                              {"train/" + scoreKeyOf(record.train), record.train.score},
                              {"epoch/imagesPerSecond", record.imagesPerSecond}};
  if (record.validation) {
    scalars.push_back({"validation/loss", record.validation->loss});
    scalars.push_back({"validation/" + scoreKeyOf(*record.validation), record.validation->score});
  }
  events().add(record.step, scalars);
}

void RunJournal::record(const BatchRecord& record) {
  metrics_.append(toLine(record));
  addScalars(record);
  observer_.batchFinished(record);
}

void RunJournal::record(const EpochRecord& record) {
  metrics_.append(toLine(record));
  addScalars(record);
  std::string text = "epoch " + std::to_string(record.epoch) + ": train loss " +
                     std::to_string(record.train.loss) + " " + scoreKeyOf(record.train) + " " +
                     std::to_string(record.train.score);
  if (record.validation) {
    text += ", validation loss " + std::to_string(record.validation->loss) + " " +
            scoreKeyOf(*record.validation) + " " + std::to_string(record.validation->score);
  }
  log("info", text);
  observer_.epochFinished(record);
}

void RunJournal::record(const EventRecord& record) {
  metrics_.append(toLine(record));
  const bool bad = record.kind == EventKind::failed || record.kind == EventKind::warning;
  log(bad ? "warning" : "info",
      "step " + std::to_string(record.step) + " " + std::string(nameOf(record.kind)) + ": " +
          terminalText(record.text, LineBreaks::kept));
  observer_.eventRecorded(record);
}

void RunJournal::addHistograms(const HistogramRecord& record) {
  std::vector<TaggedHistogram> tagged;
  for (const LayerHistogram& each : record.layers) {
    tagged.push_back({std::string(nameOf(each.kind)) + "/" + each.layer, &each.histogram});
  }
  events().add(record.step, tagged);
}

void RunJournal::record(const HistogramRecord& record) {
  if (histogramsError_) throw Error(*histogramsError_);
  if (!histograms_) histograms_ = std::make_unique<AppendFile>(folder_.histograms());
  histograms_->append(toLine(record));
  addHistograms(record);
}

void RunJournal::recordTest(std::int64_t step, const Scores& scores) {
  events().add(step, {{"test/loss", scores.loss}, {"test/" + scoreKeyOf(scores), scores.score}});
}

void RunJournal::sync() {
  metrics_.sync();
  if (histograms_) histograms_->sync();
  if (events_) events_->flush();
}

}  // namespace lambda
