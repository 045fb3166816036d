#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/formats/inspection/inspection_files.h"
#include "engine/layers/attention/axial_attention.h"
#include "engine/networks/inspection/inspect_network.h"
#include "engine/values/config/kinds.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

constexpr int kHeight = 5;
constexpr int kWidth = 6;

Mixer mixerWithTwoHeads(std::size_t kind) {
  Mixer mixer = valueOfKind<Mixer>(kind);
  std::visit(
      [](auto& options) {
        if constexpr (requires { options.heads; }) options.heads = 2;
        if constexpr (requires { options.scope; }) options.scope = 3;
      },
      mixer);
  return mixer;
}

/// A convolution, then a block with the mixer, on maps of the size of the image.
Architecture networkWith(const Mixer& mixer) {
  Architecture architecture;
  architecture.input = {3, kHeight, kWidth};
  architecture.outputs = 4;
  architecture.family = Family::bottleneck;
  architecture.zeroInitResidual = false;
  architecture.stem.width = 6;
  Block block;
  block.mixer = mixer;
  architecture.stages = {{8, 1, {Block{}, block}}};
  return architecture;
}

InspectionSnapshot inspect(Network& network, const at::Tensor& image, int row, int column) {
  return inspectNetwork(network, image, {.queryRow = row, .queryColumn = column}, {});
}

at::Tensor tensorOf(const Array& array) {
  return at::tensor(array.values).reshape(array.shape);
}

}  // namespace

/// Inspection of the layers that have weights of positions but no lambdas.
class TestAttentionInspection : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(5); }

  void weightsOfAQueryAddUpToOne_data() { addKinds(InspectedAs::attention); }

  void weightsOfAQueryAddUpToOne() {
    QFETCH(std::size_t, kind);
    Network network(networkWith(mixerWithTwoHeads(kind)));
    const at::Tensor image = at::randn({1, 3, kHeight, kWidth});
    const InspectionSnapshot middle = inspect(network, image, -1, -1);
    const int heads = middle.layer.heads;
    QCOMPARE(middle.layer.name, std::string("stage1.block2.mixer"));
    QCOMPARE(middle.layer.kind, kind);
    QCOMPARE(middle.queryRow, kHeight / 2);
    const at::Tensor weights = tensorOf(middle.contributions.total);
    QVERIFY(weights.sizes() == at::IntArrayRef({heads, 1, kHeight, kWidth}));
    VERIFY_CLOSE(weights.sum({1, 2, 3}), at::ones({heads}), 1e-5, 1e-5);
    QVERIFY(middle.contributions.content.empty() && middle.lambdas.total.empty());
    const InspectionSnapshot corner = inspect(network, image, 0, 0);
    QVERIFY(corner.contributions.total.values != middle.contributions.total.values);
  }

  void weightedValuesAddUpToTheOutput_data() { addKinds(InspectedAs::attention); }

  void weightedValuesAddUpToTheOutput() {
    QFETCH(std::size_t, kind);
    Network network(networkWith(mixerWithTwoHeads(kind)));
    const at::Tensor image = at::randn({1, 3, kHeight, kWidth});
    for (int row = 0; row < kHeight; ++row) {
      const InspectionSnapshot snapshot = inspect(network, image, row, row);
      if (kind == mixerKindOf<AxialAttentionMixer>()) {
        QVERIFY(snapshot.effect.empty());
        continue;
      }
      QVERIFY(snapshot.effect.shape ==
              std::vector<std::int64_t>({snapshot.layer.heads, kHeight, kWidth}));
      QVERIFY2(snapshot.residual.relative < 1e-5,
               qPrintable(QString::number(snapshot.residual.relative)));
    }
  }

  void axialWeightsAreThoseOfTheWholeLayer() {
    // With one head and values that are the input, the layer is the product of both matrices.
    AxialAttention layer(AttentionOptions{4, 4, 1, kHeight, kWidth}, true);
    const at::NoGradGuard noGradient;
    const at::Tensor identity = at::eye(4).view({4, 4, 1, 1});
    layer->rows->values->weight.copy_(identity);
    layer->columns->values->weight.copy_(identity);
    const at::Tensor x = at::randn({1, 4, kHeight, kWidth});
    const at::Tensor expected = at::matmul(layer->weights(x), toHeads(x, 1));
    VERIFY_CLOSE(toHeads(layer(x), 1), expected, 1e-5, 1e-5);
  }

  void gatesAreOneMapForEveryQuery() {
    Network network(networkWith(SpatialAttentionMixer{}));
    const at::Tensor image = at::randn({1, 3, kHeight, kWidth});
    const InspectionSnapshot corner = inspect(network, image, 0, 0);
    QVERIFY(corner.contributions.total.shape == std::vector<std::int64_t>({1, 1, kHeight, kWidth}));
    for (const float gate : corner.contributions.total.values) QVERIFY(gate > 0 && gate < 1);
    QCOMPARE(inspect(network, image, 2, 3).contributions.total, corner.contributions.total);
  }

  void aNetworkOfAllKindsListsThoseThatCanBeInspected() {
    Architecture architecture = networkWith(LambdaMixer{});
    architecture.stages[0].blocks.clear();
    std::vector<std::string> expected;
    for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
      Block block;
      block.mixer = mixerWithTwoHeads(kind);
      architecture.stages[0].blocks.push_back(block);
      if (kMixerTraits[kind].inspectedAs == InspectedAs::nothing) continue;
      expected.push_back("stage1.block" + std::to_string(kind + 1) + ".mixer");
    }
    std::vector<std::string> names;
    for (const InspectableLayer& layer : inspectableLayers(architecture)) {
      names.push_back(layer.name);
    }
    QCOMPARE(names, expected);
    Network network(architecture);
    const at::Tensor image = at::randn({1, 3, kHeight, kWidth});
    for (const std::string& name : names) {
      const InspectionSnapshot snapshot = inspectNetwork(network, image, {.layer = name}, {});
      QCOMPARE(snapshot.layer.name, name);
      QVERIFY(!snapshot.contributions.total.empty());
    }
  }

  void filesHoldWhatThereIs_data() { addKinds(InspectedAs::attention); }

  void filesHoldWhatThereIs() {
    QFETCH(std::size_t, kind);
    Network network(networkWith(mixerWithTwoHeads(kind)));
    const at::Tensor image = at::randn({1, 3, kHeight, kWidth});
    const TemporaryFolder folder;
    const auto files = writeInspection(folder.path(), inspect(network, image, 1, 1));
    const auto has = [&](const char* name) {
      return std::ranges::find(files, std::string(name)) != files.end();
    };
    QVERIFY(has("contribution-total.png") && has("contribution-total.npy"));
    QVERIFY(has("summary.json") && !has("lambda-total.png") && !has("singular-values.csv"));
  }

 private:
  static void addKinds(InspectedAs shown) {
    QTest::addColumn<std::size_t>("kind");
    for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
      if (kMixerTraits[kind].inspectedAs != shown) continue;
      QTest::newRow(std::string(kMixerTraits[kind].kind).c_str()) << kind;
    }
  }
};

}  // namespace lambda::test

QTEST_APPLESS_MAIN(lambda::test::TestAttentionInspection)
#include "tst_attention_inspection.moc"
