#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include "app/generated/generated_text.h"
#include "app/inspect/generate/generate_view.h"
#include "app/inspect/images/image_picker.h"
#include "app/inspect/text/text_deck.h"
#include "tests/support/inspect_page_stage.h"
#include "tests/support/text_run.h"
#include "widgets/forms/field_form.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

RunRecord textRecord(const std::string& name) {
  RunRecord record = finishedRecord(name);
  record.config = tokensRun(TextSource{"book.txt", kTextLength}, 256, 9);
  return record;
}

/// The Inspect page with a run on a text, which is shown.
struct WritingStage : InspectPageStage {
  WritingStage() {
    run = writeSummary(library(), "book", textRecord("book"));
    page().showRun(run.path);
    [this] { QTRY_VERIFY(part<TextDeck>().isVisible()); }();
    QTest::keyClick(&page(), Qt::Key_M);
    [this] { QTRY_VERIFY(view().isVisible() && start().isEnabled()); }();
  }

  GenerateView& view() const { return part<GenerateView>(); }

  GeneratedText& text() const { return part<GeneratedText>(); }

  QPlainTextEdit& prompt() const { return part<QPlainTextEdit>(); }

  template <class Part>
  Part& named(const char* name) {
    return *page().findChild<Part*>(QString::fromLatin1(name));
  }

  QPushButton& start() { return named<QPushButton>("generate"); }

  QString label(const char* name) { return named<QLabel>(name).text(); }

  /// Types a number into a field of the form.
  void type(const std::string& path, const QString& number) {
    QWidget* editor = part<FieldForm>().editorOf(path);
    QWidget* box = editor->focusProxy() ? editor->focusProxy() : editor;
    box->setFocus();
    QTest::keyClick(box, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(box, number);
    QTest::keyClick(box, Qt::Key_Return);
  }

  RunSummary run;
};

}  // namespace

class TestInspectGenerate : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void aPromptIsContinued() {
    WritingStage stage;
    QVERIFY(!stage.part<ImagePicker>().isVisible());
    stage.prompt().setFocus();
    QTest::keyClicks(&stage.prompt(), u"In the "_s);
    stage.type("tokens", u"6"_s);
    stage.type("temperature", u"0.5"_s);
    stage.type("topP", u"0.75"_s);
    stage.type("seed", u"7"_s);
    QTest::mouseClick(&stage.start(), Qt::LeftButton);
    QTRY_COMPARE(stage.text().toPlainText(), u"In the abcabc"_s);
    QTRY_COMPARE(stage.start().text(), u"Write"_s);
    const std::vector<GenerationRequest> asked = stage.engine->generations();
    QCOMPARE(asked.size(), std::size_t{1});
    QCOMPARE(asked[0].run, stage.page().source().checkpoint);
    QCOMPARE(asked[0].prompt, std::string("In the "));
    QCOMPARE(asked[0].options.tokens, std::int64_t{6});
    QCOMPARE(asked[0].options.sampling.temperature, 0.5);
    QCOMPARE(asked[0].options.sampling.topP, 0.75);
    QCOMPARE(asked[0].options.sampling.seed, std::uint64_t{7});
    QVERIFY(!asked[0].options.isParallel);
    QCOMPARE(stage.view().status(), u"6 bytes"_s);
    // A token takes 2 ms, 4 MB of weights at 8 GB/s take half a millisecond.
    QCOMPARE(stage.label("recurrentTime"), u"2.00 ms"_s);
    QCOMPARE(stage.label("parallelTime"), u"–"_s);
    QTRY_COMPARE(stage.label("boundTime"), u"0.500 ms"_s);
    QTest::mouseClick(stage.page().findChild<QToolButton*>(u"copyText"_s), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), u"In the abcabc"_s);
  }

  void aClickedCharacterShowsWhatTheNetworkLookedAt() {
    WritingStage stage;
    stage.prompt().setFocus();
    QTest::keyClicks(&stage.prompt(), u"In the "_s);
    stage.type("tokens", u"6"_s);
    QTest::mouseClick(&stage.start(), Qt::LeftButton);
    QTRY_COMPARE(stage.text().toPlainText(), u"In the abcabc"_s);
    QTRY_COMPARE(stage.start().text(), u"Write"_s);
    GeneratedText& text = stage.text();
    QTextCursor cursor(text.document());
    cursor.setPosition(8);
    const QPoint between = text.cursorRect(cursor).center();
    QTest::mouseClick(text.viewport(), Qt::LeftButton, {}, between + QPoint(3, 0));
    QTRY_VERIFY(stage.part<TextDeck>().isVisible());
    // The second character that was drawn, predicted where the first one stands.
    const auto isAsked = [&] {
      const std::vector<TokenInspectionRequest> asked = stage.engine->tokenInspections();
      const std::vector<std::int64_t> expected{'I', 'n', ' ', 't', 'h', 'e', ' ', 'a', 'b'};
      return !asked.empty() && asked.back().tokens == expected && asked.back().position == 7;
    };
    QTRY_VERIFY(isAsked());
    // Nothing was predicted where the prompt stands.
    QTest::keyClick(&stage.page(), Qt::Key_M);
    const std::size_t count = stage.engine->tokenInspections().size();
    cursor.setPosition(2);
    QTest::mouseClick(text.viewport(), Qt::LeftButton, {}, text.cursorRect(cursor).center());
    QVERIFY(stage.view().isVisible());
    QCOMPARE(stage.engine->tokenInspections().size(), count);
  }

  void readingAllAgainChangesTheClockAlone() {
    WritingStage stage;
    stage.type("tokens", u"6"_s);
    QTest::mouseClick(&stage.start(), Qt::LeftButton);
    QTRY_VERIFY(stage.label("recurrentTime") != u"–"_s);
    const QString first = stage.text().toPlainText();
    for (QToolButton* button : stage.page().findChildren<QToolButton*>()) {
      if (button->text() == u"Parallel"_s) QTest::mouseClick(button, Qt::LeftButton);
    }
    // Ctrl+Return begins, as the button does.
    stage.prompt().setFocus();
    QTest::keyClick(&stage.prompt(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE(stage.label("parallelTime"), u"2.00 ms"_s);
    QCOMPARE(stage.label("recurrentTime"), u"2.00 ms"_s);
    QTRY_COMPARE(stage.text().toPlainText(), first);
    const std::vector<GenerationRequest> asked = stage.engine->generations();
    QCOMPARE(asked.size(), std::size_t{2});
    QVERIFY(asked[1].options.isParallel);
    GenerationOptions other = asked[1].options;
    QCOMPARE(other.sampling.seed, asked[0].options.sampling.seed);
  }

  void aTextComesByAndByAndStopsAtOnce() {
    WritingStage stage;
    stage.engine->tokenTime = std::chrono::milliseconds(20);
    stage.type("tokens", u"100000"_s);
    QTest::mouseClick(&stage.start(), Qt::LeftButton);
    QCOMPARE(stage.start().text(), u"Stop"_s);
    QTRY_VERIFY(stage.text().toPlainText().size() > 2);
    QVERIFY(stage.view().status().endsWith(u" of 100,000 bytes"_s));
    QElapsedTimer timer;
    timer.start();
    QTest::mouseClick(&stage.start(), Qt::LeftButton);
    QVERIFY(timer.elapsed() < 100);
    QCOMPARE(stage.start().text(), u"Write"_s);
    const QString text = stage.text().toPlainText();
    // The engine has stopped too: it measures the memory behind the text.
    QTRY_COMPARE(stage.label("boundTime"), u"0.500 ms"_s);
    QCOMPARE(stage.text().toPlainText(), text);
  }

  void otherWeightsEndTheText() {
    WritingStage stage;
    stage.engine->tokenTime = std::chrono::milliseconds(20);
    QTest::mouseClick(&stage.start(), Qt::LeftButton);
    QTRY_VERIFY(!stage.text().toPlainText().isEmpty());
    const RunSummary images = stage.writtenRun("images");
    stage.show(images);
    QCOMPARE(stage.page().mode(), InspectModeKind::image);
    QVERIFY(!stage.view().isWriting());
    QVERIFY(!stage.action(u"Generate"_s)->isVisible());
    stage.page().showRun(stage.run.path);
    QTRY_COMPARE(stage.page().mode(), InspectModeKind::text);
    QTRY_VERIFY(stage.action(u"Generate"_s)->isVisible());
    stage.action(u"Generate"_s)->trigger();
    QVERIFY(stage.view().isVisible());
    QCOMPARE(stage.text().toPlainText(), QString());
    QCOMPARE(stage.label("recurrentTime"), u"–"_s);
  }

  void whatIsWrongIsSaid() {
    WritingStage stage;
    stage.engine->refusal = "prompt: x is no token of this network";
    QTest::mouseClick(&stage.start(), Qt::LeftButton);
    QTRY_VERIFY(stage.named<QLabel>("generateProblem").isVisible());
    QVERIFY(stage.label("generateProblem").contains(u"x is no token"_s));
    QVERIFY(!stage.view().isWriting());
    stage.engine->refusal.reset();
    QTest::mouseClick(&stage.start(), Qt::LeftButton);
    QTRY_VERIFY(!stage.view().isWriting());
    QVERIFY(!stage.named<QLabel>("generateProblem").isVisible());
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectGenerate)
#include "tst_inspect_generate.moc"
