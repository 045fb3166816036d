#pragma once

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <QAction>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/inspect/feed/snapshot_feed.h"
#include "app/inspect/inspect_page.h"
#include "app/inspect/modes/image_mode.h"
#include "app/inspect/panels/panel_deck.h"
#include "app/session/inspection/checkpoint_service.h"
#include "app/session/training/training_session.h"
#include "engine/formats/tensors/safetensors.h"
#include "tests/support/example_snapshot.h"
#include "tests/support/scripted_engine.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/written_runs.h"

namespace lambda::test {

/// A record with two lambda layers of different sizes and few generated images.
inline RunRecord smallRecord(const std::string& name) {
  RunRecord record = finishedRecord(name);
  Architecture& network = record.config.architecture;
  network.stem.width = 8;
  LambdaMixer small;
  small.queryDepth = 4;
  small.heads = 2;
  network.stages = {Stage{8, 2, {Block{ConvolutionMixer{}}, Block{small}}},
                    Stage{16, 2, {Block{ConvolutionMixer{}}, Block{small}}}};
  network.input = {3, 16, 16};
  shapes10Of(record.config).trainCount = 60;
  record.config.data.validationCount = 20;
  shapes10Of(record.config).testCount = 20;
  record.pattern = patternOf(network);
  return record;
}

inline RunSummary writeSummary(const std::filesystem::path& library,
                               const std::string& name,
                               RunRecord record) {
  RunSummary summary;
  summary.record = std::move(record);
  summary.name = "2026-11-20_22-48-00_" + name;
  summary.path = writeRun(library, summary.name, summary.record);
  for (const char* file : {"best", "last", "epoch-0002"}) {
    std::ofstream(summary.path / "checkpoints" / (std::string(file) + ".safetensors")) << "x";
  }
  return summary;
}

/// An answer with the layer's true sizes and correct arithmetic.
inline InspectionSnapshot exampleAnswer(const RunConfig& config,
                                        const InspectionRequest& request,
                                        std::int64_t step,
                                        int epoch) {
  const std::vector<InspectableLayer> layers = inspectableLayers(config.architecture);
  ExampleOptions options;
  options.layer = layers.front();
  for (const InspectableLayer& layer : layers) {
    if (layer.name == request.layer) options.layer = layer;
  }
  options.imageSide = config.architecture.input.width;
  options.request = request;
  options.step = step;
  options.epoch = epoch;
  return exampleSnapshot(options);
}

/// Holds answers back until it is opened.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    isOpen_ = false;
  }

  void open() {
    const std::lock_guard lock(mutex_);
    isOpen_ = true;
    changed_.notify_all();
  }

  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return isOpen_; });
  }

  int passed() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool isOpen_ = true;
  int waiting_ = 0;
};

/// The probe of an epoch as a run stores it, of one or several layers.
inline void writeProbe(const std::filesystem::path& run,
                       int epoch,
                       const std::vector<InspectableLayer>& layers) {
  std::vector<InspectionSnapshot> snapshots;
  std::vector<TensorView> views;
  for (const InspectableLayer& layer : layers) {
    ExampleOptions options;
    options.layer = layer;
    options.request.image = epoch;
    snapshots.push_back(exampleSnapshot(options));
  }
  for (const InspectionSnapshot& s : snapshots) {
    const auto add = [&](const std::string& name, const Array& array) {
      views.push_back(
          {s.layer.name + name, DType::F32, array.shape, std::as_bytes(std::span(array.values))});
    };
    add(".lambda.content", s.lambdas.content);
    add(".lambda.position", s.lambdas.position);
    add(".contributions.content", s.contributions.content);
    add(".contributions.position", s.contributions.position);
    add(".embeddings", s.embeddings.tiles);
    add(".embeddings.change", s.embeddings.change);
  }
  std::filesystem::create_directories(run / "inspection");
  writeSafeTensors(run / "inspection" / ("epoch-000" + std::to_string(epoch) + ".safetensors"),
                   views,
                   {{"epoch", std::to_string(epoch)}, {"step", std::to_string(epoch * 10)}});
}

/// The Inspect page in a window of its own, with a scripted engine.
class InspectPageStage {
 public:
  using Answer = std::function<InspectionSnapshot(
      const RunConfig&, const InspectionRequest&, std::int64_t step, int epoch)>;

  explicit InspectPageStage(QSize size = {1208, 730}) {
    answerWith(exampleAnswer);
    engine->snapshot = [this](const auto& config, const auto& request, auto step, int epoch) {
      Answer now;
      {
        const std::lock_guard lock(mutex_);
        now = answer_;
      }
      return now(config, request, step, epoch);
    };
    open(size);
  }

  ~InspectPageStage() { gate.open(); }

  /// Makes a new page, as another start of the program does.
  void open(QSize size) {
    page_ = std::make_unique<InspectPage>(training, checkpoints);
    page_->resize(size);
    page_->show();
    QVERIFY(QTest::qWaitForWindowExposed(page_.get()));
    page_->activateWindow();
  }

  InspectPage& page() { return *page_; }

  template <class Part>
  Part& part() const {
    const QList<Part*> parts = page_->template findChildren<Part*>();
    if constexpr (std::is_base_of_v<QWidget, Part>) {
      const auto shown = std::ranges::find_if(parts, &Part::isVisible);
      if (shown != parts.end()) return **shown;
    }
    return *parts.front();
  }

  /// The feed of a single image.
  const SnapshotFeed& feed() const { return part<ImageMode>().feed(); }

  /// The snapshot of a single image; an empty one while there is none.
  const InspectionSnapshot& seen() const {
    static const InspectionSnapshot none;
    const auto snapshot = feed().snapshot();
    return snapshot ? *snapshot : none;
  }

  std::filesystem::path library() const { return folder.path().toStdString(); }

  RunSummary writtenRun(const std::string& name) const {
    return writeSummary(library(), name, smallRecord(name));
  }

  /// Shows a run and waits for its first answer.
  void show(const RunSummary& run) {
    QSignalSpy arrived(&feed(), &SnapshotFeed::arrived);
    page_->showRun(run.path);
    QVERIFY(arrived.wait());
  }

  QAction* action(const QString& text) const {
    for (QAction* action : page_->pageActions()) {
      if (action && action->text() == text) return action;
    }
    return nullptr;
  }

  /// Answers later inspections with `next`; the engine calls it on its own threads.
  void answerWith(Answer next) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(next);
  }

  /// Answers later inspections as soon as the gate is open.
  void answerThroughGate() {
    answerWith([this](const auto& config, const auto& request, auto step, int epoch) {
      gate.pass();
      return exampleAnswer(config, request, step, epoch);
    });
  }

  QTemporaryDir folder;
  std::shared_ptr<ScriptedEngine> engine = std::make_shared<ScriptedEngine>();
  Gate gate;
  TrainingSession training{engine};
  EngineLanes lanes{engine};
  CheckpointService checkpoints{lanes};

 private:
  std::mutex mutex_;
  Answer answer_;
  std::unique_ptr<InspectPage> page_;
};

}  // namespace lambda::test
