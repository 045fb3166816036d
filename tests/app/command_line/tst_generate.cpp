#include <cmath>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>

#include <QtCore/QJsonArray>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/values/text/text_safety.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_run.h"
#include "tests/support/tiny_run.h"
#include "tests/support/torch_file.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda {

namespace {

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

/// `lambda generate` on runs of a few batches, whose text is nearly noise.
class TestGenerate : public QObject {
  Q_OBJECT

 private:
  ProgramOutcome generate(const QStringList& arguments) const {
    return program_.run(QStringList{u"generate"_s} + arguments);
  }

  void train(const RunConfig& config, const QString& name) const {
    write(folder_.path() / "config.json", toJson(config));
    const ProgramOutcome outcome =
        program_.run({u"train"_s, u"config.json"_s, u"--folder"_s, name, u"--quiet"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
  }

  TemporaryFolder folder_;
  Program program_{folder_.path()};

 private Q_SLOTS:

  void initTestCase() {
    write(folder_.path() / "book.txt", book());
    const std::string path = (folder_.path() / "book.txt").string();
    // 300 bytes have 9 windows of 32 bytes with the one behind.
    train(tokensRun(TextSource{path, kTextLength}, 256, 9), u"text"_s);
    const RecallSource recall{.vocabulary = 16,
                              .pairs = 3,
                              .length = kTextLength,
                              .minimumDistance = 4,
                              .trainCount = 100,
                              .validationCount = 20,
                              .testCount = 20};
    train(tokensRun(recall, 16, 20), u"recall"_s);
    RunConfig images = tinyRun();
    images.recipe.epochs = 1;
    train(images, u"images"_s);
  }

  void theSameSeedGivesTheSameText() {
    const QStringList usual{u"text"_s, u"--prompt"_s, u"Käse"_s, u"--tokens"_s, u"150"_s};
    const auto seeded = [&](const QString& seed) {
      return generate(usual + QStringList{u"--seed"_s, seed});
    };
    const ProgramOutcome first = seeded(u"5"_s);
    QVERIFY2(first.status == 0, first.errors.constData());
    QVERIFY(first.errors.startsWith("150 tokens, "));
    QVERIFY(first.errors.contains(" ms a token\n"));
    QVERIFY(first.output.size() >= 150 / 4 && first.output.endsWith('\n'));
    QCOMPARE(seeded(u"5"_s).output, first.output);
    QVERIFY(seeded(u"6"_s).output != first.output);
    QCOMPARE(generate(usual).output, seeded(u"0"_s).output);
  }

  void whatIsShownIsUtf8() {
    // A high temperature draws all bytes alike.
    const ProgramOutcome noise =
        generate({u"text"_s, u"--tokens"_s, u"500"_s, u"--temperature"_s, u"100"_s, u"--quiet"_s});
    QVERIFY2(noise.status == 0, noise.errors.constData());
    QVERIFY(noise.errors.isEmpty());
    QCOMPARE(QString::fromUtf8(noise.output).toUtf8(), noise.output);
    QVERIFY(noise.output.contains("\xef\xbf\xbd"));
  }

  void aPromptComesFromAFileOrStandardInput() {
    write(folder_.path() / "start.txt", "\xef\xbb\xbfK\xc3\xa4se 1\n");
    const QStringList usual{u"text"_s, u"--tokens"_s, u"40"_s, u"--quiet"_s};
    const ProgramOutcome given = generate(usual + QStringList{u"--prompt"_s, u"Käse 1\n"_s});
    QVERIFY2(given.status == 0, given.errors.constData());
    QCOMPARE(generate(usual + QStringList{u"--prompt-file"_s, u"start.txt"_s}).output,
             given.output);
    const ProgramOutcome piped = program_.runScript(
        u"cat start.txt | \"$LAMBDA\" generate text --tokens 40 --quiet "
        "--prompt-file -"_s);
    QCOMPARE(piped.output, given.output);
    // No prompt is the start of a line.
    QCOMPARE(generate(usual).output, generate(usual + QStringList{u"--prompt"_s, u"\n"_s}).output);
  }

  void jsonHasTheProbabilityOfEachToken() {
    const QStringList arguments{u"text"_s,
                                u"--prompt"_s,
                                u"Käse"_s,
                                u"--tokens"_s,
                                u"30"_s,
                                u"--seed"_s,
                                u"3"_s,
                                u"--temperature"_s,
                                u"0.5"_s,
                                u"--top-p"_s,
                                u"0.9"_s};
    const ProgramOutcome outcome = generate(arguments + QStringList{u"--json"_s, u"--time"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    const QJsonObject object = outcome.json();
    QCOMPARE(object[u"prompt"_s].toString(), u"Käse"_s);
    QCOMPARE(object[u"seed"_s].toInt(), 3);
    QCOMPARE(object[u"temperature"_s].toDouble(), 0.5);
    QCOMPARE(object[u"topP"_s].toDouble(), 0.9);
    const QJsonArray tokens = object[u"tokens"_s].toArray();
    QCOMPARE(tokens.size(), 30);
    std::string bytes;
    for (const QJsonValue& token : tokens) {
      bytes += static_cast<char>(token[u"token"_s].toInt());
      const double probability = token[u"probability"_s].toDouble();
      QVERIFY(probability > 0 && probability < 1);
    }
    const QByteArray text = object[u"text"_s].toString().toUtf8();
    QCOMPARE(text.toStdString(), withValidUtf8(bytes));
    QCOMPARE(generate(arguments).output, text.endsWith('\n') ? text : text + '\n');
    const double milliseconds = object[u"msPerToken"_s].toDouble();
    QVERIFY(milliseconds > 0);
    QVERIFY(std::abs(object[u"tokensPerSecond"_s].toDouble() * milliseconds / 1000 - 1) < 1e-9);
    // 256 x 16 of the embedding are one row for a token.
    const int weights = object[u"weightBytes"_s].toInt();
    QVERIFY(weights > 256 * 16 * 4 && weights < 2 * 256 * 16 * 4);
    const double bound = weights / object[u"copyBytes"_s].toDouble() * 1000;
    QVERIFY(std::abs(object[u"boundMsPerToken"_s].toDouble() / bound - 1) < 1e-9);
  }

  void theBoundIsMeasuredWhenItIsAskedFor() {
    const QStringList arguments{u"text"_s, u"--tokens"_s, u"2"_s};
    QVERIFY(!generate(arguments).errors.contains("bound"));
    QVERIFY(generate(arguments + QStringList{u"--time"_s}).errors.contains("\nbound: "));
    // One token has no time of its own: it is that of the prompt.
    const ProgramOutcome one = generate({u"text"_s, u"--tokens"_s, u"1"_s, u"--json"_s});
    QVERIFY(one.json()[u"msPerToken"_s].isNull());
  }

  void tokensOfDrawnDataAreNumbers() {
    const ProgramOutcome outcome =
        generate({u"recall"_s, u"--prompt"_s, u"1 9 2 12 0"_s, u"--tokens"_s, u"5"_s, u"--json"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QStringList numbers;
    for (const QJsonValue& token : outcome.json()[u"tokens"_s].toArray()) {
      numbers << QString::number(token[u"token"_s].toInt());
    }
    QCOMPARE(outcome.json()[u"text"_s].toString(), numbers.join(u' '));
    QCOMPARE(numbers.size(), 5);
    const ProgramOutcome wrong = generate({u"recall"_s, u"--prompt"_s, u"1 16"_s});
    QCOMPARE(wrong.status, 1);
    QVERIFY2(wrong.errors.contains("16 is no token of this network"), wrong.errors.constData());
  }

  void exportedWeightsWriteTheSameText() {
    const ProgramOutcome exported = program_.run({u"export"_s,
                                                  u"runs/text"_s,
                                                  u"--to"_s,
                                                  u"safetensors"_s,
                                                  u"--out"_s,
                                                  u"net.safetensors"_s});
    QVERIFY2(exported.status == 0, exported.errors.constData());
    const ProgramOutcome outcome = generate({u"net.safetensors"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QVERIFY(outcome.errors.contains("has no digest"));
    QCOMPARE(outcome.output, generate({u"text"_s}).output);
  }

  void theTokenizerOfAnImportIsUsed() {
    test::writeTorchFile(folder_.path() / "words.pth", test::torchRwkv(425, 8, 1));
    const QString tokenizer = QStringLiteral(LAMBDA_TEST_DATA "/tokenizer/small.json");
    const QStringList with{u"--tokenizer"_s, tokenizer};
    const ProgramOutcome imported = program_.run(
        QStringList{u"import"_s, u"words.pth"_s, u"-o"_s, u"words.safetensors"_s} + with);
    QVERIFY2(imported.status == 0, imported.errors.constData());
    QVERIFY2(imported.output.contains("Tokenizer: words.tokenizer.json."),
             imported.output.constData());
    // With weights of 0 all tokens are as probable as each other.
    const QStringList usual{
        u"words.safetensors"_s, u"--tokens"_s, u"2"_s, u"--temperature"_s, u"0"_s};
    const QStringList prompt{u"--prompt"_s, u"the lambda"_s};
    const ProgramOutcome text = generate(usual + prompt);
    QVERIFY2(text.status == 0, text.errors.constData());
    QCOMPARE(text.output, QByteArray("<|endoftext|><|endoftext|>\n"));
    QVERIFY(!text.errors.contains("tokenizer"));
    // An export has a copy.
    const ProgramOutcome exported = program_.run({u"export"_s,
                                                  u"words.safetensors"_s,
                                                  u"--to"_s,
                                                  u"onnx-step"_s,
                                                  u"--out"_s,
                                                  u"step.onnx"_s});
    QVERIFY2(exported.status == 0, exported.errors.constData());
    QVERIFY(fs::exists(folder_.path() / "step.tokenizer.json"));
    fs::remove(folder_.path() / "words.tokenizer.json");
    const ProgramOutcome numbers = generate(usual);
    QCOMPARE(numbers.output, QByteArray("0 0\n"));
    QVERIFY2(numbers.errors.contains("there is no tokenizer words.tokenizer.json"),
             numbers.errors.constData());
    const ProgramOutcome noNumber = generate(usual + prompt);
    QCOMPARE(noNumber.status, 1);
    QVERIFY2(noNumber.errors.contains("the file of its tokenizer"), noNumber.errors.constData());
    QCOMPARE(generate(usual + prompt + with).output, text.output);
    const ProgramOutcome bytes = generate(QStringList{u"text"_s} + with);
    QCOMPARE(bytes.status, 1);
    QVERIFY2(bytes.errors.contains("has tokens up to 424, and those of the network end at 255"),
             bytes.errors.constData());
  }

  void aSignalEndsTheText() {
    const auto process = program_.start({u"generate"_s, u"text"_s, u"--tokens"_s, u"1000000"_s});
    QVERIFY(QTest::qWaitFor([&] { return process->bytesAvailable() > 100; }, 60000));
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const ProgramOutcome outcome = Program::end(*process);
    QCOMPARE(outcome.status, 130);
    QVERIFY(outcome.output.endsWith('\n'));
    QVERIFY2(outcome.errors.contains(" ms a token\n"), outcome.errors.constData());
  }

  void whatCanNotBeDoneIsRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("message");
    const auto row =
        [](const char* name, const QStringList& arguments, int status, const char* message) {
          QTest::newRow(name) << arguments << status << QByteArray(message);
        };
    row("images", {u"images"_s}, 1, "takes images, and only one that predicts tokens");
    row("no run", {u"nothing"_s}, 1, "there is no such run");
    row("temperature", {u"text"_s, u"--temperature"_s, u"100.5"_s}, 2, "from 0 to 100, not 100.5");
    row("no number", {u"text"_s, u"--temperature"_s, u"nan"_s}, 2, "from 0 to 100, not NaN");
    row("below 0", {u"text"_s, u"--temperature=-1"_s}, 2, "from 0 to 100, not -1");
    row("top-p of 0", {u"text"_s, u"--top-p"_s, u"0"_s}, 2, "above 0 and at most 1, not 0");
    row("top-p", {u"text"_s, u"--top-p"_s, u"1.5"_s}, 2, "above 0 and at most 1, not 1.5");
    row("no tokens", {u"text"_s, u"--tokens"_s, u"0"_s}, 2, "not in range 1 to 1000000");
    row("many tokens", {u"text"_s, u"--tokens"_s, u"1000001"_s}, 2, "not in range 1 to 1000000");
    row("seed", {u"text"_s, u"--seed"_s, u"-1"_s}, 2, "a seed is a whole number from 0");
    row("no file", {u"text"_s, u"--prompt-file"_s, u"none"_s}, 1, "this prompt can't be opened");
    row("a folder", {u"text"_s, u"--prompt-file"_s, u"runs"_s}, 1, "this prompt can't be read");
    row("an endless file", {u"text"_s, u"--prompt-file"_s, u"/dev/zero"_s}, 1, "has more than");
    row("two prompts",
        {u"text"_s, u"--prompt"_s, u"a"_s, u"--prompt-file"_s, u"start.txt"_s},
        2,
        "excludes");
  }

  void whatCanNotBeDoneIsRefused() {
    QFETCH(const QStringList, arguments);
    QFETCH(const int, status);
    QFETCH(const QByteArray, message);
    const ProgramOutcome outcome = generate(arguments);
    QCOMPARE(outcome.status, status);
    QVERIFY2(outcome.errors.contains(message), outcome.errors.constData());
    QVERIFY(outcome.output.isEmpty());
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestGenerate)
#include "tst_generate.moc"
