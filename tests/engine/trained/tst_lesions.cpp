// Parts are cut out of lambda layers, of networks, and of a trained run.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/formats/inspection/lesion_files.h"
#include "engine/formats/metrics/csv.h"
#include "engine/layers/pooling.h"
#include "engine/networks/inspection/applied_lesion.h"
#include "engine/runs/evaluations.h"
#include "engine/runtime/error.h"
#include "engine/trained/evaluate_run.h"
#include "engine/trained/score_lesions.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/lambda_case_rows.h"
#include "tests/support/odd_architectures.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

constexpr int kBatch = 2;

/// All lesions that a layer of the case can have.
std::vector<Lesion> lesionsFor(const LambdaLayerOptions& options) {
  std::vector<Lesion> lesions{{LesionPart::content}, {LesionPart::position}};
  for (int i = 0; i < 12; ++i) {
    for (const LesionPart part : {LesionPart::scope, LesionPart::head, LesionPart::row}) {
      lesions.push_back({part, i});
    }
  }
  std::erase_if(lesions, [&](const Lesion& lesion) {
    return !cuts(lesion, options.mixer, options.mapHeight, options.mapWidth);
  });
  return lesions;
}

/// Sets the embeddings of all offsets beyond a window of side `scope` to 0.
void limitTable(NaiveLambda& naive, int scope) {
  const int rows = naive.mixer.scope > 0 ? naive.mixer.scope : 2 * naive.height - 1;
  const int columns = naive.mixer.scope > 0 ? naive.mixer.scope : 2 * naive.width - 1;
  const std::size_t depth = naive.table.size() / static_cast<std::size_t>(rows * columns);
  std::size_t next = 0;
  for (int down = -(rows / 2); down <= rows / 2; ++down) {
    for (int right = -(columns / 2); right <= columns / 2; ++right) {
      const bool isFar = std::max(std::abs(down), std::abs(right)) > (scope - 1) / 2;
      for (std::size_t i = 0; i < depth; ++i, ++next) {
        if (isFar) naive.table[next] = 0;
      }
    }
  }
}

/// The output of the layer without the part, by its definition.
std::vector<double> naiveWithout(NaiveLambda naive,
                                 const std::vector<double>& x,
                                 const Lesion& lesion) {
  NaiveLambda::Operands parts = naive.operands(x, kBatch);
  const auto k = static_cast<std::size_t>(naive.mixer.queryDepth);
  const auto number = static_cast<std::size_t>(lesion.number);
  switch (lesion.part) {
    case LesionPart::content:
      naive.mixer.content = false;
      break;
    case LesionPart::position:
      naive.mixer.embedding = PositionEmbedding::none;
      break;
    case LesionPart::scope:
      limitTable(naive, lesion.number);
      break;
    case LesionPart::head:
    case LesionPart::row:
      for (std::size_t i = 0; i < parts.queries.size(); ++i) {
        const std::size_t head = i / k % static_cast<std::size_t>(naive.mixer.heads), row = i % k;
        if ((lesion.part == LesionPart::head ? head : row) == number) parts.queries[i] = 0;
      }
      break;
  }
  return naive.outputOf(parts, kBatch);
}

/// Two lambda layers of one table, and one without content.
Architecture threeLambdas() {
  const auto shared = [](Block block) {
    return changed(block, [](LambdaMixer& mixer) { mixer.sharedEmbeddings = "one"; });
  };
  Architecture architecture;
  architecture.input = {3, 8, 8};
  architecture.outputs = 4;
  architecture.family = Family::plain;
  architecture.zeroInitResidual = false;
  architecture.stem = {CifarStem{}, 8};
  architecture.stages = {
      {8, 1, {shared(lambdaBlock(4, 2)), shared(lambdaBlock(4, 2))}},
      {8, 1, {changed(lambdaBlock(3, 4), [](LambdaMixer& mixer) { mixer.content = false; })}}};
  return architecture;
}

Network networkOf(const Architecture& architecture) {
  Network network(architecture);
  const MapShape& input = architecture.input;
  useStatisticsOf(network, at::randn({8, input.channels, input.height, input.width}));
  return network;
}

std::string reasonOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

class TestLesions : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() {
    at::set_num_threads(1);
    RunConfig config = tinyRun();
    config.data.validationCount = 60;
    RunControl control;
    RecordingObserver observer;
    run_ = trainRun(config, folder_.path(), control, observer).run;
  }

  void init() { at::manual_seed(1); }

  void everyLesionIsItsDefinition_data() { addCases(); }

  void everyLesionIsItsDefinition() {
    const LambdaLayerOptions options = currentOptions();
    const at::NoGradGuard noGradient;
    const std::vector<Lesion> lesions = lesionsFor(options);
    QVERIFY(!lesions.empty());
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
      LambdaLayer layer(options);
      randomizeNorms(*layer);
      layer->to(type);
      layer->eval();
      const at::Tensor x =
          at::randn({kBatch, options.inputDepth, options.mapHeight, options.mapWidth}, type);
      const at::Tensor whole = layer(x), pooled = layer->forwardPooled(x);
      const NaiveLambda naive = naiveOf(layer);
      const double epsilon = type == at::kDouble ? 2.3e-16 : 1.2e-7;
      for (const Lesion& lesion : lesions) {
        const std::vector<double> expected = naiveWithout(naive, numbersOf(x), lesion);
        {
          const CutLayer cut(layer, lesion);
          VERIFY_CLOSE(layer(x), expected, 2000 * epsilon, 500 * epsilon);
          VERIFY_CLOSE(
              layer->forwardPooled(x), poolAverage(layer(x)), 2000 * epsilon, 500 * epsilon);
        }
        QVERIFY(layer(x).equal(whole));
        QVERIFY(layer->forwardPooled(x).equal(pooled));
        QVERIFY(layer->options.mixer == options.mixer);
      }
    }
  }

  void aLayerWithoutBothLambdasGivesZero() {
    LambdaLayer layer(currentLayer());
    layer->eval();
    const at::NoGradGuard noGradient;
    const at::Tensor x = at::randn({kBatch, 5, 3, 4});
    for (const auto& [first, second] : {std::pair{LesionPart::content, LesionPart::position},
                                        std::pair{LesionPart::position, LesionPart::content}}) {
      const CutLayer outer(layer, {first});
      const CutLayer inner(layer, {second});
      QCOMPARE(layer(x).abs().max().item<double>(), 0.0);
    }
  }

  void nestedCutsAddUp() {
    LambdaLayer layer(currentLayer());
    layer->eval();
    const at::NoGradGuard noGradient;
    const at::Tensor x = at::randn({kBatch, 5, 3, 4}), whole = layer(x);
    {
      const CutLayer outer(layer, {LesionPart::head, 0});
      const at::Tensor oneHead = layer(x);
      {
        const CutLayer inner(layer, {LesionPart::head, 1});
        QCOMPARE(layer(x).abs().max().item<double>(), 0.0);
      }
      QVERIFY(layer(x).equal(oneHead));
    }
    QVERIFY(layer(x).equal(whole));
  }

  void aNetworkIsAsBeforeAlsoAfterAnException() {
    const Network network = networkOf(threeLambdas());
    Network open = network;
    const at::NoGradGuard noGradient;
    const at::Tensor x = at::randn({2, 3, 8, 8}), logits = open(x);
    std::vector<at::Tensor> own = network->parameters(), values;
    for (const at::Tensor& parameter : own) values.push_back(parameter.clone());
    const at::Tensor random = at::globalContext().defaultGenerator(at::kCPU).get_state();
    for (const Lesion& lesion : lesionsOf(network, "")) {
      const auto applyAndFail = [&] {
        const AppliedLesion applied(network, lesion);
        QVERIFY2(!open(x).equal(logits), textOf(lesion).c_str());
        throw std::runtime_error("in the middle");
      };
      QVERIFY_THROWS_EXCEPTION(std::runtime_error, applyAndFail());
      QVERIFY2(open(x).equal(logits), textOf(lesion).c_str());
    }
    const std::vector<at::Tensor> after = network->parameters();
    QCOMPARE(after.size(), own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      QVERIFY(after[i].is_same(own[i]) && after[i].equal(values[i]));
    }
    QVERIFY(at::globalContext().defaultGenerator(at::kCPU).get_state().equal(random));
  }

  void nothingRecordsGradientsMeanwhile() {
    Network network = networkOf(threeLambdas());
    const at::Tensor x = at::randn({1, 3, 8, 8});
    {
      const AppliedLesion applied(network, {LesionPart::head, 1});
      QVERIFY(!network(x).requires_grad());
    }
    QVERIFY(network(x).requires_grad());
  }

  void oneLayerIsCutThoughItsTableIsShared() {
    const Network network = networkOf(threeLambdas());
    std::vector<NamedLambda> layers = network->lambdaLayers();
    QCOMPARE(layers.size(), std::size_t{3});
    const at::NoGradGuard noGradient;
    const at::Tensor x = at::randn({2, 8, 8, 8});
    const at::Tensor first = layers[0].layer(x), second = layers[1].layer(x);
    for (const LesionPart part : {LesionPart::position, LesionPart::scope}) {
      const AppliedLesion applied(network, {part, 3, "stage1.block1"});
      QVERIFY(!layers[0].layer(x).equal(first));
      QVERIFY(layers[1].layer(x).equal(second));
    }
  }

  void everyPartOfTheChosenLayersIsListed() {
    const Network network = networkOf(threeLambdas());
    const auto textsOf = [&](const std::string& layer) {
      std::string texts;
      for (const Lesion& lesion : lesionsOf(network, layer)) texts += textOf(lesion) + ", ";
      return texts;
    };
    const std::string scopes = "scope 11x11, scope 7x7, scope 5x5, scope 3x3, ";
    QCOMPARE(textsOf("stage2.block1"),
             "no position, " + scopes +
                 "no head 0, no head 1, no head 2, no head 3, no row 0, no row 1, no row 2, ");
    QCOMPARE(textsOf(""),
             "no content, no position, " + scopes +
                 "no head 0, no head 1, no head 2, no head 3, no row 0, no row 1, no row 2, "
                 "no row 3, ");
    QCOMPARE(lesionsOf(network, "stage2.block1").front().layer, std::string("stage2.block1.mixer"));
  }

  void whatIsNotThereIsRefused() {
    Architecture architecture = threeLambdas();
    const Network network = networkOf(architecture);
    const std::string unknown = reasonOf([&] { lesionsOf(network, "stage9"); });
    QVERIFY2(unknown.find("stage1.block2.mixer") != std::string::npos, unknown.c_str());
    QVERIFY(!reasonOf([&] { AppliedLesion(network, {LesionPart::head, 4}); }).empty());
    QVERIFY(!reasonOf([&] { AppliedLesion(network, {LesionPart::scope, 15}); }).empty());
    QVERIFY(!reasonOf([&] {
               AppliedLesion(network, {LesionPart::content, 0, "stage2.block1"});
             }).empty());
    architecture.stages = {{8, 1, {Block{SelfAttentionMixer{.heads = 2}}}}};
    const Network attention = networkOf(architecture);
    const std::string none = reasonOf([&] { lesionsOf(attention, ""); });
    QVERIFY2(none.find("no lambda layer") != std::string::npos, none.c_str());
  }

  void anIntervalIsByPairedCounts() {
    const Interval interval = pairedInterval(20, 5, 500);
    QVERIFY(std::abs(interval.low + 0.0499988) < 1e-6);
    QVERIFY(std::abs(interval.high + 0.0097622) < 1e-6);
    const Interval same = pairedInterval(0, 0, 500);
    QVERIFY(std::abs(same.low + 0.0055216) < 1e-6 && same.high == -same.low);
    QCOMPARE(pairedInterval(3, 0, 3).low, -1.0);
  }

  void aRunIsScoredWithoutEachPart() {
    RunControl control;
    RecordingObserver observer;
    const auto evaluation =
        evaluateRun({.run = run_, .split = Split::validation}, control, observer);
    const auto table = scoreLesions({.run = run_}, control, observer);
    QVERIFY(table && table->uncut == evaluation->scores);
    QCOMPARE(table->images, 60);
    QCOMPARE(table->lesions.size(), std::size_t{12});
    for (std::size_t i = 0; i < table->lesions.size(); ++i) {
      const LesionScore& score = table->lesions[i];
      const double difference = score.scores.score - table->uncut.score;
      QVERIFY(std::abs(score.difference - difference) < 1e-9);
      QVERIFY(score.interval.contains(difference));
      QVERIFY(score.changed >= score.lost + score.gained);
      if (i > 0) QVERIFY(table->lesions[i - 1].difference <= score.difference);
    }
    const auto again = evaluateRun({.run = run_, .split = Split::validation}, control, observer);
    QVERIFY(again->scores == evaluation->scores);
  }

  void onlyTheWholeTestSetIsATestEvaluation() {
    const auto looks = [&] { return testEvaluationsOf(RunFolder::open(run_), recordOf(run_)); };
    const int before = looks();
    RunControl control;
    RecordingObserver observer;
    QCOMPARE(
        scoreLesions({.run = run_, .split = Split::test, .images = 7}, control, observer)->images,
        7);
    QCOMPARE(looks(), before);
    scoreLesions({.run = run_, .split = Split::test}, control, observer);
    QCOMPARE(looks(), before + 1);
  }

  void stopsWhenToldTo() {
    RunControl control;
    RecordingObserver observer;
    observer.onEvaluated = [&](const EvaluationProgress& progress) {
      if (progress.done > 3 * 60) control.requestStop();
    };
    QVERIFY(!scoreLesions({.run = run_}, control, observer));
  }

  void theTableIsWritten() {
    const LesionTable table{
        .images = 10,
        .uncut = {.loss = 1, .score = 0.5},
        .lesions = {{.lesion = {LesionPart::row, 2}, .scores = {.loss = 2, .score = 0.25}}}};
    const std::vector<std::string> files = writeLesions(folder_.path() / "cut", table);
    QCOMPARE(files, (std::vector<std::string>{"lesions.csv", "summary.json"}));
    QFile csv(folder_.path() / "cut" / "lesions.csv");
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const std::vector<CsvLine> lines = decodeCsv(csv.readAll().toStdString(), "lesions.csv");
    QCOMPARE(lines.size(), std::size_t{3});
    QCOMPARE(lines[1].cells[0], std::string("uncut"));
    QCOMPARE(lines[2].cells[0], std::string("no row 2"));
    QCOMPARE(lines[2].cells[1], std::string("0.25"));
  }

 private:
  /// The options of a layer with both lambdas.
  static LambdaLayerOptions currentLayer() { return lambdaCases().front().options; }

  TemporaryFolder folder_;
  std::string run_;
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLesions)
#include "tst_lesions.moc"
