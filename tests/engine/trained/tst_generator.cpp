#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/trained/generator.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_run.h"

using namespace lambda;

class TestGenerator : public QObject {
  Q_OBJECT

 private:
  std::vector<GeneratedToken> generate(const std::string& prompt,
                                       const GenerationOptions& options) const {
    Generator generator(run_);
    std::vector<GeneratedToken> all;
    generator.generate(
        generator.text().tokensOf(prompt), options, [&](const GeneratedToken& generated) {
          all.push_back(generated);
          return true;
        });
    return all;
  }

  static std::vector<std::int64_t> tokensOf(const std::vector<GeneratedToken>& all) {
    std::vector<std::int64_t> tokens;
    for (const GeneratedToken& each : all) tokens.push_back(each.token);
    return tokens;
  }

  TemporaryFolder folder_;
  std::string run_;

 private Q_SLOTS:

  void initTestCase() {
    const std::string path = (folder_.path() / "book.txt").string();
    writeFileDurably(path, book());
    RunControl control;
    RecordingObserver observer;
    run_ = trainRun(
               tokensRun(TextSource{path, kTextLength}, 256, 9), folder_.path(), control, observer)
               .run;
  }

  void readingAllAgainGivesTheSameText() {
    // Longer than the network's window, so that what it keeps slides.
    const GenerationOptions recurrent{.tokens = 3 * kTextLength, .sampling = {.seed = 4}};
    GenerationOptions parallel = recurrent;
    parallel.isParallel = true;
    const std::vector<GeneratedToken> one = generate("Käse", recurrent);
    const std::vector<GeneratedToken> other = generate("Käse", parallel);
    QCOMPARE(one.size(), std::size_t{3 * kTextLength});
    QVERIFY(tokensOf(one) == tokensOf(other));
    for (std::size_t i = 0; i < one.size(); ++i) {
      QVERIFY(std::abs(one[i].probability - other[i].probability) < 1e-5);
    }
  }

  void eachTokenComesWithTheLikeliestOnes() {
    const GenerationOptions options{.tokens = 40, .sampling = {.temperature = 0}, .likeliest = 3};
    for (const GeneratedToken& each : generate("K", options)) {
      QCOMPARE(each.likeliest.size(), std::size_t{3});
      QCOMPARE(each.likeliest[0].token, each.token);
      QCOMPARE(each.likeliest[0].probability, each.probability);
      QVERIFY(each.likeliest[1].probability <= each.probability);
      QVERIFY(each.likeliest[2].probability <= each.likeliest[1].probability);
      QVERIFY(each.seconds > 0);
    }
    QVERIFY(generate("K", {.tokens = 1})[0].likeliest.empty());
  }

  void itStopsAtOnce() {
    Generator generator(run_);
    int written = 0;
    const Generation done =
        generator.generate({}, {}, [&](const GeneratedToken&) { return ++written < 5; });
    QCOMPARE(written, 5);
    QCOMPARE(done.tokens, std::int64_t{5});
  }
};

QTEST_GUILESS_MAIN(TestGenerator)
#include "tst_generator.moc"
