#include <algorithm>
#include <map>
#include <string>

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include <protozero/pbf_message.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/onnx/onnx_model.h"
#include "engine/networks/growing_sequence.h"
#include "engine/runtime/error.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "engine/values/architecture/cost.h"
#include "tests/support/exported_networks.h"
#include "tests/support/mixer_variants.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_python.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// The tensors of a network as they are read from a file.
SafeTensors weightsOf(Network& network, const std::filesystem::path& folder) {
  saveTensors(folder / "weights.safetensors", stateOf(*network), {{"format", "pt"}});
  return readSafeTensors(folder / "weights.safetensors");
}

OnnxDetails detailsOf(const Architecture& architecture) {
  return {.input = descriptionOf(architecture).header.input,
          .programVersion = "1.2.3",
          .metadata = {{"license", "CC0"}}};
}

/// What the model takes: the tokens, or the pixels of normalised images.
NamedTensor modelInputOf(const at::Tensor& input) {
  if (!input.is_floating_point()) return {"tokens", input};
  return {"images", input * 0.25 + 0.5};
}

constexpr std::int64_t kSteps = 30;  ///< Twice the length of the networks of sequences.

/// Every mixer that can be causal, with every option, and networks of several kinds.
std::vector<std::pair<std::string, Architecture>> networksOfTokens() {
  std::vector<std::pair<std::string, Architecture>> all = sequenceArchitectures();
  for (const auto& [name, mixer] : causalMixerVariants()) {
    all.emplace_back(name, sequenceOf(mixer, ChannelMixing::rwkv));
  }
  for (const auto& [name, mixer] : causalMixerVariants()) {
    const auto size = SequenceSize{.length = 1};
    all.emplace_back(name + ", for one token", sequenceOf(mixer, ChannelMixing::mlp, size));
  }
  return all;
}

/// Lowers all keys of all mixers by a constant below that of which e^x is 0. A softmax does not see
/// it. The first channel of the mixers' inputs becomes 1 at all positions for this.
void lowerKeys(Network& network) {
  const at::NoGradGuard noGradients;
  for (const auto& parameter : network->named_parameters()) {
    const std::string& name = parameter.key();
    const at::Tensor& value = parameter.value();
    if (name.ends_with("mixerNorm.weight")) value.select(0, 0).fill_(0);
    if (name.ends_with("mixerNorm.bias")) value.select(0, 0).fill_(1);
    if (name.ends_with("mixer.layer.time_mix_k")) value.select(0, 0).fill_(1);
    if (name.ends_with("mixer.layer.key.weight") || name.ends_with("mixer.layer.keys.weight")) {
      value.select(1, 0).sub_(120);
    }
  }
}

/// The logits [N, n, vocabulary] of sequences of tokens [N, n] that grow by one token after the
/// other: up to the network's length those of the whole sequences.
at::Tensor logitsOfSteps(Network& network, const at::Tensor& tokens) {
  std::vector<at::Tensor> sequences;
  for (const at::Tensor& each : tokens.unbind()) {
    GrowingSequence sequence(network);
    std::vector<at::Tensor> steps;
    for (std::int64_t i = 0; i < each.size(0); ++i) {
      const auto token = each[i].item<std::int64_t>();
      steps.push_back(sequence.append(std::span(&token, 1)));
    }
    sequences.push_back(at::stack(steps));
  }
  const at::NoGradGuard noGradients;
  const std::int64_t length = network->architecture.input.width;
  const at::Tensor whole = network(tokens.narrow(1, 0, length).unsqueeze(1).unsqueeze(1));
  return at::cat({whole, at::stack(sequences).slice(1, length)}, 1);
}

/// What the names of the values in a model say of its layers: the shape of each without the batch.
std::string shapesText(const Architecture& architecture) {
  std::string text;
  for (const LayerCost& layer : costOf(architecture).layers) {
    text += layer.name + ' ' + std::to_string(layer.output.channels) + ' ' +
            std::to_string(layer.output.height) + ' ' + std::to_string(layer.output.width) + '\n';
  }
  return text;
}

}  // namespace

/// Compares exported models with the networks of this build, by the official checker and run time.
class TestOnnx : public QObject {
  Q_OBJECT

 private:
  TestPython python_;

 private Q_SLOTS:

  void initTestCase() { at::manual_seed(29); }

  void weightsThatDoNotFitAreNamed() {
    const TemporaryFolder folder;
    const Architecture architecture = tinyRun().architecture;
    Network network(architecture);
    SafeTensors weights = weightsOf(network, folder.path());
    const auto refusal = [&](const SafeTensors& given, const OnnxDetails& details) -> std::string {
      try {
        encodeOnnx(architecture, given, details);
        return {};
      } catch (const Error& error) {
        return error.what();
      }
    };
    const OnnxDetails details = detailsOf(architecture);
    QCOMPARE(refusal(weights, details), std::string());
    QVERIFY(refusal(weights, {}).find("normalised") != std::string::npos);
    const auto head = [](SafeTensors& file) {
      return std::ranges::find(file.tensors, "head.weight", &TensorView::name);
    };
    SafeTensors other = weights;
    other.tensors.erase(head(other));
    QVERIFY(refusal(other, details).find("head.weight is missing") != std::string::npos);
    other = weights;
    head(other)->shape = {16, 10};
    QVERIFY(refusal(other, details).find("head.weight is F32 [16, 10]") != std::string::npos);
  }

  void aNetworkOfTokensHasNoNormalisation() {
    const TemporaryFolder folder;
    const Architecture architecture = sequenceArchitectures().front().second;
    Network network(architecture);
    const SafeTensors weights = weightsOf(network, folder.path());
    QVERIFY(!encodeOnnx(architecture, weights, {}).empty());
  }

  void theModelNamesItsVersions() {
    const TemporaryFolder folder;
    const Architecture architecture = tinyRun().architecture;
    Network network(architecture);
    const std::string bytes =
        encodeOnnx(architecture, weightsOf(network, folder.path()), detailsOf(architecture));
    std::map<protozero::pbf_tag_type, std::string> texts;
    std::int64_t irVersion = 0, operators = 0;
    protozero::pbf_reader model(bytes);
    while (model.next()) {
      if (model.tag() == 1) {
        irVersion = model.get_int64();
      } else if (model.tag() == 2 || model.tag() == 3) {
        const auto tag = model.tag();
        texts[tag] = model.get_string();
      } else if (model.tag() == 8) {
        protozero::pbf_reader opset = model.get_message();
        while (opset.next()) {
          if (opset.tag() == 2) {
            operators = opset.get_int64();
          } else {
            opset.skip();
          }
        }
      } else {
        model.skip();
      }
    }
    QCOMPARE(irVersion, std::int64_t{8});
    QCOMPARE(operators, std::int64_t{17});
    QCOMPARE(texts[2], std::string("Lambda Studio"));
    QCOMPARE(texts[3], std::string("1.2.3"));
  }

  void itsLogitsAreThoseOfTheNetwork() {
    const QString missing = python_.missing({u"onnx"_s, u"onnxruntime"_s, u"numpy"_s});
    if (!missing.isEmpty()) QSKIP(qPrintable(missing));
    const TemporaryFolder folder;
    std::map<std::string, double> limits;
    for (const auto& [name, architecture] : exportedNetworks()) {
      const at::Tensor images = inputFor(architecture);
      Network network = trainedNetwork(architecture, images);
      writeFileDurably(
          folder.path() / (name + ".onnx"),
          encodeOnnx(architecture, weightsOf(network, folder.path()), detailsOf(architecture)));
      writeFileDurably(folder.path() / (name + ".shapes"), shapesText(architecture));
      const ExpectedLogits expected = expectedLogits(network, images);
      saveTensors(folder.path() / (name + ".io.safetensors"),
                  {modelInputOf(images), {"logits", expected.logits}},
                  {{"format", "pt"}});
      limits[name] = std::max(1e-4, kRoundings * expected.rounding);
    }
    const PythonOutcome outcome = python_.run("check_onnx.py", {folder.path()});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QCOMPARE(beyondLimits(outcome.output, limits), std::string());
  }

  void itsStepsAreThoseOfASequenceThatGrows() {
    const QString missing = python_.missing({u"onnx"_s, u"onnxruntime"_s, u"numpy"_s});
    if (!missing.isEmpty()) QSKIP(qPrintable(missing));
    const TemporaryFolder folder;
    std::map<std::string, double> limits;
    const auto add = [&](const std::string& name, Network& network) {
      Architecture architecture = network->architecture;
      const at::Tensor tokens = at::randint(architecture.outputs, {2, kSteps}, at::kLong);
      writeFileDurably(
          folder.path() / (name + ".onnx"),
          encodeOnnxStep(architecture, weightsOf(network, folder.path()), detailsOf(architecture)));
      saveTensors(folder.path() / (name + ".io.safetensors"),
                  {{"tokens", tokens}, {"logits", logitsOfSteps(network, tokens)}},
                  {{"format", "pt"}});
      architecture.input.width = 1;
      writeFileDurably(folder.path() / (name + ".shapes"), shapesText(architecture));
      limits[name] = 1e-4;
    };
    for (const auto& [name, architecture] : networksOfTokens()) {
      Network network = trainedNetwork(architecture, inputFor(architecture));
      add(name, network);
    }
    for (const Mixer& mixer : {causalMixerVariants().front().second,
                               Mixer(LinearAttentionMixer{.heads = 2, .causal = true}),
                               Mixer(RwkvMixer{})}) {
      const Architecture architecture = sequenceOf(mixer, ChannelMixing::mlp);
      Network network = trainedNetwork(architecture, inputFor(architecture));
      lowerKeys(network);
      add(std::string(traitsOf(mixer).name) + ", low keys", network);
    }
    const PythonOutcome outcome = python_.run("check_onnx_step.py", {folder.path()});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QCOMPARE(beyondLimits(outcome.output, limits), std::string());
  }

  void aStepIsThatOfANetworkOfTokens() {
    const TemporaryFolder folder;
    const Architecture images = tinyRun().architecture;
    Network network(images);
    const SafeTensors weights = weightsOf(network, folder.path());
    QVERIFY_THROWS_EXCEPTION(Error, encodeOnnxStep(images, weights, detailsOf(images)));
    const Architecture all = sequenceOf(SelfAttentionMixer{.heads = 2}, ChannelMixing::mlp);
    Network sees(all);
    const SafeTensors others = weightsOf(sees, folder.path());
    QVERIFY_THROWS_EXCEPTION(Error, encodeOnnxStep(all, others, {}));
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestOnnx)
#include "tst_onnx.moc"
