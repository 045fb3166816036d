#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/formats/transfer/torch_names.h"
#include "engine/networks/network.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/start/import_weights.h"
#include "engine/training/start/start_weights.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/rwkv_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_file.h"
#include "tests/support/verify_close.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr int kVocabulary = 11;
constexpr int kWidth = 8;
constexpr int kBlocks = 3;

Architecture rwkvOf(int blocks, int length) {
  Block block{RwkvMixer{}};
  block.channelMixing = ChannelMixing::rwkv;
  block.expansion = 4;
  Architecture architecture;
  architecture.input = {1, 1, length};
  architecture.task = Task::tokens;
  architecture.outputs = kVocabulary;
  architecture.family = Family::sequence;
  architecture.stem = {EmbeddingStem{}, kWidth};
  architecture.stages = {
      Stage{kWidth, 1, std::vector<Block>(static_cast<std::size_t>(blocks), block)}};
  architecture.head.bias = false;
  return architecture;
}

RunConfig runOf(const Architecture& architecture) {
  RunConfig config;
  config.architecture = architecture;
  config.data.source = TextSource{.length = architecture.input.width};
  config.device.kind = DeviceKind::cpu;
  return config;
}

/// A network with numbers that `type` has exactly, of the size of trained ones.
Network drawnNetwork(at::ScalarType type = at::kFloat) {
  Network network(rwkvOf(kBlocks, TextSource().length));
  const at::NoGradGuard noGradients;
  for (at::Tensor& parameter : network->parameters()) {
    parameter.copy_(at::randn_like(parameter).mul(0.5).add(0.2).to(type));
  }
  network->eval();
  return network;
}

/// Its tensors as they are published.
std::vector<NamedTensor> published(const Network& network) {
  std::vector<NamedTensor> tensors;
  for (const auto& [key, tensor] : stateOf(*network)) {
    const bool isShare = key.find("time_mix") != std::string::npos;
    tensors.push_back({key.starts_with("head.") ? key : torchNamesOf(key).back(),
                       isShare ? tensor.detach().view({1, 1, -1}) : tensor.detach()});
  }
  return tensors;
}

void writePth(const fs::path& path, const std::vector<NamedTensor>& tensors, at::ScalarType type) {
  std::vector<TorchTensor> written;
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor dense = tensor.to(type).contiguous();
    const auto* bytes = static_cast<const std::byte*>(dense.const_data_ptr());
    written.push_back({name, tensor.sizes().vec(), {bytes, bytes + dense.nbytes()}});
  }
  writeTorchFile(path, written, type == at::kFloat ? "FloatStorage" : "BFloat16Storage");
}

using Tensors = std::vector<NamedTensor>;
using Change = std::function<void(Tensors&)>;

Change withoutAny(const std::string& prefix) {
  return [prefix](Tensors& tensors) {
    std::erase_if(tensors, [&](const NamedTensor& each) { return each.name.starts_with(prefix); });
  };
}

Change renamed(const std::string& prefix, const std::string& other) {
  return [=](Tensors& tensors) {
    for (NamedTensor& each : tensors) {
      if (each.name.starts_with(prefix)) each.name.replace(0, prefix.size(), other);
    }
  };
}

Change replaced(const std::string& name, const at::Tensor& value) {
  return [=](Tensors& tensors) {
    for (NamedTensor& each : tensors) {
      if (each.name == name) each.tensor = value;
    }
  };
}

Change withMore(const std::string& name, const at::Tensor& value) {
  return [=](Tensors& tensors) { tensors.push_back({name, value}); };
}

void addThousandsOfBlocks(Tensors& tensors) {
  for (int i = kBlocks; i < 5000; ++i) {
    tensors.push_back({"blocks." + std::to_string(i) + ".ln1.weight", at::zeros({1})});
  }
}

void makeVocabularyHuge(Tensors& tensors) {
  for (const char* name : {"emb.weight", "head.weight"}) {
    replaced(name, at::zeros({100001, kWidth}))(tensors);
  }
}

}  // namespace

/// Published RWKV-4 networks, imported.
class TestImportRwkv : public QObject {
  Q_OBJECT

 private:
  TemporaryFolder folder_;

  fs::path out() const { return folder_.path() / "imported.safetensors"; }

  fs::path write(const Tensors& tensors) const {
    const fs::path path = folder_.path() / "rwkv.safetensors";
    saveTensors(path, tensors, {});
    return path;
  }

  static std::string refusalOf(const ImportJob& job) {
    const auto error = errorOf([&] { importWeights(job); });
    return error ? error->what() : "";
  }

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() {
    at::manual_seed(11);
    fs::remove(out());
  }

  void namesAndShapesAreThePublishedOnes() {
    NamedShapes shapes, expected = torchRwkv(kVocabulary, kWidth, kBlocks);
    for (const NamedTensor& each : published(drawnNetwork())) {
      shapes.emplace_back(each.name, each.tensor.sizes().vec());
    }
    std::ranges::sort(shapes);
    std::ranges::sort(expected);
    QVERIFY(shapes == expected);
  }

  void logitsAreThoseOfTheNetworkThatWasPublished_data() {
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<at::ScalarType>("type");
    QTest::addColumn<bool>("isSqueezed");
    QTest::newRow("safetensors, float32") << u".safetensors"_s << at::kFloat << false;
    QTest::newRow("safetensors, bfloat16") << u".safetensors"_s << at::kBFloat16 << false;
    QTest::newRow("safetensors, without sizes of 1") << u".safetensors"_s << at::kFloat << true;
    QTest::newRow("pth, float32") << u".pth"_s << at::kFloat << false;
    QTest::newRow("pth, bfloat16") << u".pth"_s << at::kBFloat16 << false;
  }

  void logitsAreThoseOfTheNetworkThatWasPublished() {
    QFETCH(QString, suffix);
    QFETCH(at::ScalarType, type);
    QFETCH(bool, isSqueezed);
    Network network = drawnNetwork(type);
    Tensors tensors = published(network);
    for (NamedTensor& each : tensors) {
      each.tensor = isSqueezed ? each.tensor.squeeze().to(type) : each.tensor.to(type);
    }
    const fs::path path = folder_.path() / ("rwkv" + suffix.toStdString());
    if (suffix == u".pth"_s) {
      writePth(path, tensors, type);
    } else {
      saveTensors(path, tensors, {});
    }
    const ImportReport report = importWeights({.weights = path, .out = out()});
    QCOMPARE(report.transfer.taken.size(), tensors.size());
    QVERIFY2(report.transfer.left.empty() && report.transfer.missing.empty(),
             report.transfer.summary().c_str());
    LoadedNetwork loaded = loadNetwork(out(), at::kCPU);
    Architecture expected = rwkvOf(kBlocks, TextSource().length);
    expected.name = report.architecture.name;
    QVERIFY(loaded.header.config.architecture == expected);
    QVERIFY(!loaded.header.input.isKnown());
    const at::NoGradGuard noGradients;
    const at::Tensor tokens = at::randint(kVocabulary, {2, 1, 1, TextSource().length}, at::kLong);
    const at::Tensor logits = network(tokens);
    QVERIFY(logits.isfinite().all().item<bool>());
    QVERIFY(at::equal(loaded.network(tokens), logits));
  }

  void aNetworkOfTheSameShapeTakesIt() {
    const Network network = drawnNetwork();
    const RunConfig config = runOf(rwkvOf(kBlocks, 5));
    const ImportReport report =
        importWeights({.weights = write(published(network)), .network = config, .out = out()});
    QVERIFY(report.architecture == config.architecture);
    const LoadedNetwork loaded = loadNetwork(out(), at::kCPU);
    const Tensors before = stateOf(*network), after = stateOf(*loaded.network);
    QCOMPARE(after.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      QVERIFY2(at::equal(before[i].tensor, after[i].tensor), before[i].name.c_str());
    }
  }

  void aNetworkOfAnotherShapeIsRefused() {
    const fs::path path = write(published(drawnNetwork()));
    const auto refusal = [&](const Architecture& architecture) {
      return refusalOf({.weights = path, .network = runOf(architecture), .out = out()});
    };
    const std::string shallow = refusal(rwkvOf(kBlocks - 1, 5));
    QVERIFY2(shallow.find("blocks.2.") != std::string::npos, shallow.c_str());
    const std::string deep = refusal(rwkvOf(kBlocks + 1, 5));
    QVERIFY2(deep.find("stage1.block4.") != std::string::npos, deep.c_str());
    Architecture other = rwkvOf(kBlocks, 5);
    other.outputs = 12;
    const std::string vocabulary = refusal(other);
    QVERIFY2(vocabulary.find("emb.weight (shape [11, 8] instead of [12, 8])") != std::string::npos,
             vocabulary.c_str());
    other = rwkvOf(kBlocks, 5);
    other.head.bias = true;
    const std::string biased = refusal(other);
    QVERIFY2(biased.find("head.bias") != std::string::npos, biased.c_str());
    QVERIFY(!fs::exists(out()));
  }

  void aRunStartsFromIt() {
    RunConfig config = runOf(rwkvOf(kBlocks, 5));
    config.start.weights = write(published(drawnNetwork())).string();
    const WeightTransfer transfer = previewStart(config, {});
    QVERIFY2(transfer.left.empty() && transfer.missing.empty(), transfer.summary().c_str());
  }

  void whatDoesNotFitIsNamed_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<std::string>("reason");
    const auto row = [](const char* name, const Change& change, const std::string& reason) {
      QTest::newRow(name) << change << reason;
    };
    row("first block missing",
        withoutAny("blocks.0."),
        "lacks the tensor blocks.0.ffn.key.weight of");
    row("block missing", withoutAny("blocks.1."), "lacks the tensor blocks.1.ln1.weight of");
    row("tensor missing",
        withoutAny("blocks.1.att.time_first"),
        "lacks the tensor blocks.1.att.time_first of");
    row("gap", renamed("blocks.2.", "blocks.7."), "lacks the tensor blocks.2.ln1.weight of");
    row("huge number",
        renamed("blocks.2.", "blocks.99999999999999999999."),
        "lacks the tensor blocks.2.ln1.weight of");
    row("thousands of blocks", addThousandsOfBlocks, "has 5000 blocks, and at most 4096 are read");
    row("of a later version",
        withMore("blocks.0.att.gate.weight", at::zeros({kWidth, kWidth})),
        "has the tensor blocks.0.att.gate.weight, which an RWKV-4 network does not have");
    row("head",
        replaced("head.weight", at::zeros({11, 7})),
        "tensor head.weight is [11, 7], and RWKV-4 has here [11, 8]");
    row("transposed",
        replaced("blocks.1.ffn.value.weight", at::zeros({32, 8})),
        "tensor blocks.1.ffn.value.weight is [32, 8], and RWKV-4 has here [8, 32]");
    row("share",
        replaced("blocks.1.att.time_mix_k", at::zeros({1, 1, 7})),
        "tensor blocks.1.att.time_mix_k is [1, 1, 7], and RWKV-4 has here [1, 1, 8]");
    row("channel mixing",
        replaced("blocks.0.ffn.key.weight", at::zeros({33, 8})),
        "a first size that is a multiple of the width, 8");
    row("without channels", replaced("emb.weight", at::zeros({11, 0})), "two sizes from 1 to");
    row("endless channels",
        replaced("emb.weight", at::zeros({0, std::int64_t{1} << 40})),
        "tensor emb.weight is [0, 1099511627776], and RWKV-4 has here two sizes from 1 to");
    row("vector of tokens", replaced("emb.weight", at::zeros({11})), "two sizes from 1 to");
    row("huge vocabulary", makeVocabularyHuge, "it can't be built");
    row("whole numbers",
        replaced("ln_out.bias", at::zeros({kWidth}, at::kLong)),
        "tensor ln_out.bias has the type I64");
    row("not a number",
        replaced("ln_out.bias", at::full({kWidth}, NAN)),
        "tensor ln_out.bias has values that are not finite");
  }

  void whatDoesNotFitIsNamed() {
    QFETCH(Change, change);
    QFETCH(std::string, reason);
    Tensors tensors = published(drawnNetwork());
    change(tensors);
    const std::string text = refusalOf({.weights = write(tensors), .out = out()});
    QVERIFY2(text.find(reason) != std::string::npos, text.c_str());
    QVERIFY(!fs::exists(out()));
  }

  void whatImagesHaveIsRefused() {
    ImportJob job{.weights = write(published(drawnNetwork())), .out = out()};
    job.normalization = {{0.5}, {0.5}};
    const std::string normalised = refusalOf(job);
    QVERIFY2(normalised.find("they are for images") != std::string::npos, normalised.c_str());
    job.normalization = {};
    job.classNames = {"a", "b"};
    const std::string named = refusalOf(job);
    QVERIFY2(named.find("they are for images") != std::string::npos, named.c_str());
  }

  void theTokenizerOfAnotherNetworkIsRefused() {
    ImportJob job{.weights = write(published(drawnNetwork())), .out = out()};
    job.tokenizer = LAMBDA_TEST_DATA "/tokenizer/small.json";
    const std::string large = refusalOf(job);
    QVERIFY2(
        large.find("has tokens up to 424, and those of the network end at 10") != std::string::npos,
        large.c_str());
    job.tokenizer = job.weights;
    QVERIFY(!refusalOf(job).empty());
    job.tokenizer = folder_.path() / "none.json";
    const std::string missing = refusalOf(job);
    QVERIFY2(missing.find("none.json") != std::string::npos, missing.c_str());
    QVERIFY(!fs::exists(out()));
  }

  /// Its channel mixings have weights below 1e-6, so that they say nothing about those.
  void aPublishedNetworkGivesItsLogits() {
    const char* place = std::getenv("LAMBDA_RWKV");
    if (place == nullptr) QSKIP("LAMBDA_RWKV does not name the folder of a published network");
    const fs::path folder = place;
    const RwkvFile file = readRwkvFile(folder / "tiny-rwkv-4v0-660K-FP32.bin");
    Tensors tensors;
    for (const auto& [name, tensor] : file.tensors) tensors.push_back({name, tensor});
    importWeights({.weights = write(tensors), .out = out()});
    at::Tensor tokens = at::zeros({1, 1, 1, TextSource().length}, at::kLong);
    const std::string text = "\"in";
    for (std::size_t i = 0; i < text.size(); ++i) {
      tokens[0][0][0][static_cast<std::int64_t>(i)] = static_cast<std::int64_t>(text[i]);
    }
    const std::string expected = bytesOfFile(folder / "expected-logits-4v0-660K.bin");
    QCOMPARE(expected.size(), static_cast<std::size_t>(file.vocabulary) * sizeof(float));
    at::Tensor logits = at::empty({file.vocabulary});
    std::memcpy(logits.mutable_data_ptr<float>(), expected.data(), expected.size());
    const at::NoGradGuard noGradients;
    LoadedNetwork loaded = loadNetwork(out(), at::kCPU);
    VERIFY_CLOSE(loaded.network(tokens)[0][2], logits, 1e-5, 0);
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestImportRwkv)
#include "tst_import_rwkv.moc"
