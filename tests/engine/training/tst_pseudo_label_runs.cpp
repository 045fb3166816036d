#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QTest>

#include "engine/data/dataset_cache.h"
#include "engine/data/labelling.h"
#include "engine/data/split.h"
#include "engine/trained/evaluate_run.h"
#include "engine/training/input/run_data.h"
#include "tests/support/few_labels.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/observed_run.h"
#include "tests/support/open_test_run.h"
#include "tests/support/run_content.h"

namespace fs = std::filesystem;

namespace lambda::test {

namespace {

std::string textIn(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// The images with other labels where that does not change which ones are drawn as labelled.
LabeledImages withOtherHiddenLabels(LabeledImages images, const DataConfig& config) {
  const auto drawn = [&] {
    return drawLabelled(
        images.labels, images.classNames, config.labelledPerClass, config.splitSeed);
  };
  const std::vector<std::uint32_t> labelled = drawn();
  for (std::uint32_t i = 0; i < images.count(); ++i) {
    if (std::ranges::binary_search(labelled, i)) continue;
    const std::uint16_t before = images.labels[i];
    images.labels[i] = static_cast<std::uint16_t>((before + 3) % 10);
    if (drawn() != labelled) images.labels[i] = before;
  }
  return images;
}

struct Trained {
  RunResult result;
  std::map<std::string, std::vector<std::byte>> tensors;
  std::vector<double> losses;
  Scores train;
  std::optional<Scores> validation;
};

/// Trains on images that are already loaded.
Trained trainedOn(const RunConfig& config, const std::shared_ptr<const Dataset>& data) {
  TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const ResolvedConfig resolved = onCpu(config);
  OpenRun opened =
      openTestRun(config, std::make_unique<TrainingState>(resolved), folder.path(), observer);
  opened.prepared.data =
      std::make_unique<RunData>(resolved, data, std::make_shared<DatasetCache>());
  const fs::path run = opened.folder.path();
  Trained trained;
  trained.result = Conductor(std::move(opened), control, observer).run(EventKind::started, "");
  trained.tensors = tensorsOf(run);
  trained.losses = lossesOf(run);
  trained.train = observer.epochs.back().train;
  trained.validation = observer.epochs.back().validation;
  return trained;
}

}  // namespace

class TestPseudoLabelRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void hiddenLabelsHaveNoInfluence();
  void withoutTheFieldsAllImagesAreUsed();
  void aTeacherLabelsImagesForAStudent();

 private:
  TemporaryFolder folder_;
};

void TestPseudoLabelRuns::hiddenLabelsHaveNoInfluence() {
  RunConfig config = fewLabels();
  const Dataset original = loadDataset(config.data);
  Dataset other = original;
  other.train = withOtherHiddenLabels(original.train, config.data);
  int changed = 0;
  for (std::size_t i = 0; i < original.train.count(); ++i) {
    changed += original.train.labels[i] != other.train.labels[i] ? 1 : 0;
  }
  QVERIFY2(changed > 60, qPrintable(QString::number(changed)));

  config.data.pseudoLabels = (folder_.path() / "hidden.csv").string();
  write(config.data.pseudoLabels, predictionsFor(original.train));
  for (const char* pseudoLabels : {"used", ""}) {
    if (*pseudoLabels == '\0') config.data.pseudoLabels.clear();
    const Trained first = trainedOn(config, std::make_shared<const Dataset>(original));
    const Trained second = trainedOn(config, std::make_shared<const Dataset>(other));
    QVERIFY(!first.tensors.empty());
    QVERIFY(first.tensors == second.tensors);
    QVERIFY(first.losses == second.losses);
    QVERIFY(first.train == second.train);
    QVERIFY(first.validation == second.validation);
    QVERIFY(first.result.testScore == second.result.testScore);
  }
  config.data.labelledPerClass = 0;
  QVERIFY(trainedOn(config, std::make_shared<const Dataset>(original)).tensors !=
          trainedOn(config, std::make_shared<const Dataset>(other)).tensors);
}

void TestPseudoLabelRuns::withoutTheFieldsAllImagesAreUsed() {
  const RunConfig config = tinyRun();
  const auto data = std::make_shared<const Dataset>(loadDataset(config.data));
  const RunData run(onCpu(config), data, std::make_shared<DatasetCache>());
  QCOMPARE(&run.train(), &data->train);
  QVERIFY(run.labelSummary().empty());

  DatasetCache cache;
  const auto shared = cache.training(config.data);
  QVERIFY(cache.training(fewLabels().data) == shared);
  RunData few(onCpu(fewLabels()), shared, std::make_shared<DatasetCache>());
  QCOMPARE(few.trainingExamples(), std::int64_t{50});
  QCOMPARE(few.batchesPerEpoch(), 2);  // Of 30 and of 20 images.
  QCOMPARE(few.images(Split::train).count(), std::size_t{180});
}

void TestPseudoLabelRuns::aTeacherLabelsImagesForAStudent() {
  ObservedRun teacher;
  teacher.train(fewLabels());
  QVERIFY(
      teacher.events(EventKind::started)
          .front()
          .text.find(
              "50 images labelled, 0 pseudo-labelled, 130 left out; 1 batch of 30 and one of 20") !=
      std::string::npos);
  const fs::path file = folder_.path() / "labels.csv";
  const auto written = writePredictions({.run = teacher.observer.run, .split = Split::train},
                                        file,
                                        teacher.control,
                                        teacher.observer);
  QVERIFY(written);
  QCOMPARE(written->evaluation.images, std::int64_t{180});

  RunConfig config = fewLabels();
  config.data.pseudoLabels = file.string();
  config.data.pseudoLabelThreshold = 0.11;
  ObservedRun student;
  student.train(config);
  const ChosenLabels expected = imagesWithLabels(loadDataset(config.data).train, config.data);
  QVERIFY(expected.pseudoLabelled > 0);
  QVERIFY(student.events(EventKind::started).front().text.ends_with(expected.summary()));

  const std::string text = textIn(file);
  fs::remove(file);
  const auto again = folder_.path() / "again.csv";
  QVERIFY(writePredictions({.run = student.observer.run, .split = Split::train},
                           again,
                           student.control,
                           student.observer));
  const auto error =
      errorOf([&] { student.resume(student.observer.run, ResumeOptions{.epochs = 2}); });
  QVERIFY(error);
  QCOMPARE(error->place(), file.string());
  // Another file at the same place would go on with other labels.
  write(file, text + "\n");
  const auto other =
      errorOf([&] { student.resume(student.observer.run, ResumeOptions{.epochs = 2}); });
  QVERIFY(other);
  QVERIFY2(other->reason().find("pseudoLabelsSha256") != std::string::npos, other->what());
  write(file, text);
  student.resume(student.observer.run, ResumeOptions{.epochs = 2});
  QVERIFY(student.events(EventKind::resumed).front().text.find(expected.summary()) !=
          std::string::npos);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestPseudoLabelRuns)
#include "tst_pseudo_label_runs.moc"
