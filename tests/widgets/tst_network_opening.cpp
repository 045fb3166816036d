#include <string>

#include <QtTest/QtTest>

#include "engine/values/config/kinds.h"
#include "tests/support/network_bench.h"
#include "widgets/network/drawing/operation_lanes.h"
#include "widgets/network/network_actions.h"
#include "widgets/network/network_editor.h"
#include "widgets/network/parts/operation_text.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

using test::convolutions;
using test::NetworkBench;

namespace {

Architecture hybrid() {
  Architecture architecture = convolutions({2, 2});
  architecture.stages[1].blocks[1].mixer = LambdaMixer{};
  return architecture;
}

}  // namespace

class TestNetworkOpening : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aBlockIsOpenedByDoubleClickChevronAndKey();
  void keysWalkThroughTheOperations();
  void aClickLooksAtAnOperation();
  void openedBlocksFollowTheNetwork();
  void openedBlocksMoveWithTheirStage();
  void openedBlocksAreExported();
  void everyKindCanBeOpened();
  void noLineCrossesAnotherOperation();
  void equationsAreRichText();
};

void TestNetworkOpening::initTestCase() {
  applyTheme(*qApp, ThemeChoice::light);
}

void TestNetworkOpening::aBlockIsOpenedByDoubleClickChevronAndKey() {
  NetworkBench bench(hybrid());
  const PartId lambda = blockPart(1, 1);
  const QRectF closed = bench.editor.boxOf(lambda);
  bench.doubleClick(lambda);
  QVERIFY(bench.editor.isOpen(lambda));
  QVERIFY(bench.editor.boxOf(lambda).height() > closed.height() + 300);
  QVERIFY(bench.editor.boxOf(lambda).width() > closed.width());
  const QRectF opened = bench.editor.boxOf(lambda);
  QTest::mouseClick(bench.editor.viewport(),
                    Qt::LeftButton,
                    {},
                    QPointF(opened.left() + 8, opened.top() + 10).toPoint());
  QVERIFY(!bench.editor.isOpen(lambda));
  bench.click(lambda);
  bench.key(Qt::Key_Return);
  QVERIFY(bench.editor.isOpen(lambda));
  bench.editor.actions().open->trigger();
  QVERIFY(!bench.editor.isOpen(lambda));
  QVERIFY(bench.steps.empty());
}

void TestNetworkOpening::keysWalkThroughTheOperations() {
  NetworkBench bench(hybrid());
  const PartId first = blockPart(1, 0);
  bench.click(first);
  bench.key(Qt::Key_Return);
  const int count = static_cast<int>(bench.editor.operationsIn(first).size());
  bench.key(Qt::Key_Down);
  QVERIFY((bench.editor.operation() == OperationMark{first, 0}));
  QVERIFY(bench.editor.accessibleDescription().startsWith(u"1×1 convolution"_s));
  for (int i = 1; i < count; ++i) bench.key(Qt::Key_Down);
  QVERIFY((bench.editor.operation() == OperationMark{first, count - 1}));
  bench.key(Qt::Key_Down);
  QVERIFY(!bench.editor.operation());
  QVERIFY((bench.editor.selection() == Selection{blockPart(1, 1)}));
  bench.key(Qt::Key_Up);
  QVERIFY((bench.editor.operation() == OperationMark{first, count - 1}));
  bench.key(Qt::Key_Escape);
  QVERIFY(!bench.editor.operation());
  QVERIFY((bench.editor.selection() == Selection{first}));
}

void TestNetworkOpening::aClickLooksAtAnOperation() {
  NetworkBench bench(hybrid());
  const PartId lambda = blockPart(1, 1);
  bench.doubleClick(lambda);
  const QRectF row = bench.editor.boxOf(OperationMark{lambda, 3});
  QVERIFY(!row.isEmpty());
  QTest::mouseClick(bench.editor.viewport(), Qt::LeftButton, {}, row.center().toPoint());
  QVERIFY((bench.editor.operation() == OperationMark{lambda, 3}));
  QVERIFY(bench.editor.isOpen(lambda));
  QVERIFY(bench.editor.grab().toImage() != QImage());
}

void TestNetworkOpening::openedBlocksFollowTheNetwork() {
  NetworkBench bench(hybrid());
  const PartId lambda = blockPart(1, 1);
  bench.doubleClick(lambda);
  const std::size_t operations = bench.editor.operationsIn(lambda).size();
  bench.key(Qt::Key_C);
  QVERIFY(bench.editor.isOpen(lambda));
  QVERIFY(bench.editor.operationsIn(lambda).size() < operations);
  bench.click(blockPart(0, 0));
  bench.key(Qt::Key_Plus);
  QVERIFY(bench.editor.isOpen(lambda));
  bench.click(lambda);
  bench.key(Qt::Key_Delete);
  QVERIFY(!bench.editor.isOpen(lambda));
}

void TestNetworkOpening::openedBlocksMoveWithTheirStage() {
  NetworkBench bench(hybrid());
  const PartId lambda = blockPart(1, 1);
  bench.doubleClick(lambda);
  bench.click(lambda);
  bench.key(Qt::Key_Up, Qt::AltModifier);
  QVERIFY(bench.editor.isOpen(blockPart(1, 0)) && !bench.editor.isOpen(lambda));
  bench.click(stagePart(0));
  bench.key(Qt::Key_D, Qt::ControlModifier);
  QCOMPARE(bench.editor.architecture().stages.size(), std::size_t{3});
  for (int stage = 0; stage < 3; ++stage) {
    for (int block = 0; block < 2; ++block) QVERIFY(!bench.editor.isOpen(blockPart(stage, block)));
  }
}

void TestNetworkOpening::openedBlocksAreExported() {
  NetworkBench bench(hybrid());
  const int before = bench.editor.exportSize().height();
  bench.doubleClick(blockPart(1, 1));
  QVERIFY(bench.editor.exportSize().height() > before + 200);
}

void TestNetworkOpening::everyKindCanBeOpened() {
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    Architecture architecture = convolutions({1});
    architecture.stages[0].blocks[0].mixer = valueOfKind<Mixer>(kind);
    NetworkBench bench(architecture);
    bench.doubleClick(blockPart(0, 0));
    QVERIFY(bench.editor.isOpen(blockPart(0, 0)));
    QVERIFY(!bench.editor.grab().isNull());
  }
}

void TestNetworkOpening::noLineCrossesAnotherOperation() {
  const Architecture architecture = hybrid();
  const std::vector<Operation> operations = operationsOfBlock(operationsOf(architecture), 1, 1);
  const OperationLanes lanes = lanesOf(operations);
  QCOMPARE(lanes.lanes.size(), operations.size());
  for (const LaneLine& line : lanes.lines) {
    for (int row = line.fromRow + 1; row < line.toRow; ++row) {
      QVERIFY(lanes.lanes[static_cast<std::size_t>(row)] != line.fromLane);
    }
  }
  QVERIFY(lanes.count <= 5);
}

void TestNetworkOpening::equationsAreRichText() {
  QCOMPARE(equationHtml("λ^c = Σ_m k̄_m v_m^T"),
           u"λ<sup>c</sup> = Σ<sub>m</sub> k̄<sub>m</sub> v<sub>m</sub><sup>T</sup>"_s);
  QCOMPARE(equationHtml("e_{nm}"), u"e<sub>nm</sub>"_s);
  QCOMPARE(equationHtml("a < b_"), u"a &lt; b<sub></sub>"_s);
}

}  // namespace lambda

QTEST_MAIN(lambda::TestNetworkOpening)
#include "tst_network_opening.moc"
