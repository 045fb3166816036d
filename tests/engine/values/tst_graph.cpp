#include <algorithm>
#include <string>
#include <vector>

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest/QtTest>

#include "engine/values/architecture/graph.h"

using namespace std::string_literals;

namespace lambda {

namespace {

Architecture network(Family family, const StemKind& stem, int side) {
  Architecture architecture;
  architecture.input = {3, side, side};
  architecture.family = family;
  architecture.stem.kind = stem;
  architecture.stages = {{64, 1, {Block{ConvolutionMixer{}}, Block{LambdaMixer{}}}},
                         {128, 2, {Block{LambdaMixer{}}, Block{ConvolutionMixer{}}}}};
  return architecture;
}

bool hasLayer(const NetworkGraph& graph, const std::string& layer) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) { return node.layer == layer; });
}

/// The poolings of a layer.
int poolsOf(const NetworkGraph& graph, const std::string& layer) {
  return static_cast<int>(std::ranges::count_if(graph.nodes, [&](const Node& node) {
    return node.layer == layer && std::holds_alternative<PoolNode>(node.kind);
  }));
}

bool addsShortcut(const NetworkGraph& graph, const std::string& block) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return node.layer == block && std::holds_alternative<SumNode>(node.kind);
  });
}

}  // namespace

class TestGraph : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bottlenecksPoolAfterALambdaLayer();
  void basicBlocksMixTheSmallerMap();
  void invertedBottlenecksWidenTheirInput();
  void plainBlocksHaveShortcutsAroundLambdaLayersAlone();
  void stemsShrinkTheImage();
  void oddSidesAreRoundedUp();
  void embeddingRowsFollowTheScope();
  void patternSpellsMixedStages();
  void onlyTheGraphTellsFamiliesApart();
};

void TestGraph::bottlenecksPoolAfterALambdaLayer() {
  const NetworkGraph graph = graphOf(network(Family::bottleneck, CifarStem{}, 32));
  const std::vector<PlacedMixer> mixers = graph.mixers();
  QCOMPARE(mixers.size(), std::size_t{4});
  QCOMPARE(mixers[0].name, "stage1.block1.mixer"s);
  QVERIFY(hasLayer(graph, "stage1.block1.shortcut"));
  QVERIFY(!hasLayer(graph, "stage1.block2.shortcut"));
  QCOMPARE(mixers[2].name, "stage2.block1.mixer"s);
  QVERIFY((mixers[2].input == MapShape{128, 32, 32}));
  QVERIFY((mixers[2].output == MapShape{128, 32, 32}));
  QVERIFY(hasLayer(graph, "stage2.block1.shortcut"));
  QVERIFY(!hasLayer(graph, "stage2.block2.shortcut"));
  QCOMPARE(poolsOf(graph, "stage2.block1.mixer"), 1);
  QVERIFY((graph.stageOutputs == std::vector<MapShape>{{256, 32, 32}, {512, 16, 16}}));
}

void TestGraph::basicBlocksMixTheSmallerMap() {
  const NetworkGraph graph = graphOf(network(Family::basic, CifarStem{}, 32));
  QVERIFY(!hasLayer(graph, "stage1.block1.shortcut"));
  QVERIFY((graph.mixers()[2].input == MapShape{128, 16, 16}));
  QVERIFY(hasLayer(graph, "stage2.block1.shortcut"));
  QVERIFY((graph.stageOutputs[1] == MapShape{128, 16, 16}));
}

void TestGraph::invertedBottlenecksWidenTheirInput() {
  Architecture architecture = network(Family::invertedBottleneck, StridedStem{}, 32);
  architecture.stages[0].blocks[0].expansion = 0;
  architecture.head.width = 300;
  const NetworkGraph graph = graphOf(architecture);
  const std::vector<PlacedMixer> mixers = graph.mixers();
  // Without an expansion, the mixer has the channels of the block's input.
  QVERIFY((mixers[0].input == MapShape{64, 16, 16}));
  QVERIFY((mixers[1].input == MapShape{384, 16, 16}));
  QVERIFY((mixers[1].output == MapShape{384, 16, 16}));
  QVERIFY((graph.stageOutputs[0] == MapShape{64, 16, 16}));
  QVERIFY(addsShortcut(graph, "stage1.block2") && !hasLayer(graph, "stage1.block2.shortcut"));
  // A lambda layer has no stride, so that its result is pooled.
  QVERIFY((mixers[2].output == MapShape{384, 16, 16}));
  QCOMPARE(poolsOf(graph, "stage2.block1.mixer"), 1);
  QVERIFY(!addsShortcut(graph, "stage2.block1"));
  QVERIFY((mixers[3].output == MapShape{768, 8, 8}));
  QVERIFY(addsShortcut(graph, "stage2.block2"));
  QVERIFY((graph.stageOutputs[1] == MapShape{128, 8, 8}));
  QVERIFY((graph.inputOf(graph.nodes[graph.nodes.size() - 2]) == MapShape{300, 8, 8}));
  architecture.stages[1].blocks[0].mixer = ConvolutionMixer{};
  QVERIFY((graphOf(architecture).mixers()[2].output == MapShape{384, 8, 8}));
}

void TestGraph::plainBlocksHaveShortcutsAroundLambdaLayersAlone() {
  Architecture architecture = network(Family::plain, CifarStem{}, 32);
  architecture.stages[1].blocks = {Block{ConvolutionMixer{}}, Block{LambdaMixer{}}};
  const NetworkGraph graph = graphOf(architecture);
  QVERIFY(!addsShortcut(graph, "stage2.block1"));
  QVERIFY((graph.mixers()[2].input == MapShape{64, 32, 32}));
  QVERIFY((graph.stageOutputs[1] == MapShape{128, 16, 16}));
  QVERIFY(addsShortcut(graph, "stage2.block2") && !hasLayer(graph, "stage2.block2.shortcut"));
  architecture.stages[1].blocks = {Block{LambdaMixer{}}};
  QVERIFY(hasLayer(graphOf(architecture), "stage2.block1.shortcut"));
}

void TestGraph::stemsShrinkTheImage() {
  const auto stemOutput = [](const StemKind& kind, int side) {
    return graphOf(network(Family::bottleneck, kind, side)).stemOutput;
  };
  QVERIFY((stemOutput(CifarStem{}, 32) == MapShape{64, 32, 32}));
  QVERIFY((stemOutput(ImageNetStem{}, 224) == MapShape{64, 56, 56}));
  QVERIFY((stemOutput(ResNetDStem{}, 224) == MapShape{64, 56, 56}));
  QVERIFY((stemOutput(ResNetRsStem{}, 225) == MapShape{64, 57, 57}));
  QVERIFY((stemOutput(StridedStem{}, 225) == MapShape{64, 113, 113}));
  QVERIFY((stemOutput(PatchStem{}, 32) == MapShape{64, 8, 8}));
  QCOMPARE(stemOutput(PatchStem{}, 3).height, 0);
}

void TestGraph::oddSidesAreRoundedUp() {
  Architecture architecture = network(Family::bottleneck, ImageNetStem{}, 225);
  architecture.input.width = 33;
  const NetworkGraph graph = graphOf(architecture);
  QVERIFY((graph.stemOutput == MapShape{64, 57, 9}));
  QVERIFY((graph.stageOutputs[1] == MapShape{512, 29, 5}));
}

void TestGraph::embeddingRowsFollowTheScope() {
  const MapShape map{64, 8, 4};
  LambdaMixer mixer;
  QCOMPARE(embeddingRows(mixer, map), 15LL * 7);
  mixer.scope = 5;
  QCOMPARE(embeddingRows(mixer, map), 25LL);
  mixer.embedding = PositionEmbedding::absolute;
  QCOMPARE(embeddingRows(mixer, map), 32LL * 32);
  mixer.embedding = PositionEmbedding::none;
  QCOMPARE(embeddingRows(mixer, map), 0LL);
}

void TestGraph::patternSpellsMixedStages() {
  Architecture architecture = network(Family::bottleneck, CifarStem{}, 32);
  QCOMPARE(patternOf(architecture), "CL-LC"s);
  architecture.stages[0].blocks.pop_back();
  architecture.stages[1].blocks.pop_back();
  QCOMPARE(patternOf(architecture), "C-L"s);
  QCOMPARE(patternOf(Architecture{}), ""s);
}

void TestGraph::onlyTheGraphTellsFamiliesApart() {
  static const QRegularExpression test(
      QStringLiteral(R"((case Family::|[=!]= Family::|Family::\w+ [=!]=))"));
  QStringList files;
  for (const char* folder : {"/app", "/engine", "/widgets"}) {
    QDirIterator each(QStringLiteral(LAMBDA_SOURCE) + QLatin1String(folder),
                      {QStringLiteral("*.h"), QStringLiteral("*.cpp")},
                      QDir::Files,
                      QDirIterator::Subdirectories);
    while (each.hasNext()) {
      QFile file(each.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      if (test.match(QString::fromUtf8(file.readAll())).hasMatch()) files << each.fileName();
    }
  }
  QCOMPARE(files, QStringList{QStringLiteral("graph.cpp")});
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestGraph)
#include "tst_graph.moc"
