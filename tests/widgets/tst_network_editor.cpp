#include <string>
#include <vector>

#include <QAction>
#include <QMenu>
#include <QSignalSpy>
#include <QtTest/QtTest>

#include "engine/values/config/validate.h"
#include "tests/support/network_bench.h"
#include "widgets/network/network_actions.h"
#include "widgets/network/network_editor.h"
#include "widgets/theme/theme.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda {

using test::convolutions;
using test::NetworkBench;

namespace {

constexpr std::size_t kConvolutionKind = mixerKindOf<ConvolutionMixer>();
constexpr std::size_t kLambdaKind = mixerKindOf<LambdaMixer>();

}  // namespace

class TestNetworkEditor : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aHybridIsBuiltByClicking();
  void keysTurnTheSelectedBlocks();
  void theSelectionGrowsByKeysAndClicks();
  void arrowsWalkThroughThePicture();
  void aRubberBandSelectsBlocks();
  void aPaintedDragIsOneGesture();
  void aFastDragSkipsNoBlock();
  void blocksAndStagesComeAndGoByKey();
  void blocksMoveByKey();
  void buttonsOfTheBlockUnderThePointer();
  void plusButtonsAddBlocksAndStages();
  void theEditorChangesNothingByItself();
  void whatIsGoneIsNoLongerSelected();
  void actionsAreEnabledWhereTheyMakeSense();
  void theSelectionIsDescribed();
};

void TestNetworkEditor::initTestCase() {
  applyTheme(*qApp, ThemeChoice::light);
}

void TestNetworkEditor::aHybridIsBuiltByClicking() {
  NetworkBench bench(convolutions({2, 2, 2, 2}));
  for (const int stage : {2, 3}) {
    for (const int block : {0, 1}) bench.turn(blockPart(stage, block));
  }
  QCOMPARE(bench.pattern(), "C-C-L-L"s);
  QCOMPARE(bench.steps.size(), 4u);
  QVERIFY(bench.steps[0].gesture.isEmpty());
  QCOMPARE(bench.steps[0].text, u"Turn a block into a lambda layer"_s);
  const NetworkCost expected = costOf(bench.editor.architecture());
  QCOMPARE(bench.editor.costs().total.parameters, expected.parameters);
  QCOMPARE(bench.editor.costs().total.flops, expected.flops);
  QVERIFY(validate(bench.editor.architecture()).empty());
  bench.turn(blockPart(3, 1));
  QCOMPARE(bench.pattern(), "C-C-L-LD"s);
  for (std::size_t others = kMixerKindCount - 2; others > 0; --others) bench.turn(blockPart(3, 1));
  QCOMPARE(bench.pattern(), "C-C-L-LC"s);
}

void TestNetworkEditor::keysTurnTheSelectedBlocks() {
  NetworkBench bench(convolutions({3, 1}));
  bench.click(blockPart(0, 1));
  bench.key(Qt::Key_L);
  QCOMPARE(bench.pattern(), "CLC-C"s);
  bench.key(Qt::Key_L);
  QCOMPARE(bench.steps.size(), 1u);
  bench.key(Qt::Key_C);
  QCOMPARE(bench.pattern(), "C-C"s);
  bench.key(Qt::Key_Space);
  QCOMPARE(bench.pattern(), "CLC-C"s);
  bench.key(Qt::Key_A, Qt::ControlModifier);
  bench.key(Qt::Key_Space);
  QCOMPARE(bench.pattern(), "L-L"s);
  QCOMPARE(bench.steps.back().text, u"Turn 4 blocks into lambda layers"_s);
  bench.click(stagePart(0));
  bench.key(Qt::Key_C);
  QCOMPARE(bench.pattern(), "C-L"s);
}

void TestNetworkEditor::theSelectionGrowsByKeysAndClicks() {
  NetworkBench bench(convolutions({3, 2}));
  QSignalSpy spy(&bench.editor, &NetworkEditor::selectionChanged);
  bench.click(blockPart(0, 1));
  QVERIFY((bench.editor.selection() == Selection{blockPart(0, 1)}));
  QCOMPARE(spy.size(), 1);
  bench.click(blockPart(1, 0), Qt::ShiftModifier);
  QVERIFY(
      (bench.editor.selection() == Selection{blockPart(0, 1), blockPart(0, 2), blockPart(1, 0)}));
  bench.click(blockPart(0, 2), Qt::ControlModifier);
  QVERIFY((bench.editor.selection() == Selection{blockPart(0, 1), blockPart(1, 0)}));
  bench.click(kStemPart);
  QVERIFY((bench.editor.selection() == Selection{kStemPart}));
  bench.key(Qt::Key_Escape);
  QVERIFY(bench.editor.selection().empty());
  for (const PartId& part : {kInputPart, kHeadPart, stagePart(1)}) {
    bench.click(part);
    QVERIFY((bench.editor.selection() == Selection{part}));
  }
  bench.click(stagePart(0), Qt::ShiftModifier);
  QVERIFY((bench.editor.selection() == Selection{stagePart(0), stagePart(1)}));
  QTest::mouseClick(bench.editor.viewport(),
                    Qt::LeftButton,
                    {},
                    QPoint(500, bench.editor.viewport()->height() - 4));
  QVERIFY(bench.editor.selection().empty());
}

void TestNetworkEditor::arrowsWalkThroughThePicture() {
  NetworkBench bench(convolutions({3, 1, 2}));
  bench.click(kInputPart);
  const auto expect = [&](int key, const PartId& part, Qt::KeyboardModifiers modifiers = {}) {
    bench.key(key, modifiers);
    if (bench.editor.selection() == Selection{part}) return true;
    qWarning("selected: %s", qPrintable(bench.editor.accessibleDescription()));
    return false;
  };
  QVERIFY(expect(Qt::Key_Left, kInputPart));
  QVERIFY(expect(Qt::Key_Right, kStemPart));
  QVERIFY(expect(Qt::Key_Right, stagePart(0)));
  QVERIFY(expect(Qt::Key_Down, blockPart(0, 0)));
  QVERIFY(expect(Qt::Key_Down, blockPart(0, 1)));
  QVERIFY(expect(Qt::Key_Down, blockPart(0, 2)));
  QVERIFY(expect(Qt::Key_Down, blockPart(0, 2)));
  QVERIFY(expect(Qt::Key_Right, blockPart(1, 0)));
  QVERIFY(expect(Qt::Key_Up, stagePart(1)));
  QVERIFY(expect(Qt::Key_Right, stagePart(2)));
  QVERIFY(expect(Qt::Key_Right, kHeadPart));
  QVERIFY(expect(Qt::Key_Left, stagePart(2)));
  QVERIFY(expect(Qt::Key_Home, kInputPart));
  QVERIFY(expect(Qt::Key_End, kHeadPart));
  bench.click(blockPart(0, 0));
  bench.key(Qt::Key_Down, Qt::ShiftModifier);
  bench.key(Qt::Key_Down, Qt::ShiftModifier);
  QCOMPARE(bench.editor.selection().size(), 3u);
  bench.key(Qt::Key_Up, Qt::ShiftModifier);
  QCOMPARE(bench.editor.selection().size(), 2u);
  bench.key(Qt::Key_Right, Qt::ControlModifier);
  QCOMPARE(bench.editor.selection().size(), 2u);
  bench.key(Qt::Key_Space, Qt::ControlModifier);
  QVERIFY(bench.editor.selection().contains(blockPart(1, 0)));
}

void TestNetworkEditor::aRubberBandSelectsBlocks() {
  NetworkBench bench(convolutions({2, 2, 2}));
  const QRectF first = bench.editor.boxOf(blockPart(0, 1));
  const QRectF last = bench.editor.boxOf(blockPart(1, 1));
  const QPoint start = QPointF(first.left() + 4, last.bottom() - 2).toPoint();
  const QPoint end = QPointF(last.right() - 4, first.top() + 4).toPoint();
  bench.drag({start, (start + end) / 2, end});
  QVERIFY((bench.editor.selection() == Selection{blockPart(0, 1), blockPart(1, 1)}));
  bench.drag({bench.at(blockPart(2, 0)), bench.at(blockPart(2, 1))}, Qt::ControlModifier);
  QCOMPARE(bench.editor.selection().size(), 4u);
  QVERIFY(bench.steps.empty());
}

void TestNetworkEditor::aPaintedDragIsOneGesture() {
  NetworkBench bench(convolutions({2, 3}));
  bench.editor.setTool({kLambdaKind});
  QVERIFY(bench.editor.actions().paint[kLambdaKind]->isChecked());
  bench.drag({bench.at(blockPart(1, 0)),
              bench.at(blockPart(1, 1)),
              bench.at(blockPart(1, 2)),
              bench.at(blockPart(1, 0))});
  QCOMPARE(bench.pattern(), "C-L"s);
  QCOMPARE(bench.steps.size(), 3u);
  QVERIFY(!bench.steps[0].gesture.isEmpty());
  for (const test::NetworkStep& step : bench.steps) QCOMPARE(step.gesture, bench.steps[0].gesture);
  QCOMPARE(bench.steps.back().text, u"Paint 3 lambda layers"_s);
  bench.editor.setTool({kConvolutionKind});
  bench.drag({bench.at(blockPart(1, 1))});
  QCOMPARE(bench.pattern(), "C-LCL"s);
  QVERIFY(bench.steps.back().gesture != bench.steps[0].gesture);
  bench.key(Qt::Key_Escape);
  QVERIFY(bench.editor.tool() == kSelectTool);
  QVERIFY(bench.editor.actions().selectTool->isChecked());
}

void TestNetworkEditor::aFastDragSkipsNoBlock() {
  NetworkBench bench(convolutions({5, 5, 5}));
  bench.editor.setTool({kLambdaKind});
  bench.drag({bench.at(blockPart(1, 0)), bench.at(blockPart(1, 4))});
  QCOMPARE(bench.pattern(), "C-L-C"s);
  bench.drag({bench.at(blockPart(0, 2)), bench.at(blockPart(2, 2))});
  QCOMPARE(bench.pattern(), "CCLCC-L-CCLCC"s);
}

void TestNetworkEditor::blocksAndStagesComeAndGoByKey() {
  NetworkBench bench(convolutions({2}));
  bench.click(blockPart(0, 0));
  // On keyboards where + needs Shift, it must work too.
  bench.key(Qt::Key_Plus, Qt::ShiftModifier);
  bench.key(Qt::Key_Insert);
  QCOMPARE(bench.editor.architecture().stages[0].blocks.size(), 4u);
  QVERIFY((bench.editor.selection() == Selection{blockPart(0, 2)}));
  bench.key(Qt::Key_Minus);
  QCOMPARE(bench.editor.architecture().stages[0].blocks.size(), 3u);
  bench.key(Qt::Key_Insert, Qt::ShiftModifier);
  bench.key(Qt::Key_Asterisk);
  QCOMPARE(bench.editor.architecture().stages.size(), 3u);
  QVERIFY((bench.editor.selection() == Selection{stagePart(2)}));
  bench.key(Qt::Key_Delete);
  QCOMPARE(bench.editor.architecture().stages.size(), 2u);
  bench.key(Qt::Key_Minus);
  QVERIFY(bench.editor.architecture().stages[1].blocks.empty());
  bench.key(Qt::Key_Plus);
  QCOMPARE(bench.editor.architecture().stages[1].blocks.size(), 1u);
  bench.key(Qt::Key_A, Qt::ControlModifier);
  bench.key(Qt::Key_Delete);
  QVERIFY(allBlocks(bench.editor.architecture()).empty());
  QCOMPARE(bench.steps.back().text, u"Remove 4 parts"_s);
}

void TestNetworkEditor::blocksMoveByKey() {
  NetworkBench bench(convolutions({3, 1}));
  bench.turn(blockPart(0, 0));
  bench.key(Qt::Key_Down, Qt::AltModifier);
  QCOMPARE(bench.pattern(), "CLC-C"s);
  QVERIFY((bench.editor.selection() == Selection{blockPart(0, 1)}));
  bench.key(Qt::Key_Right, Qt::AltModifier);
  QCOMPARE(bench.pattern(), "C-LC"s);
  bench.key(Qt::Key_Left, Qt::AltModifier);
  QCOMPARE(bench.pattern(), "CCL-C"s);
  bench.click(stagePart(0));
  bench.key(Qt::Key_Right, Qt::AltModifier);
  QCOMPARE(bench.pattern(), "C-CCL"s);
}

void TestNetworkEditor::buttonsOfTheBlockUnderThePointer() {
  NetworkBench bench(convolutions({2}));
  QWidget* viewport = bench.editor.viewport();
  const auto buttons = [&] {
    const QRectF box = bench.editor.boxOf(blockPart(0, 1));
    return buttonsOf({box.left(), box.top(), box.width(), 22}, 1);
  };
  QTest::mouseMove(viewport, bench.at(blockPart(0, 1)));
  QTest::mouseClick(viewport, Qt::LeftButton, {}, buttons().add.center().toPoint());
  QCOMPARE(bench.editor.architecture().stages[0].blocks.size(), 3u);
  QTest::mouseMove(viewport, bench.at(blockPart(0, 1)));
  QTest::mouseClick(viewport, Qt::LeftButton, {}, buttons().remove.center().toPoint());
  QTest::mouseMove(viewport, bench.at(blockPart(0, 1)));
  QTest::mouseClick(viewport, Qt::LeftButton, {}, buttons().remove.center().toPoint());
  QCOMPARE(bench.editor.architecture().stages[0].blocks.size(), 1u);
}

void TestNetworkEditor::plusButtonsAddBlocksAndStages() {
  NetworkBench bench(convolutions({1}));
  QWidget* viewport = bench.editor.viewport();
  const QRectF block = bench.editor.boxOf(blockPart(0, 0));
  QTest::mouseClick(
      viewport, Qt::LeftButton, {}, QPointF(block.center().x(), block.bottom() + 20).toPoint());
  QCOMPARE(bench.editor.architecture().stages[0].blocks.size(), 2u);
  const QRectF stage = bench.editor.boxOf(stagePart(0));
  QTest::mouseClick(
      viewport, Qt::LeftButton, {}, QPointF(stage.right() + 28, stage.center().y()).toPoint());
  QCOMPARE(bench.editor.architecture().stages.size(), 2u);
}

void TestNetworkEditor::theEditorChangesNothingByItself() {
  NetworkEditor editor;
  const Architecture start = convolutions({2, 2});
  editor.setArchitecture(start);
  editor.setSelection({blockPart(0, 0)});
  QSignalSpy spy(&editor, &NetworkEditor::architectureEdited);
  editor.turnIntoNext();
  editor.addBlock();
  editor.removeSelected();
  QCOMPARE(spy.size(), 3);
  QVERIFY(editor.architecture() == start);
  QVERIFY((editor.selection() == Selection{blockPart(0, 0)}));
}

void TestNetworkEditor::whatIsGoneIsNoLongerSelected() {
  NetworkEditor editor;
  editor.setArchitecture(convolutions({2, 2}));
  editor.setSelection({blockPart(0, 0), blockPart(1, 1), stagePart(7)});
  QCOMPARE(editor.selection().size(), 2u);
  QSignalSpy spy(&editor, &NetworkEditor::selectionChanged);
  editor.setArchitecture(convolutions({2, 1}));
  QCOMPARE(spy.size(), 1);
  QVERIFY((editor.selection() == Selection{blockPart(0, 0)}));
}

void TestNetworkEditor::actionsAreEnabledWhereTheyMakeSense() {
  NetworkBench bench(convolutions({2, 2}));
  const NetworkActions& actions = bench.editor.actions();
  bench.editor.setSelection({kStemPart});
  QVERIFY(!actions.turnIntoNext->isEnabled() && !actions.remove->isEnabled());
  bench.editor.setSelection({stagePart(0)});
  QVERIFY(actions.turnIntoNext->isEnabled() && actions.moveRight->isEnabled());
  QVERIFY(!actions.moveUp->isEnabled());
  bench.editor.setSelection({blockPart(0, 0)});
  QVERIFY(actions.moveUp->isEnabled());
  for (QAction* action : actions.editing() + actions.tools()) {
    if (!action) continue;
    QVERIFY(!action->text().isEmpty() && !action->toolTip().isEmpty());
    // The editor handles Enter, which opens blocks.
    QVERIFY(!action->shortcuts().isEmpty() || action == actions.open || action->menu());
  }
}

void TestNetworkEditor::theSelectionIsDescribed() {
  NetworkBench bench(convolutions({2}));
  bench.click(blockPart(0, 1));
  QCOMPARE(bench.editor.accessibleDescription(), u"Stage 1, block 2: Convolution 3×3"_s);
  bench.key(Qt::Key_L);
  QCOMPARE(bench.editor.accessibleDescription(),
           u"Stage 1, block 2: Lambda layer, k 16, h 4, global"_s);
}

}  // namespace lambda

QTEST_MAIN(lambda::TestNetworkEditor)
#include "tst_network_editor.moc"
