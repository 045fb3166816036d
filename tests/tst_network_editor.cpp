#include <string>
#include <vector>

#include <QAction>
#include <QApplication>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest/QtTest>

#include "engine/values/validate.h"
#include "widgets/export/export_file.h"
#include "widgets/network/network_actions.h"
#include "widgets/network/network_editor.h"
#include "widgets/network/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda {

namespace {

struct Step {
  Architecture architecture;
  QString text;
  QString gesture;
};

Architecture convolutions(const std::vector<int>& counts) {
  Architecture architecture;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Stage stage;
    stage.width = 32 << i;
    stage.stride = i == 0 ? 1 : 2;
    stage.blocks.resize(static_cast<std::size_t>(counts[i]));
    architecture.stages.push_back(stage);
  }
  return architecture;
}

/// An editor whose wishes are granted, as by the document.
class Bench {
 public:
  explicit Bench(const Architecture& start, QSize size = {1000, 620}) {
    editor.setArchitecture(start);
    QObject::connect(&editor,
                     &NetworkEditor::architectureEdited,
                     &editor,
                     [this](const Architecture& next, const QString& text, const QString& gesture) {
                       steps.push_back({next, text, gesture});
                       editor.setArchitecture(next);
                     });
    editor.resize(size);
    editor.show();
    editor.activateWindow();
    if (!QTest::qWaitForWindowActive(&editor)) qFatal("the window does not become active");
    editor.setFocus();
  }

  QPoint at(const PartId& part) const {
    const QRectF box = editor.boxOf(part);
    return QPointF(box.left() + box.width() / 3, box.top() + 8).toPoint();
  }

  void click(const PartId& part, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mouseClick(editor.viewport(), Qt::LeftButton, modifiers, at(part));
  }

  void doubleClick(const PartId& part) {
    QTest::mouseDClick(editor.viewport(), Qt::LeftButton, {}, at(part));
  }

  void drag(const std::vector<QPoint>& way, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(editor.viewport(), Qt::LeftButton, modifiers, way.front());
    for (const QPoint& point : way) QTest::mouseMove(editor.viewport(), point);
    QTest::mouseRelease(editor.viewport(), Qt::LeftButton, modifiers, way.back());
  }

  void key(int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&editor, static_cast<Qt::Key>(key), modifiers);
  }

  std::string pattern() const { return patternOf(editor.architecture()); }

  NetworkEditor editor;
  std::vector<Step> steps;
};

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
  void problemsAreMarkedAtTheirPart();
  void anEmptyNetworkOffersAStart();
  void actionsAreEnabledWhereTheyMakeSense();
  void theSelectionIsDescribed();
  void deepNetworksScroll();
  void everythingIsSeenAtTheSmallestSize();
  void thePictureAndTheTableAreExported();
  void bothThemesAreDrawnInTheirColours();
  void editsFollowASlider();
  void quantitiesAreShort_data();
  void quantitiesAreShort();
};

void TestNetworkEditor::initTestCase() {
  applyTheme(*qApp, ThemeChoice::light);
}

void TestNetworkEditor::aHybridIsBuiltByClicking() {
  Bench bench(convolutions({2, 2, 2, 2}));
  for (const int stage : {2, 3}) {
    for (const int block : {0, 1}) bench.doubleClick(blockPart(stage, block));
  }
  QCOMPARE(bench.pattern(), "C-C-L-L"s);
  QCOMPARE(bench.steps.size(), 4u);
  QVERIFY(bench.steps[0].gesture.isEmpty());
  QCOMPARE(bench.steps[0].text, u"Turn a block into a lambda layer"_s);
  const NetworkCost expected = costOf(bench.editor.architecture());
  QCOMPARE(bench.editor.costs().total.parameters, expected.parameters);
  QCOMPARE(bench.editor.costs().total.flops, expected.flops);
  QVERIFY(validate(bench.editor.architecture()).empty());
  bench.doubleClick(blockPart(3, 1));
  QCOMPARE(bench.pattern(), "C-C-L-LC"s);
}

void TestNetworkEditor::keysTurnTheSelectedBlocks() {
  Bench bench(convolutions({3, 1}));
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
  Bench bench(convolutions({3, 2}));
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
  Bench bench(convolutions({3, 1, 2}));
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
  Bench bench(convolutions({2, 2, 2}));
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
  Bench bench(convolutions({2, 3}));
  bench.editor.setTool(EditTool::paintLambda);
  QVERIFY(bench.editor.actions().paintLambda->isChecked());
  bench.drag({bench.at(blockPart(1, 0)),
              bench.at(blockPart(1, 1)),
              bench.at(blockPart(1, 2)),
              bench.at(blockPart(1, 0))});
  QCOMPARE(bench.pattern(), "C-L"s);
  QCOMPARE(bench.steps.size(), 3u);
  QVERIFY(!bench.steps[0].gesture.isEmpty());
  for (const Step& step : bench.steps) QCOMPARE(step.gesture, bench.steps[0].gesture);
  QCOMPARE(bench.steps.back().text, u"Paint 3 lambda layers"_s);
  bench.editor.setTool(EditTool::paintConvolution);
  bench.drag({bench.at(blockPart(1, 1))});
  QCOMPARE(bench.pattern(), "C-LCL"s);
  QVERIFY(bench.steps.back().gesture != bench.steps[0].gesture);
  bench.key(Qt::Key_Escape);
  QVERIFY(bench.editor.tool() == EditTool::select);
  QVERIFY(bench.editor.actions().selectTool->isChecked());
}

void TestNetworkEditor::aFastDragSkipsNoBlock() {
  Bench bench(convolutions({5, 5, 5}));
  bench.editor.setTool(EditTool::paintLambda);
  bench.drag({bench.at(blockPart(1, 0)), bench.at(blockPart(1, 4))});
  QCOMPARE(bench.pattern(), "C-L-C"s);
  bench.drag({bench.at(blockPart(0, 2)), bench.at(blockPart(2, 2))});
  QCOMPARE(bench.pattern(), "CCLCC-L-CCLCC"s);
}

void TestNetworkEditor::blocksAndStagesComeAndGoByKey() {
  Bench bench(convolutions({2}));
  bench.click(blockPart(0, 0));
  // Where + is typed with Shift it is the same key.
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
  Bench bench(convolutions({3, 1}));
  bench.doubleClick(blockPart(0, 0));
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
  Bench bench(convolutions({2}));
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
  Bench bench(convolutions({1}));
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
  editor.toggle();
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

void TestNetworkEditor::problemsAreMarkedAtTheirPart() {
  Architecture architecture = convolutions({2});
  LambdaMixer mixer;
  mixer.heads = 7;
  architecture.stages[0].blocks[1].mixer = mixer;
  Bench bench(architecture);
  const QRectF box = bench.editor.boxOf(blockPart(0, 1));
  const QPoint sign(qRound(box.right()) - 2, qRound(box.top()) + 5);
  const QColor before = bench.editor.viewport()->grab().toImage().pixelColor(sign);
  bench.editor.setProblems(validate(architecture));
  const QColor after = bench.editor.viewport()->grab().toImage().pixelColor(sign);
  QVERIFY(before != after);
  bench.editor.setProblems({});
  QCOMPARE(bench.editor.viewport()->grab().toImage().pixelColor(sign), before);
}

void TestNetworkEditor::anEmptyNetworkOffersAStart() {
  Bench bench(Architecture{});
  const auto buttons = bench.editor.findChildren<QPushButton*>();
  QCOMPARE(buttons.size(), 2);
  QVERIFY(buttons[0]->isVisible() && buttons[1]->isVisible());
  QSignalSpy spy(&bench.editor, &NetworkEditor::templatesRequested);
  buttons[0]->click();
  QCOMPARE(spy.size(), 1);
  buttons[1]->click();
  QCOMPARE(bench.editor.architecture().stages.size(), 1u);
  QVERIFY(!buttons[0]->isVisible());
}

void TestNetworkEditor::actionsAreEnabledWhereTheyMakeSense() {
  Bench bench(convolutions({2, 2}));
  const NetworkActions& actions = bench.editor.actions();
  bench.editor.setSelection({kStemPart});
  QVERIFY(!actions.toggle->isEnabled() && !actions.remove->isEnabled());
  bench.editor.setSelection({stagePart(0)});
  QVERIFY(actions.toggle->isEnabled() && actions.moveRight->isEnabled());
  QVERIFY(!actions.moveUp->isEnabled());
  bench.editor.setSelection({blockPart(0, 0)});
  QVERIFY(actions.moveUp->isEnabled());
  for (QAction* action : actions.editing() + actions.tools()) {
    if (!action) continue;
    QVERIFY(!action->text().isEmpty() && !action->toolTip().isEmpty());
    QVERIFY(!action->shortcuts().isEmpty());
  }
}

void TestNetworkEditor::theSelectionIsDescribed() {
  Bench bench(convolutions({2}));
  bench.click(blockPart(0, 1));
  QCOMPARE(bench.editor.accessibleDescription(), u"Stage 1, block 2: Convolution 3×3"_s);
  bench.key(Qt::Key_L);
  QCOMPARE(bench.editor.accessibleDescription(),
           u"Stage 1, block 2: Lambda layer, k 16, h 4, global"_s);
}

void TestNetworkEditor::deepNetworksScroll() {
  Bench bench(convolutions({36, 36, 36, 36}), {904, 600});
  QVERIFY(bench.editor.verticalScrollBar()->maximum() > 0);
  QCOMPARE(bench.editor.horizontalScrollBar()->maximum(), 0);
  bench.editor.setSelection({blockPart(3, 35)});
  const QRectF box = bench.editor.boxOf(blockPart(3, 35));
  QVERIFY(QRectF(bench.editor.viewport()->rect()).contains(box));
  bench.doubleClick(blockPart(3, 35));
  QVERIFY(std::holds_alternative<LambdaMixer>(
      blockOf(bench.editor.architecture(), blockPart(3, 35)).mixer));
}

void TestNetworkEditor::everythingIsSeenAtTheSmallestSize() {
  Bench bench(convolutions({3, 4, 6, 3}), {904, 610});
  QCOMPARE(bench.editor.horizontalScrollBar()->maximum(), 0);
  QCOMPARE(bench.editor.verticalScrollBar()->maximum(), 0);
}

void TestNetworkEditor::thePictureAndTheTableAreExported() {
  Architecture architecture = convolutions({1, 2});
  architecture.name = "My net/1";
  NetworkEditor editor;
  editor.setArchitecture(architecture);
  QCOMPARE(editor.exportName(), u"my-net-1"_s);
  const QStringList lines = editor.toCsv().trimmed().split(u'\n');
  QCOMPARE(lines.size(), 1 + 3 + 3 + 1);
  const NetworkCost cost = costOf(architecture);
  QVERIFY(lines.last().contains(
      u",%1,%2,%3"_s.arg(cost.parameters).arg(cost.flops).arg(cost.activationBytes)));
  const QImage image = toImage(editor, {});
  QCOMPARE(image.size(), editor.exportSize() * 2);
  QVERIFY(image.pixelColor(2, 2) == printColors().page);
}

void TestNetworkEditor::bothThemesAreDrawnInTheirColours() {
  Architecture architecture = convolutions({1, 1});
  architecture.stages[1].blocks[0].mixer = LambdaMixer{};
  for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light}) {
    applyTheme(*qApp, choice);
    const Colors& colors = choice == ThemeChoice::dark ? darkColors() : lightColors();
    Bench bench(architecture);
    const QImage image = bench.editor.viewport()->grab().toImage();
    const auto chip = [&](const PartId& part) {
      const QRectF box = bench.editor.boxOf(part);
      return image.pixelColor(qRound(box.center().x()), qRound(box.top()) + 3);
    };
    QCOMPARE(image.pixelColor(3, 3), colors.page);
    QCOMPARE(chip(blockPart(0, 0)), colors.convolutionChip);
    QCOMPARE(chip(blockPart(1, 0)), colors.lambdaChip);
  }
}

void TestNetworkEditor::editsFollowASlider() {
  Architecture architecture = convolutions({36, 36, 36, 36});
  for (const PartId& part : allBlocks(architecture)) {
    blockOf(architecture, part).mixer = LambdaMixer{};
  }
  NetworkEditor editor;
  editor.resize(1200, 700);
  editor.show();
  QElapsedTimer timer;
  timer.start();
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; ++i) {
    std::get<LambdaMixer>(architecture.stages[0].blocks[0].mixer).queryDepth = 1 + i;
    editor.setArchitecture(architecture);
  }
  // A frame at 60 Hz; measured are 0.2 ms.
  QVERIFY2(timer.elapsed() / kTimes < 16, qPrintable(QString::number(timer.elapsed())));
}

void TestNetworkEditor::quantitiesAreShort_data() {
  QTest::addColumn<QString>("shown");
  QTest::addColumn<QString>("expected");
  QTest::newRow("small") << shortCount(456) << u"456"_s;
  QTest::newRow("thousands") << shortCount(1234) << u"1.23 k"_s;
  QTest::newRow("two digits") << shortCount(1180000, 2) << u"1.2 M"_s;
  QTest::newRow("hundreds") << shortCount(303400000, 2) << u"303 M"_s;
  QTest::newRow("next prefix") << shortCount(999999, 2) << u"1.0 M"_s;
  QTest::newRow("negative") << shortCount(-1500) << u"−1.50 k"_s;
  QTest::newRow("bytes") << shortBytes(5240000) << u"5.2 MB"_s;
  QTest::newRow("few bytes") << shortBytes(12) << u"12 B"_s;
  QTest::newRow("seconds") << shortDuration(41.2) << u"41 s"_s;
  QTest::newRow("minutes") << shortDuration(480) << u"8 min"_s;
  QTest::newRow("hours") << shortDuration(3725) << u"1 h 02 min"_s;
  QTest::newRow("days") << shortDuration(86400 * 3.5) << u"3.5 days"_s;
  QTest::newRow("grouped") << groupedCount(1234567) << u"1,234,567"_s;
}

void TestNetworkEditor::quantitiesAreShort() {
  QFETCH(QString, shown);
  QFETCH(QString, expected);
  QCOMPARE(shown.replace(QChar(0xa0), u' '), expected);
}

}  // namespace lambda

QTEST_MAIN(lambda::TestNetworkEditor)
#include "tst_network_editor.moc"
