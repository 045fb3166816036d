#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/text_sample.h"
#include "engine/trained/generator.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_run.h"

using namespace lambda;

namespace {

std::vector<TextSample> samplesOf(const std::filesystem::path& run) {
  std::vector<TextSample> samples;
  for (const std::filesystem::path& file : textSamplesOf(RunFolder::open(run).inspection())) {
    samples.push_back(readTextSample(file));
  }
  return samples;
}

}  // namespace

/// What a run on a text writes after each epoch.
class TestTextSamples : public QObject {
  Q_OBJECT

 private:
  /// A run on the text with everything that is random in it.
  RunConfig textRun(int epochs, int sequencesOfAnEpoch) const {
    RunConfig config = tokensRun(
        TextSource{.path = path_, .length = kTextLength, .trainCount = sequencesOfAnEpoch}, 256, 9);
    config.architecture.stages[0].blocks[0].stochasticDepth = 0.3;
    config.recipe.emaDecay = 0.9;
    config.recipe.epochs = epochs;
    config.recipe.optimizer.kind = AdamW{};
    config.recipe.optimizer.learningRate = 0.003;
    config.recipe.schedule.kind = ConstantSchedule{};
    config.checkpoints.everyEpochs = 1;
    config.checkpoints.keepEpochs = 10;
    return config;
  }

  std::string train(const RunConfig& config) const {
    RunControl control;
    RecordingObserver observer;
    return trainRun(config, folder_.path() / "runs", control, observer).run;
  }

  TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "book.txt").string();

 private Q_SLOTS:

  void initTestCase() { writeFileDurably(path_, book()); }

  void eachEpochHasTheTextThatItsNetworkWrites() {
    const std::string run = train(textRun(2, 60));
    const std::vector<TextSample> samples = samplesOf(run);
    QCOMPARE(samples.size(), std::size_t{3});
    // 5 % of 6000 bytes for validation lie before as many for the test.
    const std::string beginning = book().substr(5400, kTextLength);
    for (const TextSample& sample : samples) {
      QCOMPARE(std::string(sample.prompt.begin(), sample.prompt.end()), beginning);
      QCOMPARE(sample.tokens.size(), std::size_t{200});
    }
    for (const int epoch : {1, 2}) {
      const TextSample& sample = samples[static_cast<std::size_t>(epoch)];
      QCOMPARE(sample.epoch, epoch);
      QCOMPARE(sample.step, std::int64_t{3} * epoch);
      const std::vector<EpochRecord> epochs = readMetrics(RunFolder::open(run).metrics()).epochs;
      QCOMPARE(sample.loss,
               std::optional(epochs[static_cast<std::size_t>(epoch) - 1].validation->loss));
      Generator generator(RunFolder::open(run).epochCheckpoint(epoch));
      TextSample generated = sample;
      generated.tokens.clear();
      generated.probabilities.clear();
      generator.generate(sample.prompt, {}, [&](const GeneratedToken& drawn) {
        generated.tokens.push_back(drawn.token);
        generated.probabilities.push_back(drawn.probability);
        return true;
      });
      QVERIFY(sample == generated);
    }
    QVERIFY(samples[0].tokens != samples[2].tokens);
  }

  void theyChangeNoBitOfTheTraining() {
    // The same steps with other samples between them.
    const std::string often = train(textRun(4, 60));
    const std::string rarely = train(textRun(2, 120));
    QCOMPARE(samplesOf(often).size(), std::size_t{5});
    QCOMPARE(samplesOf(rarely).size(), std::size_t{3});
    QVERIFY(lossesOf(often) == lossesOf(rarely));
    QVERIFY(tensorsOf(often) == tensorsOf(rarely));
    QVERIFY(samplesOf(often).back().tokens == samplesOf(rarely).back().tokens);
  }

  void aResumedRunHasTheSameOnes() {
    const RunConfig config = textRun(3, 60);
    const std::string whole = train(config);
    RunControl control;
    RecordingObserver observer;
    observer.onBatch = [&](const BatchRecord& batch) {
      if (batch.step == 4) control.requestStop();
    };
    const std::string run = trainRun(config, folder_.path() / "runs", control, observer).run;
    QCOMPARE(samplesOf(run).size(), std::size_t{2});
    RunControl again;
    resumeRun(run, {}, again, observer);
    QVERIFY(samplesOf(run) == samplesOf(whole));
    QVERIFY(tensorsOf(run) == tensorsOf(whole));
  }

  void aTrainingGoesOnWhereTheyCanNotBeWritten() {
    RunControl control;
    RecordingObserver observer;
    observer.onBatch = [&](const BatchRecord& batch) {
      // A folder in its place can't be replaced by a file.
      if (batch.step != 1) return;
      std::filesystem::create_directories(RunFolder::open(observer.run).inspection() /
                                          textSampleName(1) / "full");
    };
    const RunResult result = trainRun(textRun(2, 60), folder_.path() / "runs", control, observer);
    QCOMPARE(result.status, RunStatus::finished);
    const auto isWarning = [](const EventRecord& event) {
      return event.kind == EventKind::warning &&
             event.text.starts_with("no text was written after epoch 1, because ");
    };
    QCOMPARE(std::ranges::count_if(observer.events, isWarning), std::ptrdiff_t{1});
    QCOMPARE(readTextSample(RunFolder::open(result.run).inspection() / textSampleName(2)).epoch, 2);
  }

  void aDrawnTaskWritesNoText() {
    const RecallSource recall{.vocabulary = 16,
                              .pairs = 3,
                              .length = kTextLength,
                              .minimumDistance = 4,
                              .trainCount = 100,
                              .validationCount = 20,
                              .testCount = 20};
    QVERIFY(samplesOf(train(tokensRun(recall, 16, 20))).empty());
  }
};

QTEST_GUILESS_MAIN(TestTextSamples)
#include "tst_text_samples.moc"
