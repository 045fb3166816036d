#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/formats/json/presets.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/architecture/operations.h"

namespace lambda {

namespace {

constexpr int kHeight = 3, kWidth = 4, kInput = 6, kDepth = 8;
constexpr long long kPositions = kHeight * kWidth;
constexpr long long kProjection = kPositions * kInput * kDepth;

/// One block of that mixer from 6 to 8 channels on a map of 3x4 positions.
Architecture networkOf(const Mixer& mixer) {
  Architecture architecture;
  architecture.input = {3, kHeight, kWidth};
  architecture.family = Family::plain;
  architecture.stem.width = kInput;
  architecture.stages = {{kDepth, 1, {Block{mixer}}}};
  return architecture;
}

/// The operations of the mixer without those that every block adds.
std::vector<Operation> mixerOperationsOf(const Mixer& mixer) {
  std::vector<Operation> operations = operationsOfBlock(operationsOf(networkOf(mixer)), 0, 0);
  const auto norm = std::ranges::find(operations, "batch norm", &Operation::name);
  operations.erase(norm, operations.end());
  return operations;
}

long long sumOf(const std::vector<Operation>& operations, long long Operation::*number) {
  long long sum = 0;
  for (const Operation& operation : operations) sum += operation.*number;
  return sum;
}

/// ResNet-50 on ImageNet with that mixer in every block, by default in bottleneck blocks.
Architecture resnet50Of(const Mixer& mixer, Family family = Family::bottleneck) {
  std::vector<Problem> warnings;
  Architecture architecture = loadPreset("resnet50-imagenet", warnings).architecture;
  architecture.family = family;
  for (Stage& stage : architecture.stages) {
    for (Block& block : stage.blocks) block.mixer = mixer;
  }
  return architecture;
}

/// Memory of all attention weights of a batch of 128, in GiB.
double weightGibibytesOf(const Architecture& architecture) {
  double bytes = 0;
  for (const Operation& operation : operationsOf(architecture).operations) {
    if (operation.name == "attention weights") {
      bytes += static_cast<double>(operation.activationBytes);
    }
  }
  return 128 * bytes / (1 << 30);
}

}  // namespace

/// Tests the operations of the lambda layer's relatives against counts by hand.
class TestMixerCosts : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void operationsAreCountedByHand_data() {
    QTest::addColumn<Mixer>("mixer");
    QTest::addColumn<long long>("multiplyAdds");
    QTest::addColumn<long long>("parameters");
    const auto row =
        [](const char* name, const Mixer& mixer, long long multiplyAdds, long long parameters) {
          QTest::newRow(name) << mixer << multiplyAdds << parameters;
        };
    constexpr long long n = kPositions, d = kDepth, weights = 3 * kInput * kDepth;
    // Scores and sums for all pairs; the queries meet 3 row and 4 column embeddings.
    const long long global = 3 * kProjection + 2 * n * n * d;
    row("self-attention", SelfAttentionMixer{2}, global + n * d * 7, weights + (5 + 7) * 4);
    row("self-attention, content only", SelfAttentionMixer{2, false}, global, weights);
    // Windows of 3x3 count as a whole at the border; each half of the channels meets 3 embeddings.
    row("local attention",
        LocalAttentionMixer{2, 3},
        3 * kProjection + 2 * n * 9 * d + 2 * n * d / 2 * 3,
        weights + 2 * 3 * 4);
    row("local attention beyond the map",
        LocalAttentionMixer{4, 7},
        global + 2 * n * d / 2 * 7,
        weights + 2 * 7 * 4);
    // Rows from 6 to 8 channels, then columns from 8 to 8.
    const long long axial = 3 * kProjection + 3 * n * d * d + 2 * n * d * (3 + 4);
    row("axial attention",
        AxialAttentionMixer{2},
        axial + n * d * (3 + 4),
        weights + 3 * d * d + (5 + 7) * 4);
    row("axial attention, content only", AxialAttentionMixer{2, false}, axial, weights + 3 * d * d);
    // A 4x4 matrix for each of two heads, made and applied.
    const long long linear = 3 * kProjection + 2 * n * 2 * 4 * 4;
    row("linear attention, softmax", LinearAttentionMixer{2}, linear, weights);
    row("linear attention, elu", LinearAttentionMixer{2, FeatureMap::elu}, linear + n * d, weights);
    // 4 inner channels.
    row("non-local",
        NonLocalMixer{},
        3 * kProjection / 2 + 2 * n * n * 4 + n * 4 * d,
        weights / 2 + 4 * d);
    // Squeezed to 3 channels; then a 1x1 convolution.
    row("channel attention",
        SqueezeExcitationMixer{2},
        2 * 6 * 3 + kProjection,
        2 * 6 * 3 + 3 + 6 + kInput * kDepth);
    row("spatial attention",
        SpatialAttentionMixer{3},
        2 * 9 * n + kProjection,
        2 * 9 + 1 + kInput * kDepth);
    // Three mixtures of 6 channels, four matrices, five steps of the mean, and a gate.
    row("RWKV-4",
        RwkvMixer{},
        3 * n * kInput + 3 * kProjection + 5 * n * d + n * d + n * d * d,
        3 * kInput + weights + 2 * d + d * d);
    row("grouped convolution", ConvolutionMixer{3, 2}, n * d * 9 * kInput / 2, d * 9 * kInput / 2);
  }

  void operationsAreCountedByHand() {
    QFETCH(Mixer, mixer);
    QFETCH(long long, multiplyAdds);
    QFETCH(long long, parameters);
    const std::vector<Operation> operations = mixerOperationsOf(mixer);
    QCOMPARE(sumOf(operations, &Operation::flops), 2 * multiplyAdds);
    QCOMPARE(sumOf(operations, &Operation::parameters), parameters);
  }

  void keptNumbersAreCountedByHand_data() {
    QTest::addColumn<Mixer>("mixer");
    QTest::addColumn<long long>("numbers");
    constexpr long long n = kPositions, d = kDepth;
    QTest::newRow("self-attention") << Mixer(SelfAttentionMixer{2}) << 4 * n * d + 2 * n * n;
    QTest::newRow("local attention") << Mixer(LocalAttentionMixer{2, 3}) << 4 * n * d + 2 * n * n;
    QTest::newRow("local attention, small windows")
        << Mixer(LocalAttentionMixer{2, 1}) << 4 * n * d + 2 * n;
    QTest::newRow("axial attention")
        << Mixer(AxialAttentionMixer{2}) << 8 * n * d + 2 * n * (3 + 4);
    QTest::newRow("linear attention") << Mixer(LinearAttentionMixer{2}) << 6 * n * d + 2 * 4 * 4;
    QTest::newRow("non-local") << Mixer(NonLocalMixer{}) << 4 * n * 4 + n * n + n * d;
    QTest::newRow("RWKV-4") << Mixer(RwkvMixer{}) << 3 * n * kInput + 7 * n * d;
  }

  /// The results of all operations that the backward pass needs.
  void keptNumbersAreCountedByHand() {
    QFETCH(Mixer, mixer);
    QFETCH(long long, numbers);
    QCOMPARE(sumOf(mixerOperationsOf(mixer), &Operation::activationBytes), 4 * numbers);
  }

  /// Table 3: 18.0 million parameters with local attention of 7x7 positions in all blocks.
  void localAttentionHasThePapersParameters() {
    const NetworkCost cost = costOf(resnet50Of(LocalAttentionMixer{8, 7}));
    QCOMPARE(std::round(static_cast<double>(cost.parameters) / 1e5) / 10, 18.0);
  }

  /// RWKV-4-Pile-430M, by the sizes that "How the RWKV language model works" gives.
  void rwkvHasThePublishedParameters() {
    Block block{RwkvMixer{}};
    block.channelMixing = ChannelMixing::rwkv;
    block.expansion = 4;
    Architecture architecture;
    architecture.input = {1, 1, 1024};
    architecture.task = Task::tokens;
    architecture.outputs = 50277;
    architecture.family = Family::sequence;
    architecture.stem = {EmbeddingStem{}, 1024};
    architecture.stages = {{1024, 1, std::vector<Block>(24, block)}};
    architecture.head.bias = false;
    QCOMPARE(costOf(architecture).parameters, 430'397'440LL);
  }

  /// Table 4: 120 and 4.8 GB, if every mixer works on its stage's map, as in basic blocks.
  void attentionTakesThePapersMemory() {
    const double global = weightGibibytesOf(resnet50Of(SelfAttentionMixer{}, Family::basic));
    QVERIFY2(std::abs(global - 120) < 5, std::to_string(global).c_str());
    const double axial = weightGibibytesOf(resnet50Of(AxialAttentionMixer{}, Family::basic));
    QVERIFY2(std::abs(axial - 4.8) < 0.05, std::to_string(axial).c_str());
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestMixerCosts)
#include "tst_mixer_costs.moc"
