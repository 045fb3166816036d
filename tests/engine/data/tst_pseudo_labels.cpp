#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <QTest>

#include "engine/data/dataset.h"
#include "engine/data/labelling.h"
#include "engine/data/split.h"
#include "engine/formats/json/config_override.h"
#include "engine/formats/metrics/predictions_csv.h"
#include "engine/values/config/validate.h"
#include "tests/support/few_labels.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;

namespace lambda::test {

namespace {

constexpr int kPerClass = 5;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

class TestPseudoLabels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyClassHasTheSameNumberOfLabels();
  void aClassWithTooFewImagesIsNamed();
  void confidentPredictionsBecomeLabels();
  void linesMayComeInAnyOrder();
  void classesMayComeInAnyOrder();
  void damagedPredictionsAreRefusedWithTheirLine_data();
  void damagedPredictionsAreRefusedWithTheirLine();
  void randomDamageIsReadOrRefused();
  void predictionsOfAnotherSplitAreRefused();
  void settingsWithoutEffectAreProblems();

 private:
  TemporaryFolder folder_;
};

void TestPseudoLabels::everyClassHasTheSameNumberOfLabels() {
  const LabeledImages train = loadDataset(tinyRun().data).train;
  const auto draw = [&](int perClass, std::uint64_t seed) {
    return drawLabelled(train.labels, train.classNames, perClass, seed);
  };
  const std::vector<std::uint32_t> drawn = draw(kPerClass, 1);
  QVERIFY(std::ranges::is_sorted(drawn));
  for (std::uint16_t label = 0; label < 10; ++label) {
    const auto count =
        std::ranges::count_if(drawn, [&](auto i) { return train.labels[i] == label; });
    QCOMPARE(count, std::ptrdiff_t{kPerClass});
  }
  QVERIFY(drawn == draw(kPerClass, 1));
  QVERIFY(drawn != draw(kPerClass, 2));
  QVERIFY(std::ranges::includes(draw(kPerClass + 4, 1), drawn));

  const ChosenLabels chosen = imagesWithLabels(train, fewLabels().data);
  QCOMPARE(chosen.images.count(), std::size_t{50});
  QCOMPARE(chosen.summary(), std::string("50 images labelled, 0 pseudo-labelled, 130 left out"));
  QVERIFY(chosen.images == selectImages(train, draw(kPerClass, fewLabels().data.splitSeed)));
}

void TestPseudoLabels::aClassWithTooFewImagesIsNamed() {
  const std::vector<std::uint16_t> labels{0, 1, 0, 1, 0};
  const auto error = errorOf([&] { drawLabelled(labels, {"cat", "dog"}, 3, 0); });
  QVERIFY(error);
  QCOMPARE(error->place(), std::string("data.labelledPerClass"));
  QCOMPARE(error->reason(), std::string("the class dog has only 2 training images, fewer than 3"));
}

void TestPseudoLabels::confidentPredictionsBecomeLabels() {
  const LabeledImages train = loadDataset(tinyRun().data).train;
  DataConfig config = fewLabels().data;
  config.pseudoLabels = (folder_.path() / "confident.csv").string();
  write(config.pseudoLabels, predictionsFor(train));
  const auto labelled = drawLabelled(train.labels, train.classNames, kPerClass, config.splitSeed);
  for (const double threshold : {0.5, 0.7, 0.99}) {
    config.pseudoLabelThreshold = threshold;
    std::vector<std::uint32_t> indices;
    std::vector<std::uint16_t> labels;
    for (std::uint32_t i = 0; i < train.count(); ++i) {
      const bool hasLabel = std::ranges::binary_search(labelled, i);
      if (!hasLabel && (i % 2 == 0 ? 0.97 : 0.6) < threshold) continue;
      indices.push_back(i);
      labels.push_back(hasLabel ? train.labels[i] : static_cast<std::uint16_t>(3 * i % 10));
    }
    LabeledImages expected = selectImages(train, indices);
    expected.labels = labels;
    const ChosenLabels chosen = imagesWithLabels(train, config);
    QVERIFY(chosen.images == expected);
    QCOMPARE(chosen.labelled, labelled.size());
    QCOMPARE(chosen.pseudoLabelled, indices.size() - labelled.size());
    QCOMPARE(chosen.leftOut, train.count() - indices.size());
  }
}

void TestPseudoLabels::linesMayComeInAnyOrder() {
  const fs::path file = folder_.path() / "order.csv";
  const std::vector<std::string> classes{"a,b", "c"};
  write(file, predictionsHead(classes) + "1,0,1,0.1,0.25,0.75\r\n0,1,0,2e-1,1,0");
  const std::vector<ImagePrediction> found = readPredictionsCsv(file, classes, 2);
  QCOMPARE(found.size(), std::size_t{2});
  QCOMPARE(found[0].label, std::uint16_t{1});
  QCOMPARE(found[0].prediction, std::uint16_t{0});
  QCOMPARE(found[0].probability, 1.0);
  QCOMPARE(found[1].label, std::uint16_t{0});
  QCOMPARE(found[1].prediction, std::uint16_t{1});
  QCOMPARE(found[1].probability, 0.75);
}

void TestPseudoLabels::classesMayComeInAnyOrder() {
  const fs::path file = folder_.path() / "classes.csv";
  const std::vector<std::string> written{"c", "a,b", "d"}, classes{"a,b", "c", "d"};
  write(file, predictionsHead(written) + "0,0,1,0.1,0.25,0.75,0\n1,2,0,0.2,1,0,0\n");
  const std::vector<ImagePrediction> found = readPredictionsCsv(file, classes, 2);
  QCOMPARE(found[0].label, std::uint16_t{1});
  QCOMPARE(found[0].prediction, std::uint16_t{0});
  QCOMPARE(found[0].probability, 0.75);
  QCOMPARE(found[1].label, std::uint16_t{2});
  QCOMPARE(found[1].prediction, std::uint16_t{1});
}

void TestPseudoLabels::damagedPredictionsAreRefusedWithTheirLine_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("line");
  QTest::addColumn<QString>("reason");
  const std::string head = "index,label,prediction,loss,a,b\n";
  const std::string first = head + "0,0,0,0.1,0.9,0.1\n";
  const auto row = [](const char* name, const std::string& text, int line, const char* reason) {
    QTest::newRow(name) << QString::fromStdString(text) << line << QString::fromLatin1(reason);
  };
  row("empty", {}, 1, "does not name the columns");
  row("no columns", "a,b\n", 1, "does not name the columns");
  row("other classes", "index,label,prediction,loss,a,c\n", 1, "The file has 2: a, c");
  row("fewer classes", "index,label,prediction,loss,a\n", 1, "The data has 2: a, b");
  row("more classes", "index,label,prediction,loss,a,b,c\n", 1, "not those of the classes");
  row("missing image", first, 2, "without a prediction for image 1 of 2");
  row("double image", first + "0,0,0,0.1,0.9,0.1\n", 3, "image 0 stands already in line 2");
  row("unknown image", first + "2,0,0,0.1,0.9,0.1\n", 3, "index is 2, but there are only 2");
  row("negative image", first + "-1,0,0,0.1,0.9,0.1\n", 3, "index \"-1\" is not a number");
  row("huge image", first + "99999999999999999999,0,0,0,1,0\n", 3, "is not a number that fits");
  row("unknown class", first + "1,0,2,0.1,0.9,0.1\n", 3, "prediction is 2");
  row("unknown label", first + "1,7,1,0.1,0.1,0.9\n", 3, "label is 7");
  row("text", first + "1,0,0,0.1,high,0.1\n", 3, "probability \"high\" is not a number");
  row("nan", first + "1,0,0,0.1,nan,0.1\n", 3, "probability is not a number from 0");
  row("infinite loss", first + "1,0,0,inf,0.9,0.1\n", 3, "loss is not a number from 0");
  row("sum", first + "1,0,0,0.1,0.9,0.3\n", 3, "sum of the probabilities is not 1");
  row("not the greatest", first + "1,0,1,0.1,0.9,0.1\n", 3, "not the most probable class");
  row("too few cells", first + "1,0,0,0.1,1\n", 3, "column probability is missing");
  row("too many cells", first + "1,0,0,0.1,1,0,0\n", 3, "more cells");
  row("empty cell", first + "1,,0,0.1,1,0\n", 3, "label \"\" is not a number");
  row("long line", first + "1,0,0,0.1,1," + std::string(100000, '0') + "\n", 3, "too long");
}

void TestPseudoLabels::damagedPredictionsAreRefusedWithTheirLine() {
  QFETCH(const QString, text);
  QFETCH(const int, line);
  QFETCH(const QString, reason);
  const fs::path file = folder_.path() / "damaged.csv";
  write(file, text.toStdString());
  const auto error = errorOf([&] { readPredictionsCsv(file, {"a", "b"}, 2); });
  QVERIFY(error);
  QCOMPARE(error->place(), file.string() + ", line " + std::to_string(line));
  QVERIFY2(QString::fromStdString(error->reason()).contains(reason), error->what());
  QVERIFY(!error->hint().empty());
}

void TestPseudoLabels::randomDamageIsReadOrRefused() {
  const std::string whole =
      predictionsHead({"a", "b"}) + "0,0,0,0.1,0.9,0.1\n1,1,1,0.2,0.2,0.8\n2,0,1,1.5,0.25,0.75\n";
  const fs::path file = folder_.path() / "random.csv";
  for (std::uint64_t i = 0; i < 2000; ++i) {
    write(file, mutated(whole, 1, i));
    std::vector<ImagePrediction> found;
    if (errorOf([&] { found = readPredictionsCsv(file, {"a", "b"}, 3); })) continue;
    QCOMPARE(found.size(), std::size_t{3});
    for (const ImagePrediction& each : found) {
      QVERIFY(each.label < 2 && each.prediction < 2);
      QVERIFY(each.probability >= 0.49 && each.probability <= 1);
    }
  }
  QVERIFY(errorOf([&] { readPredictionsCsv(folder_.path(), {"a", "b"}, 3); }));
  QVERIFY(errorOf([&] { readPredictionsCsv("/nowhere.csv", {"a", "b"}, 3); }));
}

void TestPseudoLabels::predictionsOfAnotherSplitAreRefused() {
  DataConfig config = fewLabels().data;
  const LabeledImages train = loadDataset(config).train;
  DataConfig other = config;
  other.splitSeed = 1;
  config.pseudoLabels = (folder_.path() / "other.csv").string();
  write(config.pseudoLabels, predictionsFor(loadDataset(other).train));
  const auto error = errorOf([&] { imagesWithLabels(train, config); });
  QVERIFY(error);
  QCOMPARE(error->place(), config.pseudoLabels);
  QVERIFY2(error->reason().find("of another split") != std::string::npos, error->what());
}

void TestPseudoLabels::settingsWithoutEffectAreProblems() {
  const auto check = [](const std::function<void(RunConfig&)>& change, const std::string& path) {
    RunConfig config = fewLabels();
    change(config);
    const std::vector<Problem> problems = validate(config);
    const auto found = std::ranges::find(problems, path, &Problem::path);
    QVERIFY2(found != problems.end(), path.c_str());
    QVERIFY(found->fix);
    applyFix(config, *found->fix);
    const std::vector<Problem> left = validate(config);
    QVERIFY(std::ranges::find(left, path, &Problem::path) == left.end());
  };
  QVERIFY(validate(fewLabels()) == validate(tinyRun()));
  check(
      [](RunConfig& config) {
        config.data.labelledPerClass = 0;
        config.data.pseudoLabels = "labels.csv";
      },
      "data.pseudoLabels");
  check(
      [](RunConfig& config) {
        config.data.pseudoLabels = "labels.csv";
        config.data.pseudoLabelThreshold = 0.1;
      },
      "data.pseudoLabelThreshold");
  for (const double smoothing : {0.1, 0.2, 0.9}) {
    check(
        [&](RunConfig& config) {
          config.data.pseudoLabels = "labels.csv";
          config.recipe.labelSmoothing = smoothing;
        },
        "data.pseudoLabelThreshold");
  }
  check([](RunConfig& config) { config.data.labelledPerClass = 19; }, "data.labelledPerClass");
  check([](RunConfig& config) { config.recipe.batchSize = 51; }, "recipe.batchSize");
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestPseudoLabels)
#include "tst_pseudo_labels.moc"
