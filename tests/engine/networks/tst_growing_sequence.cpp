#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/networks/growing_sequence.h"
#include "engine/runtime/error.h"
#include "engine/values/config/validate.h"
#include "tests/support/mixer_variants.h"
#include "tests/support/odd_architectures.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

constexpr int kLength = 13;  // Of the networks.
constexpr int kLonger = 40;  // Tokens of a sequence beyond it.
constexpr int kVocabulary = SequenceSize().vocabulary;

Architecture networkOf(const Mixer& mixer,
                       ChannelMixing mixing,
                       int length = kLength,
                       std::size_t blocks = 2) {
  return sequenceOf(mixer, mixing, {.length = length, .blocks = blocks});
}

/// Fills all parameters with numbers of the size that trained ones have.
void disturb(Network& network) {
  const at::NoGradGuard noGradients;
  for (at::Tensor& parameter : network->parameters()) parameter.normal_(0.1, 0.4);
}

Network disturbedNetwork(const Architecture& architecture, at::ScalarType type) {
  Network network(architecture);
  disturb(network);
  network->to(type);
  network->eval();
  return network;
}

std::vector<std::int64_t> drawnTokens(std::size_t count, int vocabulary = kVocabulary) {
  const at::Tensor drawn = at::randint(vocabulary, {static_cast<std::int64_t>(count)}, at::kLong);
  const auto* first = drawn.const_data_ptr<std::int64_t>();
  return {first, first + count};
}

/// The logits [n, vocabulary] of the network for as many tokens as it takes.
at::Tensor wholeOf(Network& network, std::span<const std::int64_t> tokens) {
  const at::NoGradGuard noGradients;
  const at::Tensor x = at::tensor(at::ArrayRef<std::int64_t>(tokens.data(), tokens.size()));
  return network(x.view({1, 1, 1, -1}))[0].to(at::kFloat);
}

/// The logits [pieces, vocabulary] after each piece of that many tokens; the last size repeats.
at::Tensor afterPieces(GrowingSequence& sequence,
                       std::span<const std::int64_t> tokens,
                       std::vector<std::size_t> sizes,
                       std::vector<std::int64_t>& ends) {
  std::vector<at::Tensor> logits;
  for (std::size_t i = 0; !tokens.empty(); ++i) {
    const std::size_t size = std::min(sizes[std::min(i, sizes.size() - 1)], tokens.size());
    logits.push_back(sequence.append(tokens.first(size)));
    ends.push_back(sequence.length() - 1);
    tokens = tokens.subspan(size);
  }
  return at::stack(logits);
}

/// Describes where a sequence in pieces differs from the logits of the whole; empty if nowhere.
std::string pieceDifference(const Network& network,
                            std::span<const std::int64_t> tokens,
                            const at::Tensor& whole) {
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{1}, {3, 1, 5, 2}, {tokens.size() - 1, 1}}) {
    GrowingSequence sequence(network);
    std::vector<std::int64_t> ends;
    const at::Tensor logits = afterPieces(sequence, tokens, sizes, ends);
    const std::string difference =
        differenceOf(logits, whole.index_select(0, at::tensor(ends)), 1e-5, 1e-5);
    if (!difference.empty()) {
      return "pieces of " + std::to_string(sizes.front()) + ": " + difference;
    }
  }
  return {};
}

/// Gives the parameters of one network to another one for longer sequences. A global table becomes
/// the middle row of a local one of the same reach.
void copyParameters(const Network& from, Network& to) {
  const at::NoGradGuard noGradients;
  const auto parameters = from->named_parameters();
  for (auto& each : to->named_parameters()) {
    const at::Tensor& source = parameters[each.key()];
    at::Tensor target = each.value();
    if (target.sizes() != source.sizes()) {
      const std::int64_t side = source.size(0);
      TORCH_CHECK(target.size(0) == side * side);
      target = target.narrow(0, side / 2 * side, side);
    }
    target.copy_(source);
  }
}

/// The mixer by which a network for longer sequences sees what a growing sequence sees.
Mixer withLocalPositions(Mixer mixer) {
  if (auto* lambda = std::get_if<LambdaMixer>(&mixer);
      lambda != nullptr && lambda->embedding == PositionEmbedding::relative && lambda->scope == 0) {
    lambda->scope = 2 * kLength - 1;
  }
  return mixer;
}

/// Whether a network for longer sequences can see what a growing sequence sees: not where a window
/// of the network's length passes over the sequence in each layer.
bool hasLongerNetwork(const Mixer& mixer) {
  const auto* lambda = std::get_if<LambdaMixer>(&mixer);
  return !std::holds_alternative<SelfAttentionMixer>(mixer) &&
         (lambda == nullptr || lambda->embedding != PositionEmbedding::absolute);
}

/// Whether a layer sees nothing but what stands in a window of the network's length.
bool seesOnlyAWindow(const Mixer& mixer) {
  const auto* lambda = std::get_if<LambdaMixer>(&mixer);
  return std::holds_alternative<SelfAttentionMixer>(mixer) ||
         (lambda != nullptr && !lambda->content);
}

bool hasKeys(const Mixer& mixer) {
  const auto* lambda = std::get_if<LambdaMixer>(&mixer);
  return !std::holds_alternative<DepthwiseConvolutionMixer>(mixer) &&
         (lambda == nullptr || lambda->content);
}

constexpr ChannelMixing kChannelMixings[] = {ChannelMixing::mlp, ChannelMixing::rwkv};

}  // namespace

/// Tests that a network of tokens reads a sequence in pieces as it reads the whole.
class TestGrowingSequence : public QObject {
  Q_OBJECT

 private:
  static bool isAny(const Mixer& /*mixer*/) { return true; }

  /// Adds rows for the variants that fit.
  static void addVariants(bool (*fits)(const Mixer&) = isAny) {
    QTest::addColumn<int>("index");
    QTest::addColumn<at::ScalarType>("type");
    const auto variants = causalMixerVariants();
    for (std::size_t i = 0; i < variants.size(); ++i) {
      if (!fits(variants[i].second)) continue;
      for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        const std::string name = variants[i].first + (type == at::kFloat ? "" : ", float64");
        QTest::newRow(name.c_str()) << static_cast<int>(i) << type;
      }
    }
  }

  static Mixer currentMixer() {
    QFETCH(int, index);
    return causalMixerVariants()[static_cast<std::size_t>(index)].second;
  }

  static at::ScalarType currentType() {
    QFETCH(at::ScalarType, type);
    return type;
  }

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(9); }

  void everyKindThatCanBeCausalIsTested() {
    std::set<std::size_t> tested;
    for (const auto& [name, mixer] : causalMixerVariants()) {
      QVERIFY2(isCausal(mixer), name.c_str());
      tested.insert(mixer.index());
    }
    const auto count = []<std::size_t... I>(std::index_sequence<I...>) {
      const auto canBe = []<class M>(const M& mixer) {
        return requires {
          mixer.causal;
        }
        || requires {
          mixer.mask;
        }
        || TraitsOf<M>::value.isCausal;
      };
      return (std::size_t{0} + ... + std::size_t{canBe(std::variant_alternative_t<I, Mixer>())});
    }
    (std::make_index_sequence<kMixerKindCount>());
    QCOMPARE(tested.size(), count);
  }

  void piecesGiveTheLogitsOfTheWhole_data() { addVariants(); }

  void piecesGiveTheLogitsOfTheWhole() {
    for (const ChannelMixing mixing : kChannelMixings) {
      const Architecture architecture = networkOf(currentMixer(), mixing);
      QVERIFY(!hasErrors(validate(architecture)));
      Network network = disturbedNetwork(architecture, currentType());
      const std::vector<std::int64_t> tokens = drawnTokens(kLength);
      const std::string difference = pieceDifference(network, tokens, wholeOf(network, tokens));
      QVERIFY2(difference.empty(), difference.c_str());
    }
  }

  void networksOfSeveralKindsReadInPieces() {
    for (const auto& [name, architecture] : sequenceArchitectures()) {
      Network network = disturbedNetwork(architecture, at::kFloat);
      const std::vector<std::int64_t> tokens =
          drawnTokens(static_cast<std::size_t>(architecture.input.width), architecture.outputs);
      const std::string difference = pieceDifference(network, tokens, wholeOf(network, tokens));
      QVERIFY2(difference.empty(), (name + ": " + difference).c_str());
    }
  }

  void beyondTheLengthOfTheNetworkItReadsOn_data() { addVariants(hasLongerNetwork); }

  void beyondTheLengthOfTheNetworkItReadsOn() {
    const Mixer mixer = currentMixer();
    for (const ChannelMixing mixing : kChannelMixings) {
      const Network network = disturbedNetwork(networkOf(mixer, mixing), currentType());
      Network longer =
          disturbedNetwork(networkOf(withLocalPositions(mixer), mixing, kLonger), currentType());
      copyParameters(network, longer);
      const std::vector<std::int64_t> tokens = drawnTokens(kLonger);
      const std::string difference = pieceDifference(network, tokens, wholeOf(longer, tokens));
      QVERIFY2(difference.empty(), difference.c_str());
    }
  }

  void aLayerOfAWindowForgetsWhatLeavesIt_data() { addVariants(seesOnlyAWindow); }

  void aLayerOfAWindowForgetsWhatLeavesIt() {
    Network network = disturbedNetwork(
        networkOf(currentMixer(), ChannelMixing::mlp, kLength, /*blocks=*/1), currentType());
    const std::vector<std::int64_t> tokens = drawnTokens(kLonger);
    std::vector<at::Tensor> lasts;
    for (std::size_t end = 1; end <= tokens.size(); ++end) {
      // What stands behind the last token does not matter.
      std::vector<std::int64_t> window(kLength, 0);
      const std::size_t seen = std::min<std::size_t>(end, kLength);
      std::copy_n(tokens.begin() + static_cast<std::ptrdiff_t>(end - seen), seen, window.begin());
      lasts.push_back(wholeOf(network, window)[static_cast<std::int64_t>(seen) - 1]);
    }
    const std::string difference = pieceDifference(network, tokens, at::stack(lasts));
    QVERIFY2(difference.empty(), difference.c_str());
  }

  void whatIsKeptGrowsNoMoreBeyondTheLength_data() { addVariants(); }

  void whatIsKeptGrowsNoMoreBeyondTheLength() {
    for (const ChannelMixing mixing : kChannelMixings) {
      GrowingSequence sequence(disturbedNetwork(networkOf(currentMixer(), mixing), currentType()));
      QCOMPARE(sequence.stateBytes(), 0);
      sequence.append(drawnTokens(kLength));
      const std::int64_t bytes = sequence.stateBytes();
      for (const std::size_t count : {1, 2, 100, 1}) {
        sequence.append(drawnTokens(count));
        QCOMPARE(sequence.stateBytes(), bytes);
      }
      QCOMPARE(sequence.length(), kLength + 104);
    }
  }

  void softmaxSeesNoConstantOnAllKeys_data() { addVariants(hasKeys); }

  /// A channel of the layer's input is made 1 at all positions, so that it shifts all keys.
  void softmaxSeesNoConstantOnAllKeys() {
    const at::NoGradGuard noGradients;
    const Mixer mixer = currentMixer();
    Network network = disturbedNetwork(networkOf(mixer, ChannelMixing::mlp, kLength, /*blocks=*/1),
                                       currentType());
    auto parameters = network->named_parameters();
    const std::string block = "stage1.block1.", layer = block + "mixer.layer.";
    const auto setTo = [&](const std::string& name, double value) {
      if (at::Tensor* parameter = parameters.find(name)) parameter->select(0, 0).fill_(value);
    };
    setTo(block + "mixerNorm.weight", 0);
    setTo(block + "mixerNorm.bias", 1);
    setTo(layer + "time_mix_k", 1);
    const bool isRwkv = std::holds_alternative<RwkvMixer>(mixer);
    at::Tensor weight = parameters[layer + (isRwkv ? "key.weight" : "keys.weight")];
    const std::vector<std::int64_t> tokens = drawnTokens(kLonger);
    std::vector<std::int64_t> ends;
    GrowingSequence sequence(network);
    const at::Tensor logits = afterPieces(sequence, tokens, {1, 4, 1}, ends);
    const auto* lambda = std::get_if<LambdaMixer>(&mixer);
    const auto* linear = std::get_if<LinearAttentionMixer>(&mixer);
    const bool isSeen =
        (lambda != nullptr && lambda->keyNormalization != KeyNormalization::softmax) ||
        (linear != nullptr && linear->featureMap != FeatureMap::softmax);
    const double size = currentType() == at::kFloat ? 16 : 512;  // Keys are rounded.
    for (const double constant : {-size, size}) {
      weight.select(1, 0).add_(constant);
      GrowingSequence shifted(network);
      const at::Tensor others = afterPieces(shifted, tokens, {1, 4, 1}, ends);
      weight.select(1, 0).sub_(constant);
      QCOMPARE(differenceOf(others, logits, 1e-4, 1e-4).empty(), !isSeen);
    }
  }

  void aTokenBeyondTheVocabularyIsRefused() {
    GrowingSequence sequence(
        disturbedNetwork(networkOf(RwkvMixer{}, ChannelMixing::rwkv), at::kFloat));
    const std::vector<std::int64_t> tokens{1, 2, 3};
    const at::Tensor logits = sequence.append(tokens);
    QVERIFY(logits.sizes() == at::IntArrayRef({kVocabulary}));
    QCOMPARE(logits.scalar_type(), at::kFloat);
    QVERIFY(!logits.requires_grad());
    for (const std::vector<std::int64_t>& wrong :
         {std::vector<std::int64_t>{}, {0, kVocabulary}, {0, -1}}) {
      QVERIFY_THROWS_EXCEPTION(Error, sequence.append(wrong));
      QCOMPARE(sequence.length(), 3);
    }
    sequence.append(tokens);
    QCOMPARE(sequence.length(), 6);
  }

  void networksThatCannotGrowAreRefused() {
    QVERIFY_THROWS_EXCEPTION(Error, GrowingSequence(Network(oddArchitectures().front().second)));
    QVERIFY_THROWS_EXCEPTION(
        Error,
        GrowingSequence(Network(networkOf(SelfAttentionMixer{.heads = 2}, ChannelMixing::mlp))));
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestGrowingSequence)
#include "tst_growing_sequence.moc"
