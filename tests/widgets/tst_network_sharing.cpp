#include <QAccessible>
#include <QtTest/QtTest>

#include "engine/values/architecture/shared_tables.h"
#include "tests/support/network_bench.h"
#include "widgets/network/network_editor.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

using test::NetworkBench;

namespace {

Architecture lambdas() {
  Architecture architecture = test::convolutions({2, 3});
  for (Stage& stage : architecture.stages) {
    for (Block& block : stage.blocks) block.mixer = LambdaMixer{};
  }
  return architecture;
}

Architecture withTable(Architecture architecture, const Selection& blocks) {
  for (const PartId& part : blocks) setSharedTable(blockOf(architecture, part).mixer, "one");
  return architecture;
}

}  // namespace

class TestNetworkSharing : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void tablesAreListedByTheirBlocks() {
    const Architecture architecture = withTable(lambdas(), {blockPart(1, 0), blockPart(1, 2)});
    const std::vector<SharedTable> tables = sharedTablesOf(architecture);
    QCOMPARE(tables.size(), 1u);
    QVERIFY((tables[0] == SharedTable{"one", {{1, 0}, {1, 2}}}));
    QVERIFY(partToolTip(architecture, costsOf(architecture), blockPart(1, 0))
                .contains(u"stage 2, block 3"_s));
  }

  void onlyEqualTablesCanBeShared() {
    Architecture architecture = lambdas();
    std::get<LambdaMixer>(architecture.stages[1].blocks[2].mixer).queryDepth = 8;
    const std::vector<PlacedMixer> mixers = graphOf(architecture).mixers();
    QVERIFY(canShareTable(mixers[0], mixers[1]));
    QVERIFY(!canShareTable(mixers[3], mixers[4]));
    // The mixer of the block that shrinks the map works on the larger one.
    QVERIFY(canShareTable(mixers[1], mixers[2]));
    QVERIFY(!canShareTable(mixers[2], mixers[3]));
  }

  void aLineJoinsTheBlocks() {
    NetworkBench bench(lambdas());
    const auto gutter = [&] {
      const QRectF box = bench.editor.boxOf(blockPart(1, 1));
      return bench.editor.grab().toImage().copy(
          qRound(box.right()) + 1, qRound(box.top()) + 8, 8, 2);
    };
    const QImage own = gutter();
    bench.editor.setArchitecture(withTable(lambdas(), {blockPart(1, 0), blockPart(1, 2)}));
    QVERIFY(gutter() != own);
  }

  void screenReadersFindEveryPart() {
    NetworkBench bench(lambdas());
    QAccessibleInterface* network = QAccessible::queryAccessibleInterface(&bench.editor);
    // Input, stem, two stages with their blocks, head.
    QCOMPARE(network->childCount(), 3 + 2 + 5);
    QAccessibleInterface* block = network->child(3);
    QCOMPARE(block->text(QAccessible::Name),
             u"Stage 1, block 1: Lambda layer, k 16, h 4, global"_s);
    QVERIFY(block->text(QAccessible::Description).contains(u"parameters"_s));
    QCOMPARE(network->indexOfChild(block), 3);
    QVERIFY(!block->rect().isEmpty());
    QVERIFY(block->state().expandable && !block->state().expanded);
    block->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    QVERIFY((bench.editor.selection() == Selection{blockPart(0, 0)}));
    QVERIFY(block->state().selected);
    bench.editor.toggleOpen();
    const auto operations = static_cast<int>(bench.editor.operationsIn(blockPart(0, 0)).size());
    QCOMPARE(network->childCount(), 10 + operations);
    QVERIFY(block->state().expanded);
    QVERIFY(network->child(4)->text(QAccessible::Name).contains(u"FLOPs"_s));
    bench.key(Qt::Key_Down);
    QCOMPARE(network->focusChild(), network->child(4));
    const QPoint middle = network->child(5)->rect().center();
    QCOMPARE(network->childAt(middle.x(), middle.y()), network->child(5));
  }
};

}  // namespace lambda

QTEST_MAIN(lambda::TestNetworkSharing)
#include "tst_network_sharing.moc"
