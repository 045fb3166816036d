#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/text_sample.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

namespace lambda::test {

namespace {

const TextSample kSample{.epoch = 12,
                         .step = 5'000'000'000,
                         .loss = 1.25,
                         .prompt = {73, 110, 0xC3},
                         .tokens = {0xA4, 10, 0},
                         .probabilities = {0.1, 1, 0}};

}  // namespace

class TestTextSample : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void aWrittenSampleIsRead() {
    const TemporaryFolder folder;
    const auto write = [&](int epoch) {
      TextSample sample = kSample;
      sample.epoch = epoch;
      if (epoch == 0) sample.loss.reset();
      writeTextSample(folder.path() / textSampleName(epoch), sample);
    };
    for (const int epoch : {12, 0, 10'000}) write(epoch);
    writeFileDurably(folder.path() / "epoch-0001.safetensors", "a probe");
    const std::vector<std::filesystem::path> found = textSamplesOf(folder.path());
    QCOMPARE(found.size(), std::size_t{3});
    QCOMPARE(found[0].filename().string(), std::string("epoch-0000.json"));
    QCOMPARE(found[2].filename().string(), std::string("epoch-10000.json"));
    QVERIFY(readTextSample(found[1]) == kSample);
    QVERIFY(!readTextSample(found[0]).loss);
    QVERIFY(textSamplesOf(folder.path() / "none").empty());
  }

  void aDamagedSampleIsRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("no object") << QByteArray("[]");
    QTest::newRow("a missing part")
        << QByteArray(R"({"epoch": 1, "step": 1, "prompt": [], "tokens": []})");
    const auto row = [](const char* name,
                        const QByteArray& epoch,
                        const QByteArray& tokens,
                        const QByteArray& probabilities) {
      QTest::newRow(name) << "{\"epoch\": " + epoch +
                                 ", \"step\": 1, \"prompt\": [], \"tokens\": " + tokens +
                                 ", \"probabilities\": " + probabilities + "}";
    };
    row("a negative epoch", "-1", "[]", "[]");
    row("an epoch that is no number", "\"1\"", "[]", "[]");
    row("a token that is no byte", "1", "[256]", "[1]");
    row("a token with a fraction", "1", "[1.5]", "[1]");
    row("a token too large for any number", "1", "[18446744073709551615]", "[1]");
    row("a probability above 1", "1", "[1]", "[1.5]");
    row("a token without a probability", "1", "[1, 2]", "[1]");
    row("tokens that are no list", "1", "\"ab\"", "[]");
  }

  void aDamagedSampleIsRefused() {
    QFETCH(QByteArray, text);
    const std::optional<Error> error = errorOf([&] { textSampleOf(text.toStdString(), "sample"); });
    QVERIFY(error);
    QCOMPARE(error->place(), std::string("sample"));
  }

  void mutatedSamplesAreReadOrRefused() {
    const TemporaryFolder folder;
    writeTextSample(folder.path() / "sample.json", kSample);
    const std::string whole = readFile(folder.path() / "sample.json", 1 << 20);
    for (std::uint64_t number = 0; number < 2000; ++number) {
      errorOf([&] {
        const TextSample sample = textSampleOf(mutated(whole, 1, number), "sample");
        QCOMPARE(sample.tokens.size(), sample.probabilities.size());
      });
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestTextSample)
#include "tst_text_sample.moc"
