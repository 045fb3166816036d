#include "engine/runs/run_journal.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_tail.h"
#include "engine/formats/files/line_splitter.h"
#include "engine/formats/metrics/histograms_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/values/config/record_fields.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

struct RunJournal::Log {
  explicit Log(const RunFolder& folder)
      : sink(std::make_shared<spdlog::sinks::basic_file_sink_mt>(folder.log().string())),
        logger(folder.name(), sink) {
    logger.set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    logger.flush_on(spdlog::level::info);
    // A failing log must not end a run, but failing metrics and checkpoints do.
    logger.set_error_handler([](const std::string&) {});
  }

  std::shared_ptr<spdlog::sinks::basic_file_sink_mt> sink;
  spdlog::logger logger;
};

RunJournal::RunJournal(const RunFolder& folder, Observer& observer)
    : folder_(folder), observer_(observer), metrics_(folder.metrics()) {
  try {
    log_ = std::make_unique<Log>(folder);
  } catch (const spdlog::spdlog_ex& failure) {
    throw Error(folder.log().string(), failure.what(), "check that the folder can be written to");
  }
}

RunJournal::~RunJournal() = default;

void RunJournal::rewind(const TrainingProgress& checkpoint) {
  const std::string text = readFile(folder_.metrics(), kMaxMetricsBytes);
  metrics_.truncate(checkpoint.metricsBytes);
  // Events are kept: a stop or a failure did happen and is not part of the curves.
  for (const EventRecord& event : metricsFromText(text.substr(checkpoint.metricsBytes)).events) {
    if (event.kind != EventKind::changed) metrics_.append(toLine(event));
  }
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

void RunJournal::addScalars(const BatchRecord& record) {
  events().add(record.step,
               {{"batch/loss", record.loss},
                {"batch/accuracy", record.accuracy},
                {"batch/learningRate", record.learningRate},
                {"batch/gradientNorm", record.gradientNorm}});
}

void RunJournal::addScalars(const EpochRecord& record) {
  std::vector<Scalar> scalars{{"train/loss", record.train.loss},
                              {"train/accuracy", record.train.accuracy},
                              {"epoch/imagesPerSecond", record.imagesPerSecond}};
  if (record.validation) {
    scalars.push_back({"validation/loss", record.validation->loss});
    scalars.push_back({"validation/accuracy", record.validation->accuracy});
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
                     std::to_string(record.train.loss) + " accuracy " +
                     std::to_string(record.train.accuracy);
  if (record.validation) {
    text += ", validation loss " + std::to_string(record.validation->loss) + " accuracy " +
            std::to_string(record.validation->accuracy);
  }
  log_->logger.info(text);
  observer_.epochFinished(record);
}

void RunJournal::record(const EventRecord& record) {
  metrics_.append(toLine(record));
  const bool bad = record.kind == EventKind::failed || record.kind == EventKind::warning;
  log_->logger.log(bad ? spdlog::level::warn : spdlog::level::info,
                   "step {} {}: {}",
                   record.step,
                   nameOf(record.kind),
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
  events().add(step, {{"test/loss", scores.loss}, {"test/accuracy", scores.accuracy}});
}

void RunJournal::sync() {
  metrics_.sync();
  if (histograms_) histograms_->sync();
  if (events_) events_->flush();
}

}  // namespace lambda
