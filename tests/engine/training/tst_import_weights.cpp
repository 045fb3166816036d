#include <string>

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include "engine/formats/transfer/lambda_module.h"
#include "engine/formats/transfer/torch_names.h"
#include "engine/layers/lambda/lambda_layer.h"
#include "engine/runs/run_folder.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/start/import_weights.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/observed_run.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

const fs::path kFiles = LAMBDA_TEST_DATA "/pytorch";

fs::path moduleFile(const std::string& name) {
  return kFiles / (name + ".safetensors");
}

/// The greatest difference between what the library's layer computed and the layer of the network.
double differenceOf(const std::string& name, const fs::path& imported, const std::string& layer) {
  LoadedNetwork loaded = loadNetwork(imported, at::kCPU);
  const fs::path file = kFiles / (name + ".io.safetensors");
  const SafeTensors expected = readSafeTensors(file);
  const at::NoGradGuard noGradient;
  for (const NamedLambda& each : loaded.network->lambdaLayers()) {
    if (each.name != layer) continue;
    LambdaLayer found = each.layer;
    const at::Tensor y = found->forward(toTensor(*expected.find("x"), file.string()));
    const at::Tensor target = toTensor(*expected.find("y"), file.string());
    return (y - target).abs().max().item<double>() / target.abs().max().item<double>();
  }
  return INFINITY;
}

/// A copy of a module's file of which `change` may alter names and values.
void writeChanged(const std::string& name,
                  const fs::path& path,
                  const std::function<void(NamedTensor&)>& change) {
  std::vector<NamedTensor> tensors;
  const SafeTensors file = readSafeTensors(moduleFile(name));
  for (const TensorView& view : file.tensors) {
    tensors.push_back({view.name, toTensor(view, name)});
    change(tensors.back());
  }
  saveTensors(path, tensors, {});
}

}  // namespace

/// Lambda layers of other libraries, imported into networks of this one.
class TestImportWeights : public QObject {
  Q_OBJECT

 private:
  TemporaryFolder folder_;

  fs::path out() const { return folder_.path() / "imported.safetensors"; }

  /// A network for images that this machine does not have, with settings of a training that do not
  /// fit small data.
  static RunConfig withoutImages() {
    RunConfig config = tinyRun();
    config.architecture.family = Family::basic;
    config.architecture.stages = {Stage{8, 1, {Block{ConvolutionMixer{}}}},
                                  Stage{16, 2, {Block{ConvolutionMixer{}}}}};
    config.data.source = ImageFolderSource{.path = "/nonexistent/imagenet", .size = 32};
    config.data.validationCount = 9'000'000;  // More than there are images anywhere.
    config.recipe.batchSize = 65536;
    return config;
  }

  /// Weights of that network under the names of torchvision.
  fs::path torchWeights() const {
    const fs::path path = folder_.path() / "torch.safetensors";
    TrainingState state(onCpu(withoutImages()));
    std::vector<NamedTensor> tensors = stateOf(*state.network);
    for (NamedTensor& each : tensors) each.name = torchNamesOf(each.name).at(1);
    saveTensors(path, tensors, {});
    return path;
  }

  /// Why a job can't be done; empty if it can.
  static std::string refusalOf(const ImportJob& job) {
    const auto error = errorOf([&] { importWeights(job); });
    return error ? error->what() : "";
  }

 private Q_SLOTS:

  void theFileThatIsReadIsNeverReplaced() {
    const fs::path input = folder_.path() / "own.safetensors";
    fs::copy_file(moduleFile("timm-local"), input);
    const fs::path alias = folder_.path() / "alias.safetensors";
    fs::create_hard_link(input, alias);
    const auto before = fs::file_size(input);
    for (const fs::path& out : {input, alias}) {
      const std::string refusal = refusalOf({.weights = input, .out = out});
      QVERIFY2(refusal.find("this is the file that is read") != std::string::npos, refusal.c_str());
    }
    QCOMPARE(fs::file_size(input), before);
  }

  void layersOfOtherLibrariesComputeTheSame_data() {
    QTest::addColumn<QString>("name");
    for (const QString& name :
         {u"timm-global"_s, u"timm-local"_s, u"lucidrains-global"_s, u"lucidrains-local"_s}) {
      QTest::newRow(qPrintable(name)) << name;
    }
  }

  void layersOfOtherLibrariesComputeTheSame() {
    QFETCH(QString, name);
    const std::string module = name.toStdString();
    const ImportReport report = importWeights({.weights = moduleFile(module), .out = out()});
    QCOMPARE(report.library, module.substr(0, module.find('-')));
    QCOMPARE(report.layer, std::string("stage1.block1.mixer"));
    QVERIFY(report.transfer.left.empty());
    const double difference = differenceOf(module, out(), report.layer);
    QVERIFY2(difference < 1e-5, std::to_string(difference).c_str());
  }

  void aLayerIsPutIntoATrainedNetwork() {
    ObservedRun training;
    RunConfig config = tinyRun();
    config.recipe.epochs = 1;
    LambdaMixer lambda;
    lambda.queryDepth = 3;
    lambda.scope = 5;
    config.architecture.stages = {Stage{8, 1, {Block{ConvolutionMixer{}}}},
                                  Stage{8, 1, {Block{lambda}, Block{ConvolutionMixer{}}}}};
    const RunFolder run = RunFolder::open(training.train(config).run);
    const fs::path base = run.lastCheckpoint();
    const ImportReport report = importWeights({.weights = moduleFile("timm-local"),
                                               .network = config,
                                               .base = base,
                                               .layer = {},
                                               .out = out()});
    QCOMPARE(report.layer, std::string("stage2.block1.mixer"));
    QVERIFY(differenceOf("timm-local", out(), report.layer) < 1e-5);
    LoadedNetwork before = loadNetwork(base, at::kCPU);
    LoadedNetwork after = loadNetwork(out(), at::kCPU);
    const auto old = stateOf(*before.network);
    const auto now = stateOf(*after.network);
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (old[i].name.starts_with(report.layer + ".layer.")) continue;
      QVERIFY2(at::equal(old[i].tensor, now[i].tensor), old[i].name.c_str());
    }
    QCOMPARE(after.header.input.classNames.size(), std::size_t{10});

    lambda.keyNormalization = KeyNormalization::none;
    config.architecture.stages[1].blocks[0].mixer = lambda;
    const std::string other =
        refusalOf({.weights = moduleFile("timm-local"), .network = config, .out = out()});
    QVERIFY2(other.find("fits no layer") != std::string::npos, other.c_str());
    QVERIFY2(other.find("k = 3, h = 4, u = 1, depth 8 to 8, scope 5") != std::string::npos,
             other.c_str());
  }

  void aLayerIsFoundBehindAPrefix() {
    const fs::path path = folder_.path() / "wrapped.safetensors";
    writeChanged(
        "timm-local", path, [](NamedTensor& each) { each.name = "model.layer." + each.name; });
    const ImportReport report = importWeights({.weights = path, .out = out()});
    QCOMPARE(report.library, std::string("timm"));
    QVERIFY(differenceOf("timm-local", out(), report.layer) < 1e-5);
  }

  void aResNetIsImportedWithoutImages() {
    const ImportReport report =
        importWeights({.weights = torchWeights(), .network = withoutImages(), .out = out()});
    QVERIFY2(report.transfer.missing.empty(), report.transfer.summary().c_str());
    const Normalization imageNet{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
    QCOMPARE(report.input.normalization, imageNet);
    QVERIFY2(report.normalizationSource.find("ImageNet") != std::string::npos,
             report.normalizationSource.c_str());
    const LoadedNetwork loaded = loadNetwork(out(), at::kCPU);
    QCOMPARE(loaded.header.input.normalization, imageNet);
    QVERIFY(!report.areClassesNamed);
    QCOMPARE(loaded.header.input.classNames,
             (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  }

  void theInputOfAnImportCanBeGiven() {
    const Normalization halves{{0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}};
    const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    ImportJob job{.weights = torchWeights(), .network = withoutImages(), .out = out()};
    job.normalization = halves;
    job.classNames = names;
    importWeights(job);
    const LoadedNetwork loaded = loadNetwork(out(), at::kCPU);
    QCOMPARE(loaded.header.input.normalization, halves);
    QCOMPARE(loaded.header.input.classNames, names);

    // Names of other classes than those of the weights make another head.
    job.classNames = {"x", "y"};
    const ImportReport smaller = importWeights(job);
    QCOMPARE(smaller.transfer.missing, (std::vector<std::string>{"head.weight", "head.bias"}));
    QCOMPARE(loadNetwork(out(), at::kCPU).network->architecture.outputs, 2);

    job.normalization = {{0.5}, {0.5}};
    const std::string channels = refusalOf(job);
    QVERIFY2(channels.find("3 channels") != std::string::npos, channels.c_str());
  }

  void weightsOfThisProgramBringTheirInput() {
    const Normalization halves{{0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}};
    ImportJob job{.weights = torchWeights(), .network = withoutImages(), .out = out()};
    job.normalization = halves;
    job.classNames = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    importWeights(job);
    const fs::path again = folder_.path() / "again.safetensors";
    const ImportReport report =
        importWeights({.weights = out(), .network = withoutImages(), .out = again});
    QCOMPARE(report.input, (NetworkInput{halves, job.classNames}));
  }

  void weightsWithoutNamesTakeThoseOfTheRun() {
    ObservedRun training;
    RunConfig config = tinyRun();
    config.recipe.epochs = 1;
    const fs::path checkpoint = RunFolder::open(training.train(config).run).lastCheckpoint();
    const LoadedNetwork trained = loadNetwork(checkpoint, at::kCPU);
    const fs::path path = folder_.path() / "nameless.safetensors";
    saveTensors(path, stateOf(*trained.network), {});
    const ImportReport report = importWeights(
        {.weights = path, .network = trained.header.config, .base = checkpoint, .out = out()});
    QVERIFY(report.areClassesNamed);
    QCOMPARE(report.input, trained.header.input);
  }

  void aNormalizationThatNothingGivesIsAskedFor() {
    const fs::path path = folder_.path() / "own-names.safetensors";
    TrainingState state(onCpu(withoutImages()));
    saveTensors(path, stateOf(*state.network), {});
    const std::string text = refusalOf({.weights = path, .network = withoutImages(), .out = out()});
    QVERIFY2(text.find("--mean and --deviation") != std::string::npos, text.c_str());
  }

  void aBiasOfTheLambdaConvolutionIsNotSilentlyLost() {
    const fs::path path = folder_.path() / "biased.safetensors";
    writeChanged("timm-local", path, [](NamedTensor& each) {
      if (each.name == "conv_lambda.bias") each.tensor.fill_(0.5);
    });
    const std::string text = refusalOf({.weights = path, .out = out()});
    QVERIFY2(text.find("--without-bias") != std::string::npos, text.c_str());
    const ImportReport report = importWeights({.weights = path, .withoutBias = true, .out = out()});
    // Without its bias it is the layer whose bias is 0.
    QVERIFY(differenceOf("timm-local", out(), report.layer) < 1e-5);
  }

  void contradictionsAreNamed_data() {
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<int>("rows");
    QTest::newRow("queries") << u"to_q.weight"_s << 7;
    QTest::newRow("keys") << u"to_k.weight"_s << 5;
    QTest::newRow("values") << u"to_v.weight"_s << 3;
    QTest::newRow("norm of queries") << u"norm_q.weight"_s << 3;
    QTest::newRow("embeddings") << u"pos_conv.weight"_s << 3;
  }

  void contradictionsAreNamed() {
    QFETCH(QString, tensor);
    QFETCH(int, rows);
    const fs::path path = folder_.path() / "changed.safetensors";
    writeChanged("lucidrains-local", path, [&](NamedTensor& each) {
      if (QString::fromStdString(each.name) == tensor) {
        each.tensor = each.tensor.slice(0, 0, rows).clone();
      }
    });
    const std::string text = refusalOf({.weights = path, .out = out()});
    QVERIFY2(text.find("does not fit the other tensors") != std::string::npos, text.c_str());
  }

  void whatIsMissingOrForeignIsNamed() {
    const fs::path path = folder_.path() / "changed.safetensors";
    const auto refusal = [&](const std::function<void(NamedTensor&)>& change) {
      writeChanged("timm-global", path, change);
      return refusalOf({.weights = path, .out = out()});
    };
    const std::string missing = refusal([](NamedTensor& each) {
      if (each.name == "norm_q.running_var") each.name = "other";
    });
    QVERIFY2(missing.find("lacks the tensor norm_q.running_var") != std::string::npos,
             missing.c_str());
    const std::string doubles = refusal([](NamedTensor& each) {
      if (each.name == "pos_emb") each.tensor = each.tensor.to(at::kDouble);
    });
    QVERIFY2(doubles.find("F64") != std::string::npos, doubles.c_str());
    const std::string biased = refusal([](NamedTensor& each) {
      if (each.name == "norm_q.bias") each.name = "qkv.bias";
    });
    QVERIFY2(biased.find("qkv.bias") != std::string::npos, biased.c_str());
    const std::string other = refusal([](NamedTensor& each) { each.name = "x" + each.name; });
    QVERIFY2(other.find("--into") != std::string::npos, other.c_str());
    const std::string all = refusalOf(
        {.weights = path, .network = tinyRun(), .layer = "stage2.block2.mixer", .out = out()});
    QVERIFY2(all.find("--layer") != std::string::npos, all.c_str());
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestImportWeights)
#include "tst_import_weights.moc"
