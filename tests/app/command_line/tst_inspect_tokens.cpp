#include <filesystem>
#include <fstream>
#include <string>

#include <QtCore/QJsonArray>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/formats/metrics/csv.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_run.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kLength = 24;

/// A network with a block for each of these mixers, and its data.
RunConfig runOf(const DataSource& source, int vocabulary, std::vector<Block> blocks) {
  RunConfig config = tokensRun(source, vocabulary, tinyRun().data.validationCount);
  config.architecture.input.width = kLength;
  for (Block& block : blocks) block.expansion = 2;
  config.architecture.stages[0].blocks = std::move(blocks);
  return config;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

/// `lambda inspect` on networks of tokens of a few batches.
class TestInspectTokens : public QObject {
  Q_OBJECT

 private:
  ProgramOutcome inspect(const QStringList& arguments) const {
    return program_.run(QStringList{u"inspect"_s} + arguments);
  }

  void train(const RunConfig& config, const QString& name) const {
    write(folder_.path() / "config.json", toJson(config));
    const ProgramOutcome outcome =
        program_.run({u"train"_s, u"config.json"_s, u"--folder"_s, name, u"--quiet"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
  }

  std::vector<CsvLine> table(const char* name) const {
    return decodeCsv(read(folder_.path() / "look" / name), name);
  }

  TemporaryFolder folder_;
  Program program_{folder_.path()};

 private Q_SLOTS:

  void initTestCase() {
    std::string text;
    for (int i = 0; text.size() < 8000; ++i) text += "Line " + std::to_string(i) + " is here.\n";
    write(folder_.path() / "book.txt", text);
    const TextSource book{.path = (folder_.path() / "book.txt").string(), .length = kLength};
    Block rwkv{.mixer = RwkvMixer{}};
    rwkv.channelMixing = ChannelMixing::rwkv;
    LambdaMixer lambda;
    lambda.queryDepth = 4;
    lambda.heads = 2;
    lambda.mask = ContextMask::causal;
    lambda.normalizeQueries = lambda.normalizeValues = false;
    RunConfig texts = runOf(book, 256, {rwkv, Block{.mixer = lambda}});
    texts.data.validationCount = 16;
    train(texts, u"text"_s);
    const RecallSource recall{.vocabulary = 16,
                              .pairs = 3,
                              .length = kLength,
                              .minimumDistance = 4,
                              .trainCount = 100,
                              .validationCount = 20,
                              .testCount = 20};
    RunConfig drawn = runOf(recall, 16, {rwkv});
    drawn.data.validationCount = 20;
    train(drawn, u"recall"_s);
    RunConfig images = tinyRun();
    images.recipe.epochs = 1;
    train(images, u"images"_s);
  }

  void layersOfAllKindsAreListed() {
    const ProgramOutcome listed = inspect({u"text"_s, u"--list"_s});
    QVERIFY2(listed.status == 0, listed.errors.constData());
    QVERIFY(listed.output.contains("stage1.block1.mixer"));
    QVERIFY(listed.output.contains("rwkv") && listed.output.contains("1x24"));
  }

  void aTextGetsItsFiles() {
    const ProgramOutcome outcome = inspect(
        {u"text"_s, u"--text"_s, u"Line 7 is"_s, u"--position"_s, u"5"_s, u"--out"_s, u"look"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QVERIFY(outcome.output.contains("the given one, 9 tokens"));
    QVERIFY(outcome.output.contains("5: 7"));
    QVERIFY(outcome.output.contains("add up to the layer's own output within"));
    for (const char* name : {"map-total.png",
                             "map-total.npy",
                             "map-effect.png",
                             "channel-weights.png",
                             "decays.csv",
                             "decay.png",
                             "bonus.png",
                             "kept-mean.png",
                             "probabilities.csv",
                             "summary.json"}) {
      QVERIFY2(fs::exists(folder_.path() / "look" / name), name);
    }
    const std::vector<CsvLine> tokens = table("tokens.csv");
    QCOMPARE(tokens.size(), std::size_t{10});
    QCOMPARE(tokens[0].cells,
             (std::vector<std::string>{"token", "index", "number", "total", "effect"}));
    QCOMPARE(tokens[5].cells.front(), std::string("␣"));
    // Weights of a mean add up to 1, and the tokens after the chosen one have none.
    double sum = 0;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      const double weight = std::stod(tokens[i].cells[3]);
      sum += weight;
      QCOMPARE(weight == 0, i > 6);
    }
    QVERIFY(std::abs(sum - 1) < 1e-5);
    QCOMPARE(table("decays.csv").size(), std::size_t{17});
    QCOMPARE(table("probabilities.csv").size(), std::size_t{257});
  }

  void aSequenceOfTheRunIsInspected() {
    const ProgramOutcome outcome = inspect({u"text"_s,
                                            u"--layer"_s,
                                            u"stage1.block2"_s,
                                            u"--sequence"_s,
                                            u"3"_s,
                                            u"--out"_s,
                                            u"look"_s,
                                            u"--json"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    const QJsonObject json = outcome.json();
    QCOMPARE(json[u"layer"_s].toString(), u"stage1.block2.mixer"_s);
    QCOMPARE(json[u"sequence"_s].toInt(), 3);
    QCOMPARE(json[u"tokens"_s].toArray().size(), kLength);
    QCOMPARE(json[u"position"_s].toInt(), kLength - 1);
    QCOMPARE(json[u"effects"_s].toArray().size(), kLength);
    QCOMPARE(json[u"probable"_s].toArray().size(), 5);
    QVERIFY(json[u"next"_s].isDouble() && json[u"nextProbability"_s].toDouble() > 0);
    QVERIFY(json[u"residual"_s][u"relative"_s].toDouble() < 1e-5);
    for (const char* name : {"map-content.png", "map-position.npy", "kept-lambda-total.png"}) {
      QVERIFY2(fs::exists(folder_.path() / "look" / name), name);
    }
  }

  void drawnTokensAreNumbers() {
    const ProgramOutcome outcome =
        inspect({u"recall"_s, u"--text"_s, u"3 1 4 15"_s, u"--out"_s, u"numbers"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QVERIFY(outcome.output.contains("3: 15"));
    const ProgramOutcome ofRun =
        inspect({u"recall"_s, u"--split"_s, u"test"_s, u"--out"_s, u"numbers"_s, u"--json"_s});
    QVERIFY2(ofRun.status == 0, ofRun.errors.constData());
    QCOMPARE(ofRun.json()[u"split"_s].toString(), u"test"_s);
  }

  void whatCannotBeInspectedIsRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* name, const QStringList& arguments, const QByteArray& reason) {
      QTest::newRow(name) << arguments << reason;
    };
    row("one byte", {u"text"_s, u"--text"_s, u"x"_s}, "it has 1 token, too few");
    row("too long",
        {u"text"_s, u"--text"_s, QString(30, u'x')},
        "it has 30 tokens, and the network takes 24 at once");
    row("no number", {u"recall"_s, u"--text"_s, u"3 x"_s}, "x is no token of this network");
    row("beyond the vocabulary", {u"recall"_s, u"--text"_s, u"3 16"_s}, "numbers from 0 to 15");
    row("position",
        {u"text"_s, u"--text"_s, u"abc"_s, u"--position"_s, u"3"_s},
        "positions go from 0 to 2");
    row("sequence", {u"text"_s, u"--sequence"_s, u"16"_s}, "choose one from 0 to 15");
    row("layer", {u"text"_s, u"--layer"_s, u"stage9"_s}, "layers: stage1.block1.mixer");
    row("both", {u"text"_s, u"--text"_s, u"abc"_s, u"--sequence"_s, u"1"_s}, "Leave out --text");
    row("pixel of a text", {u"text"_s, u"--query"_s, u"1,1"_s}, "this one takes tokens");
    row("text of images", {u"images"_s, u"--text"_s, u"abc"_s}, "this one takes images");
    row("lesions", {u"text"_s, u"--lesions"_s}, "does not classify images");
  }

  void whatCannotBeInspectedIsRefused() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, reason);
    const ProgramOutcome outcome = inspect(arguments + QStringList{u"--out"_s, u"refused"_s});
    QVERIFY(outcome.status != 0);
    QVERIFY2(outcome.errors.contains(reason), outcome.errors.constData());
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestInspectTokens)
#include "tst_inspect_tokens.moc"
