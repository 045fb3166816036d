#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/formats/json/config_override.h"
#include "engine/values/config/run_config.h"
#include "engine/values/config/validate.h"

using namespace std::string_literals;

namespace lambda {

namespace {

constexpr const char* kMixer = "architecture.stages[0].blocks[0].mixer";

/// One plain block of that mixer after a stem of 8 channels.
RunConfig runOf(const std::string& mixer, int side, int width, Family family = Family::plain) {
  RunConfig config;
  config.architecture.input = {3, side, side};
  config.architecture.family = family;
  config.architecture.stem.width = 8;
  config.architecture.stages = {{width, 1, {Block{}}}};
  applyOverride(config, kMixer + "="s + mixer);
  return config;
}

}  // namespace

/// Tests the problems of the lambda layer's relatives, and that each fix leaves none.
class TestMixerProblems : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void everyProblemIsFixed_data() {
    QTest::addColumn<QByteArray>("mixer");
    QTest::addColumn<int>("side");
    QTest::addColumn<int>("width");
    QTest::addColumn<QByteArray>("field");
    QTest::addColumn<bool>("isError");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const QByteArray& name,
                        const QByteArray& mixer,
                        int side,
                        int width,
                        const QByteArray& field,
                        bool isError,
                        const QByteArray& text,
                        const QByteArray& value) {
      QTest::newRow(name.constData())
          << mixer << side << width << field << isError << text << value;
    };
    for (const char* kind : {"selfAttention", "axialAttention", "linearAttention"}) {
      const QByteArray mixer = "{\"kind\": \"" + QByteArray(kind) + "\", \"h\": 5}";
      row(kind, mixer, 8, 12, ".h", true, "h = 5 does not divide the width 12", "4");
    }
    row("more heads than channels",
        R"({"kind": "selfAttention", "h": 64})",
        8,
        12,
        ".h",
        true,
        "h = 64 does not divide the width 12",
        "12");
    row("local heads that do not divide",
        R"({"kind": "localAttention", "h": 5})",
        8,
        12,
        ".h",
        true,
        "h = 5 does not divide the width 12 into heads of an even depth",
        "3");
    row("local heads of an odd depth",
        R"({"kind": "localAttention", "h": 4})",
        8,
        12,
        ".h",
        true,
        "into heads of an even depth, one half for row offsets and one for column offsets",
        "3");
    row("local attention of an odd width",
        R"({"kind": "localAttention", "h": 4})",
        8,
        9,
        ".h",
        true,
        "h = 4 does not divide the width 9 into heads of an even depth",
        R"({"kind": "axialAttention", "h": 3})");
    row("even window",
        R"({"kind": "localAttention", "scope": 6})",
        8,
        16,
        ".scope",
        true,
        "the side of a local window must be odd, so that the query is its centre",
        "7");
    row("even window beyond the map",
        R"({"kind": "localAttention", "scope": 16})",
        8,
        16,
        ".scope",
        true,
        "must be odd",
        "15");
    row("window beyond the map",
        R"({"kind": "localAttention", "scope": 17})",
        8,
        16,
        ".scope",
        false,
        "a window of 17 reaches beyond a map of 8x8: the outer embeddings are never used",
        "15");
    for (const char* kind :
         {"selfAttention", "localAttention", "axialAttention", "linearAttention", "nonLocal"}) {
      const QByteArray scope = QByteArray(kind) == "localAttention" ? R"(, "scope": 1)" : "";
      const QByteArray mixer = "{\"kind\": \"" + QByteArray(kind) + "\"" + scope + "}";
      row(QByteArray("one position, ") + kind,
          mixer,
          1,
          16,
          "",
          false,
          "a map of one position has no context",
          "\"convolution\"");
    }
    row("weights of all pairs",
        R"({"kind": "selfAttention"})",
        64,
        16,
        "",
        false,
        "its attention weights take 512 MiB for every image of a batch on a 64x64 map",
        R"({"kind": "lambda", "h": 4, "scope": 23})");
    row("weights of all pairs, three channels",
        R"({"kind": "nonLocal"})",
        80,
        3,
        "",
        false,
        "its attention weights take 156 MiB for every image",
        R"({"kind": "lambda", "h": 3, "scope": 23})");
    row("weights of wide windows",
        R"({"kind": "localAttention", "scope": 13})",
        128,
        16,
        "",
        false,
        "its attention weights take 84 MiB",
        R"({"kind": "lambda", "h": 4, "scope": 23})");
    row("weights of rows and columns",
        R"({"kind": "axialAttention"})",
        128,
        16,
        "",
        false,
        "its attention weights take 128 MiB",
        R"({"kind": "lambda", "h": 4, "scope": 23})");
    row("groups",
        R"({"kind": "convolution", "groups": 5})",
        8,
        12,
        ".groups",
        true,
        "5 groups do not divide 8 input and 12 output channels",
        "4");
    row("more groups than channels",
        R"({"kind": "convolution", "groups": 64})",
        8,
        9,
        ".groups",
        true,
        "64 groups do not divide 8 input and 9 output channels",
        "1");
    row("even filter of spatial attention",
        R"({"kind": "spatialAttention", "kernelSize": 6})",
        8,
        16,
        ".kernelSize",
        true,
        "the side of the window must be odd, so that it has a centre",
        "7");
    row("time mixing of rows",
        R"("rwkv")",
        8,
        16,
        "",
        true,
        "the rows of a map of 8x8 do not follow each other",
        R"("convolution")");
  }

  void everyProblemIsFixed() {
    QFETCH(QByteArray, mixer);
    QFETCH(int, side);
    QFETCH(int, width);
    QFETCH(QByteArray, field);
    QFETCH(bool, isError);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, value);
    RunConfig config = runOf(mixer.toStdString(), side, width);
    const std::vector<Problem> problems = validate(config.architecture);
    QVERIFY2(problems.size() == 1, toText(problems).c_str());
    QCOMPARE(problems[0].path, kMixer + field.toStdString());
    QCOMPARE(problems[0].severity == Severity::error, isError);
    QVERIFY2(problems[0].text.find(text.toStdString()) != std::string::npos,
             problems[0].text.c_str());
    QCOMPARE(problems[0].fix->value, value.toStdString());
    applyFix(config, *problems[0].fix);
    const std::vector<Problem> left = validate(config.architecture);
    QVERIFY2(left.empty(), toText(left).c_str());
  }

  /// Every number of heads on every width, in every family.
  void fixedHeadsAlwaysFit() {
    for (const Family family :
         {Family::plain, Family::basic, Family::bottleneck, Family::invertedBottleneck}) {
      for (const char* kind : {"selfAttention", "localAttention", "linearAttention"}) {
        for (int width = 1; width <= 13; ++width) {
          for (const int heads : {1, 2, 3, 4, 7, 256}) {
            RunConfig config = runOf(kind, 8, width, family);
            config.architecture.stem.width = width;
            applyOverride(config, std::string(kMixer) + ".h=" + std::to_string(heads));
            const std::vector<Problem> problems = validate(config.architecture);
            if (problems.empty()) continue;
            applyFix(config, *problems[0].fix);
            const std::vector<Problem> left = validate(config.architecture);
            QVERIFY2(left.empty(), toText(left).c_str());
          }
        }
      }
    }
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestMixerProblems)
#include "tst_mixer_problems.moc"
