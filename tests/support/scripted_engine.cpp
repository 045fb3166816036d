#include "tests/support/scripted_engine.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <thread>
#include <utility>

#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/schedule.h"
#include "tests/support/example_tokens.h"

namespace fs = std::filesystem;

namespace lambda::test {

namespace {

constexpr int kClasses = 10;

Array randomArray(std::vector<std::int64_t> shape, std::uint64_t seed, float scale) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, scale);
  Array array{std::move(shape), std::vector<float>(count)};
  for (float& value : array.values) value = normal(random);
  return array;
}

Image probeImage(int side, int index) {
  Image image{side, side, std::vector<std::uint8_t>(3 * static_cast<std::size_t>(side) * side)};
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const std::size_t at = 3 * (static_cast<std::size_t>(y) * side + x);
      image.rgb[at] = static_cast<std::uint8_t>(255 * x / side);
      image.rgb[at + 1] = static_cast<std::uint8_t>(255 * y / side);
      image.rgb[at + 2] = static_cast<std::uint8_t>(40 * index % 256);
    }
  }
  return image;
}

InspectionSnapshot plausibleSnapshot(const RunConfig& config,
                                     const InspectionRequest& request,
                                     std::int64_t step,
                                     int epoch) {
  const std::vector<InspectableLayer> layers = inspectableLayers(config.architecture);
  if (layers.empty()) throw Error("inspection", "the network has no lambda layer");
  const auto found = std::find_if(layers.begin(), layers.end(), [&](const InspectableLayer& layer) {
    return layer.name == request.layer;
  });
  InspectionSnapshot s;
  s.request = request;
  s.step = step;
  s.epoch = epoch;
  s.layer = found == layers.end() ? layers.front() : *found;
  const InspectableLayer& l = s.layer;
  s.queryRow = request.queryRow < 0 ? l.height / 2 : request.queryRow;
  s.queryColumn = request.queryColumn < 0 ? l.width / 2 : request.queryColumn;
  s.image = request.picture ? *request.picture
                            : probeImage(config.architecture.input.width, request.image);
  s.label = request.picture ? -1 : request.image % kClasses;
  s.predicted = (request.image + 1) % kClasses;
  s.probabilities.assign(kClasses, 0.05F);
  s.probabilities[static_cast<std::size_t>(s.predicted)] = 0.55F;
  for (int i = 0; i < kClasses; ++i) s.classNames.push_back("class " + std::to_string(i));
  const auto seed = static_cast<std::uint64_t>(step * 1000 + request.image * 100 + s.queryRow * 10 +
                                               s.queryColumn);
  s.queries = randomArray({l.heads, l.queryDepth}, seed, 1);
  s.lambdas.content = randomArray({l.queryDepth, l.valueDepth}, seed + 1, 0.5F);
  s.lambdas.position = randomArray({l.queryDepth, l.valueDepth}, seed + 2, 1);
  s.lambdas.total = sumOf(s.lambdas.content, s.lambdas.position);
  s.contributions.content = randomArray({l.heads, l.intraDepth, l.height, l.width}, seed + 3, 0.2F);
  s.contributions.position = randomArray({l.heads, l.intraDepth, l.height, l.width}, seed + 4, 1);
  s.contributions.total = sumOf(s.contributions.content, s.contributions.position);
  s.effect = randomArray({l.heads, l.height, l.width}, seed + 5, 1);
  for (float& value : s.effect.values) value = std::abs(value);
  const std::int64_t rank = std::min(l.queryDepth, l.valueDepth);
  for (Array* values :
       {&s.singularValues.content, &s.singularValues.position, &s.singularValues.total}) {
    *values = randomArray({rank}, seed + 6, 1);
    for (float& value : values->values) value = std::abs(value);
    std::sort(values->values.rbegin(), values->values.rend());
  }
  const std::int64_t tileHeight = 2 * l.height - 1;
  const std::int64_t tileWidth = 2 * l.width - 1;
  s.embeddings.tiles = randomArray({l.queryDepth, l.intraDepth, tileHeight, tileWidth}, 7, 1);
  s.embeddings.change =
      randomArray({l.queryDepth, l.intraDepth, tileHeight, tileWidth}, seed + 8, 0.3F);
  for (int i = 0; i < l.queryDepth * l.intraDepth; ++i) {
    s.embeddings.norms.push_back(static_cast<float>(l.queryDepth * l.intraDepth - i));
    s.embeddings.order.push_back(i);
  }
  s.keys.regions = randomArray({l.queryDepth, l.intraDepth, l.height, l.width}, seed + 9, 1);
  for (int i = 0; i < l.queryDepth * l.intraDepth; ++i) {
    const std::size_t size = static_cast<std::size_t>(l.height) * l.width;
    float* region = s.keys.regions.values.data() + static_cast<std::size_t>(i) * size;
    float sum = 0;
    for (std::size_t m = 0; m < size; ++m) sum += region[m] = std::exp(region[m]);
    float entropy = 0;
    for (std::size_t m = 0; m < size; ++m) {
      region[m] /= sum;
      entropy -= region[m] * std::log(region[m]);
    }
    s.keys.entropy.push_back(entropy);
  }
  s.balance = {2.5, 7.5, 0.125};
  s.residual = {3e-7, 2e-7};
  return s;
}

Environment scriptedEnvironment() {
  return {.program = "0.1.0",
          .commit = "unknown",
          .torch = "none",
          .device = "cpu",
          .threads = 1,
          .cpu = "scripted",
          .host = "localhost",
          .started = "2026-11-21T00:00:00Z",
          .precisionRates = {}};
}

}  // namespace

/// A running training: the loop of engine/training without any arithmetic.
class ScriptedEngine::Training {
 public:
  Training(ScriptedEngine& engine,
           RunFolder folder,
           RunRecord record,
           RunControl& control,
           Observer& observer)
      : engine_(engine),
        folder_(std::move(folder)),
        lock_(folder_),
        record_(std::move(record)),
        control_(control),
        observer_(observer),
        metrics_(folder_.metrics(), std::ios::app) {}

  RunResult run(std::int64_t firstStep, EventKind opening) {
    step_ = firstStep;
    record_.trainingExamples = 1000;
    record_.batchesPerEpoch = engine_.batchesPerEpoch;
    save(RunStatus::running);
    observer_.started(record_, folder_.path().string(), fs::file_size(folder_.metrics()));
    note(opening, std::string(nameOf(opening)));
    const auto isLeft = [this] {
      return step_ <
             static_cast<std::int64_t>(record_.config.recipe.epochs) * engine_.batchesPerEpoch;
    };
    while (isLeft()) {
      if (!proceed()) {
        std::ofstream(folder_.lastCheckpoint()) << step_;
        return end(RunStatus::stopped);
      }
      batch();
      if (engine_.failAt && step_ >= *engine_.failAt) return end(RunStatus::failed);
      if (step_ % engine_.batchesPerEpoch == 0) epoch();
    }
    record_.testScore = 0.75;
    note(EventKind::tested, "test accuracy 75.0 %");
    return end(RunStatus::finished);
  }

 private:
  int epochNow() const {
    return static_cast<int>(std::max<std::int64_t>(step_ - 1, 0) / engine_.batchesPerEpoch) + 1;
  }

  bool proceed() {
    while (true) {
      switch (control_.next()) {
        case RunControl::Turn::batch:
          return true;
        case RunControl::Turn::change:
          for (const ChangeRequest& request : control_.takeChanges()) change(request);
          break;
        case RunControl::Turn::inspection:
          inspect();
          break;
        case RunControl::Turn::paused:
          note(EventKind::paused, "paused");
          control_.waitForChange();
          break;
        case RunControl::Turn::stop:
          return false;
      }
    }
  }

  void change(const ChangeRequest& request) {
    const int running = static_cast<int>(step_ / engine_.batchesPerEpoch) + 1;
    const std::string obstacle = obstacleTo(request, record_.config, running);
    if (!obstacle.empty()) {
      note(EventKind::warning, "the settings are not changed: " + obstacle);
      observer_.changeRefused(request, obstacle);
      return;
    }
    const LiveSettings before = liveSettingsOf(record_.config);
    const LiveSettings after = settingsAfter(before, request);
    if (after != before) {
      const RunChange made{
          step_, running - 1, static_cast<int>(step_ % engine_.batchesPerEpoch), before, after};
      setLiveSettings(record_.config, after);
      record_.changes.push_back(made);
      save(RunStatus::running);
      note(EventKind::changed, textOf(made));
      observer_.settingsChanged(made, record_.changes.size() - 1);
    }
    observer_.changeGranted(request);
  }

  void inspect() {
    const std::optional<InspectionRequest> request = control_.takeInspection();
    if (!request) return;
    try {
      observer_.inspected(std::make_shared<const InspectionSnapshot>(
          engine_.snapshot(record_.config, *request, step_, epochNow())));
    } catch (const std::exception& error) {
      observer_.inspectionFailed(*request, error.what());
    }
  }

  void batch() {
    std::this_thread::sleep_for(engine_.batchTime);
    ++step_;
    const double t = static_cast<double>(step_) / engine_.batchesPerEpoch;
    BatchRecord record;
    record.step = step_;
    record.epoch = epochNow();
    record.seconds = static_cast<double>(step_) * 0.05;
    record.loss = 2.3 * std::exp(-t / 3) + 0.15 * std::sin(static_cast<double>(step_) * 1.7);
    if (engine_.notANumberAt == step_) record.loss = std::numeric_limits<double>::quiet_NaN();
    record.score = std::clamp(
        1 - std::exp(-t / 3) + 0.05 * std::cos(static_cast<double>(step_) * 2.3), 0.0, 1.0);
    record.learningRate = learningRateAt(record_.config.recipe, t);
    record.gradientNorm = 1.5;
    record.imagesPerSecond = 640;
    metrics_ << toLine(record) << std::flush;
    observer_.batchFinished(record);
  }

  void epoch() {
    const int done = epochNow();
    EpochRecord record;
    record.step = step_;
    record.epoch = done;
    record.seconds = static_cast<double>(step_) * 0.05;
    record.train = {2.3 * std::exp(-done / 3.0), 1 - std::exp(-done / 3.0)};
    record.validation = Scores{2.3 * std::exp(-done / 4.0), 1 - std::exp(-done / 4.0)};
    record.imagesPerSecond = 640;
    metrics_ << toLine(record) << std::flush;
    record_.epochsDone = done;
    record_.bestValidationScore = record.validation->score;
    observer_.epochFinished(record);
    std::ofstream(folder_.lastCheckpoint()) << step_;
    std::ofstream(folder_.bestCheckpoint()) << step_;
    note(EventKind::checkpoint, "end of epoch " + std::to_string(done));
    save(RunStatus::running);
  }

  void note(EventKind kind, const std::string& text) {
    const EventRecord record{step_, epochNow(), static_cast<double>(step_) * 0.05, kind, text};
    metrics_ << toLine(record) << std::flush;
    observer_.eventRecorded(record);
  }

  void save(RunStatus status) {
    record_.status = status;
    record_.trainSeconds = static_cast<double>(step_) * 0.05;
    record_.imagesPerSecond = 640;
    writeRunRecord(folder_.record(), record_);
  }

  RunResult end(RunStatus status) {
    if (status == RunStatus::failed) record_.statusText = engine_.failure;
    const EventKind kind = status == RunStatus::failed    ? EventKind::failed
                           : status == RunStatus::stopped ? EventKind::stopped
                                                          : EventKind::finished;
    note(kind, std::string(nameOf(kind)));
    save(status);
    return {.run = folder_.path().string(),
            .status = status,
            .epochs = record_.epochsDone,
            .bestValidationScore = record_.bestValidationScore,
            .testScore = record_.testScore,
            .validationMajority = record_.validationMajority,
            .testMajority = record_.testMajority,
            .trainSeconds = record_.trainSeconds,
            .imagesPerSecond = 640,
            .failure = record_.statusText,
            .scoring = {}};
  }

  ScriptedEngine& engine_;
  RunFolder folder_;
  RunLock lock_;
  RunRecord record_;
  RunControl& control_;
  Observer& observer_;
  std::ofstream metrics_;
  std::int64_t step_ = 0;
};

class ScriptedEngine::Checkpoint : public OpenCheckpoint {
 public:
  Checkpoint(ScriptedEngine& engine, CheckpointHeader header)
      : engine_(engine), header_(std::move(header)) {}

  const CheckpointHeader& header() const override { return header_; }

  InspectionSnapshot inspect(const InspectionRequest& request) override {
    {
      const std::lock_guard lock(engine_.mutex_);
      engine_.inspections_.push_back(request);
    }
    return engine_.snapshot(header_.config, request, header_.progress.step, header_.progress.epoch);
  }

  TokenSnapshot inspectTokens(const TokenInspectionRequest& request) override {
    {
      const std::lock_guard lock(engine_.mutex_);
      engine_.tokenInspections_.push_back(request);
    }
    return engine_.tokens(header_.config, request, header_.progress.step, header_.progress.epoch);
  }

  std::optional<Predictions> predict(
      Split split,
      const std::function<bool(std::int64_t done, std::int64_t total)>& progress) override {
    constexpr int kImages = 500;
    if (engine_.refusal) throw Error("", *engine_.refusal);
    Predictions predictions;
    predictions.split = split;
    predictions.step = header_.progress.step;
    predictions.epoch = header_.progress.epoch;
    if (header_.config.architecture.task == Task::regression) {
      NumberColumn& width = predictions.numbers.emplace_back(NumberColumn{"width"});
      for (int i = 0; i < 5; ++i) {
        width.truth.push_back(static_cast<float>(i));
        width.predicted.push_back(i == 4 ? 3.0F : static_cast<float>(i));
      }
      return predictions;
    }
    for (int i = 0; i < kClasses; ++i)
      predictions.classNames.push_back("class " + std::to_string(i));
    for (int i = 0; i < kImages; ++i) {
      if (i % 50 == 0 && !progress(i, kImages)) return std::nullopt;
      const bool isWrong = i % 7 == 0;
      predictions.labels.push_back(i % kClasses);
      predictions.predicted.push_back(isWrong ? (i + 3) % kClasses : i % kClasses);
      predictions.confidence.push_back(isWrong ? 0.6F : 0.9F);
      predictions.truthProbability.push_back(isWrong ? 0.2F : 0.9F);
    }
    progress(kImages, kImages);
    ++engine_.classifications_;
    return predictions;
  }

 private:
  ScriptedEngine& engine_;
  CheckpointHeader header_;
};

ScriptedEngine::ScriptedEngine() : snapshot(plausibleSnapshot), tokens(exampleTokens) {}

std::vector<InspectionRequest> ScriptedEngine::inspections() const {
  const std::lock_guard lock(mutex_);
  return inspections_;
}

std::vector<TokenInspectionRequest> ScriptedEngine::tokenInspections() const {
  const std::lock_guard lock(mutex_);
  return tokenInspections_;
}

std::vector<GenerationRequest> ScriptedEngine::generations() const {
  const std::lock_guard lock(mutex_);
  return generations_;
}

void ScriptedEngine::generate(const GenerationRequest& request,
                              const std::function<void(const GenerationFacts&)>& begun,
                              const Generator::Written& written) {
  {
    const std::lock_guard lock(mutex_);
    generations_.push_back(request);
  }
  if (refusal) throw Error("", *refusal);
  const TokenText text(TextSource(), TextSource::vocabulary);
  begun({.weightBytes = 4'000'000,
         .threads = 1,
         .text = text,
         .prompt = text.tokensOf(request.prompt)});
  for (std::int64_t i = 0; i < request.options.tokens; ++i) {
    std::this_thread::sleep_for(tokenTime);
    GeneratedToken token{.token = 'a' + i % 3, .probability = 0.5, .seconds = 0.002};
    for (std::size_t rank = 0; rank < request.options.likeliest; ++rank) {
      token.likeliest.push_back({static_cast<std::int64_t>('x' + rank), 0.25});
    }
    if (!written(token)) return;
  }
}

double ScriptedEngine::copyBandwidth(int /*threads*/) {
  return 8e9;
}

ComputeDevice ScriptedEngine::selectDevice(const DeviceConfig& config) {
  return {DeviceKind::cpu, "cpu", "The CPU: this engine is scripted.", std::max(1, config.threads)};
}

int ScriptedEngine::availableCores() {
  return 2;
}

RunResult ScriptedEngine::trainRun(const RunConfig& config,
                                   const NewRunPlace& place,
                                   RunControl& control,
                                   Observer& observer) {
  ++trainings_;
  if (beforeStart) beforeStart(place);
  if (refusal) throw Error("data", *refusal, "choose another folder");
  std::this_thread::sleep_for(startTime);
  const NetworkCost cost = costOf(config.architecture);
  RunRecord record;
  record.config = config;
  record.environment = scriptedEnvironment();
  record.parameters = cost.parameters;
  record.flops = cost.flops;
  record.pattern = patternOf(config.architecture);
  const RunFolder folder = place.folderName.empty()
                               ? RunFolder::create(place.runsFolder, config.name)
                               : RunFolder::createNamed(place.runsFolder, place.folderName);
  Training training(*this, folder, record, control, observer);
  return training.run(0, EventKind::started);
}

RunResult ScriptedEngine::resumeRun(const fs::path& run,
                                    const ResumeOptions& options,
                                    RunControl& control,
                                    Observer& observer) {
  if (refusal) throw Error(run.string(), *refusal);
  const RunFolder folder = RunFolder::open(run);
  std::vector<Problem> warnings;
  RunRecord record = readRunRecord(folder.record(), warnings);
  if (options.epochs) record.config.recipe.epochs = *options.epochs;
  const Metrics metrics = readMetrics(folder.metrics());
  const std::int64_t step = metrics.batches.empty() ? 0 : metrics.batches.back().step;
  Training training(*this, folder, record, control, observer);
  return training.run(step, EventKind::resumed);
}

RunResult ScriptedEngine::forkRun(const fs::path& checkpoint,
                                  const RunConfig& config,
                                  const fs::path& runsFolder,
                                  RunControl& control,
                                  Observer& observer) {
  if (!fs::exists(checkpoint)) throw Error(checkpoint.string(), "there is no such checkpoint");
  return trainRun(config, runsFolder, control, observer);
}

std::optional<Evaluation> ScriptedEngine::evaluateRun(const EvaluationRequest& request,
                                                      RunControl& /*control*/,
                                                      Observer& /*observer*/) {
  return Evaluation{.scores = {0.8, 0.75},
                    .checkpoint = request.run / "checkpoints/best.safetensors",
                    .epoch = 1,
                    .step = 20,
                    .images = 500,
                    .testEvaluations = 1,
                    .saveProblem = {},
                    .scoring = {},
                    .otherData = {},
                    .dataPlace = {},
                    .majority = {}};
}

std::optional<ExportReport> ScriptedEngine::exportRun(const ExportJob& job,
                                                      RunControl& control,
                                                      Observer& observer) {
  constexpr std::int64_t kImages = 100;
  if (refusal) throw Error(job.run.string(), *refusal);
  for (std::int64_t done = 0; done < kImages; ++done) {
    if (control.next() == RunControl::Turn::stop) return std::nullopt;
    observer.evaluated({std::nullopt, done, kImages});
    std::this_thread::sleep_for(batchTime);
  }
  const std::lock_guard lock(mutex_);
  exports_.push_back(job);
  return ExportReport{.files = {job.out}, .bytes = 1234, .images = kImages};
}

std::vector<ExportJob> ScriptedEngine::exports() const {
  const std::lock_guard lock(mutex_);
  return exports_;
}

std::optional<ThroughputEstimate> ScriptedEngine::estimateThroughput(const RunConfig& config,
                                                                     int steps,
                                                                     RunControl& control,
                                                                     Observer& observer) {
  for (int i = 0; i < steps; ++i) {
    if (control.next() == RunControl::Turn::stop) return std::nullopt;
    std::this_thread::sleep_for(batchTime);
    observer.evaluated({std::nullopt, i + 1, steps});
  }
  ThroughputEstimate estimate;
  estimate.steps = steps;
  estimate.secondsPerStep = 0.2;
  estimate.imagesPerSecond = config.recipe.batchSize / 0.2;
  estimate.secondsPerEpoch = 41;
  estimate.evaluationSeconds = 3;
  estimate.peakResidentBytes = 1'100'000'000;
  estimate.residentGrowthBytes = 600'000'000;
  estimate.device = "cpu";
  estimate.threads = 2;
  return estimate;
}

WeightTransfer ScriptedEngine::previewStart(const RunConfig& config,
                                            const std::vector<std::string>& /*classNames*/) {
  if (refusal) throw Error(config.start.weights, *refusal);
  return {.taken = {{"stem.conv.weight", "conv1.weight"}, {"stem.norm.weight", "bn1.weight"}},
          .left = {{"fc.weight", "shape [1000, 512] instead of [10, 512]"}},
          .missing = {"head.weight"}};
}

std::unique_ptr<OpenCheckpoint> ScriptedEngine::openCheckpoint(const fs::path& run,
                                                               int /*threads*/) {
  if (!fs::exists(run)) throw Error(run.string(), "there is no such run or checkpoint");
  const bool isFolder = fs::is_directory(run);
  const RunFolder folder = RunFolder::open(isFolder ? run : run.parent_path().parent_path());
  std::vector<Problem> warnings;
  const RunRecord record = readRunRecord(folder.record(), warnings);
  CheckpointHeader header;
  header.config = record.config;
  header.environment = record.environment;
  header.progress.epoch = record.epochsDone;
  header.progress.step = static_cast<std::int64_t>(record.epochsDone) * batchesPerEpoch;
  return std::make_unique<Checkpoint>(*this, header);
}

bool ScriptedEngine::verifyStatements(const StatementReport& report) {
  if (refusal) throw Error("", *refusal);
  bool allHold = true;
  for (const StatementResult& result : statements) {
    if (beforeStatement) beforeStatement();
    allHold = allHold && result.holds();
    if (!report(result, static_cast<int>(statements.size()))) break;
  }
  return allHold;
}

}  // namespace lambda::test
