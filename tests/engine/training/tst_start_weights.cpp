#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include "engine/formats/json/presets.h"
#include "engine/formats/tensors/weights_file.h"
#include "engine/runs/run_comparison.h"
#include "engine/runtime/error.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/start/start_weights.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/observed_run.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_python.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

using Content = std::map<std::string, std::vector<std::byte>>;

/// The weights of a checkpoint that training updates, without those of other parts.
Content weightsIn(const fs::path& checkpoint) {
  Content content;
  for (const TensorView& view : readWeights(checkpoint, WeightsChoice::raw).file.tensors) {
    content[view.name] = {view.bytes.begin(), view.bytes.end()};
  }
  return content;
}

RunConfig startedFrom(const fs::path& weights) {
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  config.seed = 11;
  config.checkpoints.keepInitial = true;
  config.start.weights = weights.string();
  return config;
}

/// The parts of the network whose tensors a run has changed: "stem", "stage1", "head".
std::vector<std::string> changedParts(const fs::path& run) {
  const Content before = weightsIn(RunFolder::open(run).initialCheckpoint());
  const Content after = weightsIn(RunFolder::open(run).lastCheckpoint());
  std::vector<std::string> parts;
  for (const auto& [name, bytes] : before) {
    if (after.at(name) == bytes) continue;
    const std::string part = name.substr(0, name.find('.'));
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  }
  return parts;
}

/// How far a tensor has moved, apart from its length, which Muon keeps constant for filters.
double turnOf(const TensorView& before, const TensorView& after) {
  const at::Tensor first = toTensor(before, "before").to(at::kDouble);
  const at::Tensor second = toTensor(after, "after").to(at::kDouble);
  const double shrunk = second.norm().item<double>() / std::max(1e-30, first.norm().item<double>());
  return (second - first * shrunk).norm().item<double>();
}

/// Writes tensors of which `change` may alter names, shapes and values.
void writeTensors(const fs::path& path,
                  std::vector<NamedTensor> tensors,
                  const std::function<void(NamedTensor&)>& change) {
  for (NamedTensor& each : tensors) {
    each.tensor = each.tensor.detach().clone();
    change(each);
  }
  saveTensors(path, tensors, {});
}

/// The names and shapes of tests/data/pytorch/resnets.txt, without values.
std::map<std::string, ForeignWeights> namedModels() {
  std::map<std::string, ForeignWeights> models;
  std::ifstream file(LAMBDA_TEST_DATA "/pytorch/resnets.txt");
  ForeignWeights* model = nullptr;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    TensorView tensor;
    words >> tensor.name;
    if (tensor.name == "#") {
      words >> tensor.name;
      model = &models[tensor.name];
      continue;
    }
    for (std::int64_t size = 0; words >> size;) tensor.shape.push_back(size);
    model->file.tensors.push_back(tensor);
  }
  return models;
}

/// The network of a preset for images of 64 x 64, whose stem, blocks and head are those of a model
/// of torchvision or timm.
Architecture resnetFor(const std::string& model) {
  std::vector<Problem> warnings;
  Architecture architecture = loadPreset("resnet50-imagenet", warnings).architecture;
  architecture.input = {3, 64, 64};
  if (model == "resnet18") {
    architecture.family = Family::basic;
    for (Stage& stage : architecture.stages) stage.blocks.resize(2, stage.blocks.front());
  }
  if (model == "resnet26d") {
    architecture.stem.kind = ResNetDStem{};
    for (Stage& stage : architecture.stages) stage.blocks.resize(2, stage.blocks.front());
  }
  if (model == "resnetrs50") {
    architecture.stem.kind = ResNetRsStem{};
    for (Stage& stage : architecture.stages) {
      for (Block& block : stage.blocks) {
        block.squeezeExcitation = true;
        block.squeezeRatio = 4;
        block.squeezePlace = SqueezePlace::afterExpansion;
      }
    }
  }
  return architecture;
}

}  // namespace

/// Runs that start from weights of other runs and programs, and train only parts of a network.
class TestStartWeights : public QObject {
  Q_OBJECT

 private:
  TestPython python_;
  ObservedRun first_;
  fs::path checkpoint_;

  static TrainingState stateFor(const RunConfig& config) { return TrainingState(onCpu(config)); }

 private Q_SLOTS:

  void initTestCase() {
    RunConfig config = tinyRun();
    config.recipe.epochs = 1;
    checkpoint_ = RunFolder::open(first_.train(config).run).lastCheckpoint();
  }

  void aRunStartsFromTheWeightsOfAnother() {
    ObservedRun training;
    const RunResult result = training.train(startedFrom(checkpoint_));
    QCOMPARE(weightsIn(RunFolder::open(result.run).initialCheckpoint()), weightsIn(checkpoint_));
    const StartConfig start = recordOf(result.run).config.start;
    QCOMPARE(start.weights, checkpoint_.string());
    QCOMPARE(start.sha256.size(), std::size_t{64});
    const std::string count = std::to_string(weightsIn(checkpoint_).size());
    const std::string expected = "takes " + count + " of the network's " + count + " tensors";
    const std::string text = training.events(EventKind::started).front().text;
    QVERIFY2(text.ends_with(expected), text.c_str());
  }

  void theAverageStartsFromTheSameWeights() {
    RunConfig config = startedFrom(checkpoint_);
    config.recipe.emaDecay = 0.9;
    TrainingState state = stateFor(config);
    startFrom(state, readForeignWeights(checkpoint_), {});
    const auto averaged = state.average->state();
    for (const NamedTensor& each : averaged) {
      const auto weights = stateOf(*state.network);
      const auto same = std::ranges::find(weights, each.name, &NamedTensor::name);
      QVERIFY(same != weights.end());
      QVERIFY(at::equal(same->tensor, each.tensor));
    }
    QVERIFY(!averaged.empty());
    for (const auto& [name, table] : embeddingTablesOf(state.network)) {
      QVERIFY(at::equal(state.initialEmbeddings.at(name), table));
    }
  }

  void roundedWeightsStartFromTheSameMasters() {
    RunConfig config = startedFrom(checkpoint_);
    config.recipe.precision = Precision::bfloat16;
    TrainingState state = stateFor(config);
    startFrom(state, readForeignWeights(checkpoint_), {});
    const TemporaryFolder folder;
    state.save(folder.path() / "state", config, {}, {});
    QCOMPARE(weightsIn(folder.path() / "state"), weightsIn(checkpoint_));
    for (const UpdatedParameter& each : state.optimizer.parameters()) {
      QVERIFY(at::equal(each.parameter, each.master.to(each.parameter.scalar_type())));
    }
  }

  void frozenStagesKeepTheirBits_data() {
    QTest::addColumn<int>("frozen");
    QTest::addColumn<QString>("changed");
    QTest::newRow("none") << 0 << u"head stage1 stage2 stem"_s;
    QTest::newRow("stem") << 1 << u"head stage1 stage2"_s;
    QTest::newRow("stage 1") << 2 << u"head stage2"_s;
    QTest::newRow("all but the head") << 3 << u"head"_s;
  }

  void frozenStagesKeepTheirBits() {
    QFETCH(int, frozen);
    QFETCH(QString, changed);
    for (const OptimizerKind& kind : std::initializer_list<OptimizerKind>{Sgd{}, AdamW{}, Muon{}}) {
      ObservedRun training;
      RunConfig config = startedFrom(checkpoint_);
      config.start.frozenStages = frozen;
      config.recipe.optimizer.kind = kind;
      config.recipe.optimizer.gradientClip = 1;
      std::string parts;
      for (const std::string& each : changedParts(training.train(config).run)) {
        parts += (parts.empty() ? "" : " ") + each;
      }
      QCOMPARE(QString::fromStdString(parts), changed);
    }
  }

  void sharedEmbeddingsOfAFrozenLayerAreFrozen() {
    RunConfig config = tinyRun();
    LambdaMixer lambda;
    lambda.queryDepth = 4;
    lambda.sharedEmbeddings = "table";
    config.architecture.stages = {Stage{8, 2, {Block{lambda}}}, Stage{16, 1, {Block{lambda}}}};
    config.start.frozenStages = 2;
    TrainingState state = stateFor(config);
    int tables = 0;
    for (const auto& item : state.network->named_parameters()) {
      const bool isFrozen = !item.key().starts_with("stage2") && !item.key().starts_with("head");
      QCOMPARE(item.value().requires_grad(), !isFrozen);
      if (item.key().starts_with("embeddings-table")) ++tables;
    }
    QVERIFY(tables > 0);
  }

  void theBackboneHasARateOfItsOwn() {
    for (const OptimizerKind& kind : std::initializer_list<OptimizerKind>{Sgd{}, AdamW{}, Muon{}}) {
      ObservedRun training;
      RunConfig config = startedFrom(checkpoint_);
      config.start.backboneRate = 0;
      config.recipe.optimizer.kind = kind;
      const RunFolder run = RunFolder::open(training.train(config).run);
      const Weights before = readWeights(run.initialCheckpoint(), WeightsChoice::raw);
      const Weights after = readWeights(run.lastCheckpoint(), WeightsChoice::raw);
      for (const TensorView& view : before.file.tensors) {
        if (view.name.find(".running_") != std::string::npos) continue;
        if (view.name.ends_with("num_batches_tracked")) continue;
        const double changed = turnOf(view, *after.file.find(view.name));
        QVERIFY2((changed > 1e-6) == view.name.starts_with("head."),
                 (view.name + " by " + std::string(traitsOf(kind).kind)).c_str());
      }
    }
  }

  void theHeadIsReplacedWhereTheClassesDiffer() {
    RunConfig config = startedFrom(checkpoint_);
    TrainingState other = stateFor(config);
    const ForeignWeights weights = readForeignWeights(checkpoint_);
    const std::vector<std::string> names(10, "another");
    const std::string renamed = startFrom(other, weights, names).summary();
    QVERIFY2(renamed.find("head.weight (its classes have other names)") != std::string::npos,
             renamed.c_str());
    config.architecture.outputs = 4;
    TrainingState smaller = stateFor(config);
    const std::string resized = startFrom(smaller, weights, {}).summary();
    QVERIFY2(resized.find("head.bias (shape [10] instead of [4])") != std::string::npos,
             resized.c_str());
    QVERIFY2(
        resized.find("2 keep their initial values: head.weight, head.bias") != std::string::npos,
        resized.c_str());
  }

  void aRunRepeatsFromTheSameFileOnly() {
    const TemporaryFolder folder;
    const fs::path weights = folder.path() / "weights.safetensors";
    fs::copy_file(checkpoint_, weights);
    ObservedRun training;
    const RunResult result = training.train(startedFrom(weights));
    RunControl control;
    RecordingObserver observer;
    const RunResult second = repeatRun(result.run, folder.path() / "again", control, observer);
    QVERIFY(compareRuns(result.run, second.run).areEqual());

    fs::copy_file(RunFolder::open(result.run).lastCheckpoint(),
                  weights,
                  fs::copy_options::overwrite_existing);
    const auto error =
        errorOf([&] { repeatRun(result.run, folder.path() / "again", control, observer); });
    QVERIFY(error && error->reason().find("digest") != std::string::npos);
  }

  void weightsThatCantBeUsedAreNamed() {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "weights.safetensors";
    RunConfig config = startedFrom(checkpoint_);
    TrainingState state = stateFor(config);
    const auto refusal = [&](const std::function<void(NamedTensor&)>& change) {
      writeTensors(path, stateOf(*state.network), change);
      const auto error = errorOf([&] { startFrom(state, readForeignWeights(path), {}); });
      return error ? error->reason() : "";
    };
    QCOMPARE(refusal([](NamedTensor&) {}), std::string());
    QCOMPARE(refusal([](NamedTensor& each) { each.name = "x" + each.name; }),
             std::string("has no weights for this network"));
    const std::string infinite = refusal([](NamedTensor& each) {
      if (each.name == "head.bias") each.tensor.fill_(INFINITY);
    });
    QCOMPARE(infinite, std::string("tensor head.bias has values that are not finite"));
    config.start.weights = (folder.path() / "missing.pt").string();
    ObservedRun training;
    QVERIFY(errorOf([&] { training.train(config); }).has_value());
    QVERIFY(training.observer.run.empty());
  }

  void aPrefixThatNamesShareIsNoPartOfThem_data() {
    QTest::addColumn<QString>("prefix");
    for (const QString& prefix : {u"module."_s, u"_orig_mod."_s, u"net."_s, u"model.backbone."_s}) {
      QTest::newRow(qPrintable(prefix)) << prefix;
    }
  }

  void aPrefixThatNamesShareIsNoPartOfThem() {
    QFETCH(QString, prefix);
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "weights.safetensors";
    TrainingState state = stateFor(startedFrom(checkpoint_));
    std::vector<NamedTensor> tensors = stateOf(*state.network);
    const std::size_t count = tensors.size();
    // What others keep beside the network: a loss with weights, the steps of an average.
    tensors.push_back({"criterion.weight", at::ones({2})});
    tensors.push_back({"n_averaged", at::ones({})});
    writeTensors(path, tensors, [&](NamedTensor& each) {
      const bool isOfNetwork = each.name != "criterion.weight" && each.name != "n_averaged";
      if (isOfNetwork) each.name = prefix.toStdString() + each.name;
    });
    const WeightTransfer transfer = startFrom(state, readForeignWeights(path), {});
    QCOMPARE(transfer.taken.size(), count);
    QVERIFY(transfer.missing.empty());
    QCOMPARE(transfer.left.size(), std::size_t{2});
    const std::string text = transfer.summary();
    QVERIFY2(text.find("from names that begin with " + prefix.toStdString()) != std::string::npos,
             text.c_str());
  }

  void theEntryOfACheckpointIsNamed() {
    const ForeignWeights weights = readForeignWeights(LAMBDA_TEST_DATA "/pytorch/lightning.pt");
    const WeightTransfer transfer =
        planTransfer(weights, {{"weight", {2, 2}}, {"bias", {2}}, {"scale", {2}}}, {});
    QCOMPARE(transfer.summary(),
             std::string("takes 2 of the network's 3 tensors from its entry state_dict, from names "
                         "that begin with model.net.; 1 keeps its initial values: scale"));
  }

  void namesOfTorchvisionAndTimmAreFound() {
    std::map<std::string, ForeignWeights> models = namedModels();
    QCOMPARE(models.size(), std::size_t{2});
    for (auto& [model, weights] : models) {
      Network network(resnetFor(model));
      std::vector<TensorShape> shapes;
      for (const NamedTensor& each : stateOf(*network)) {
        shapes.push_back({each.name, each.tensor.sizes().vec()});
      }
      const WeightTransfer transfer = planTransfer(weights, shapes, {});
      QVERIFY2(transfer.missing.empty() && transfer.left.empty(), transfer.summary().c_str());
      QCOMPARE(transfer.taken.size(), weights.file.tensors.size());
    }
  }

  void modelsOfTorchvisionAndTimmGiveTheirLogits() {
    const QString missing = python_.missing({u"torchvision"_s, u"timm"_s, u"safetensors"_s});
    if (!missing.isEmpty()) QSKIP(qPrintable(missing));
    const TemporaryFolder folder;
    const PythonOutcome outcome = python_.run("make_torch_resnets.py", {folder.path()});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    for (const std::string model : {"resnet18", "resnet50", "resnet26d", "resnetrs50"}) {
      RunConfig config;
      config.architecture = resnetFor(model);
      TrainingState state = stateFor(config);
      const std::string text =
          startFrom(state, readForeignWeights(folder.path() / (model + ".pt")), {}).summary();
      QVERIFY2(text.find("keep") == std::string::npos, text.c_str());
      QVERIFY2(text.find("left") == std::string::npos, text.c_str());
      const fs::path file = folder.path() / (model + ".io.safetensors");
      const SafeTensors expected = readSafeTensors(file);
      state.network->eval();
      const at::NoGradGuard noGradient;
      const at::Tensor logits =
          state.network->forward(toTensor(*expected.find("images"), file.string()));
      const at::Tensor target = toTensor(*expected.find("logits"), file.string());
      const double scale = std::max(1.0, target.abs().max().item<double>());
      const double difference = (logits - target).abs().max().item<double>() / scale;
      QVERIFY2(difference < 1e-5, (model + ": " + std::to_string(difference)).c_str());
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestStartWeights)
#include "tst_start_weights.moc"
