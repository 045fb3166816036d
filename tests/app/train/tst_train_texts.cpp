#include <cmath>
#include <numbers>

#include <QApplication>
#include <QClipboard>
#include <QListWidget>
#include <QTest>
#include <QToolButton>

#include "app/generated/generated_text.h"
#include "app/generated/text_samples_panel.h"
#include "app/train/data/augmentation_preview.h"
#include "app/train/data/data_panel.h"
#include "app/train/live/live_panel.h"
#include "app/train/run/result_banner.h"
#include "app/train/run/run_view.h"
#include "app/train/run/training_texts.h"
#include "app/train/train_status.h"
#include "app/train/training_text.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/text_sample.h"
#include "tests/support/text_run.h"
#include "tests/support/train_page_stage.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// Milliseconds: the text is read with low priority.
constexpr int kPatience = 20'000;

RunConfig textRun(const fs::path& folder) {
  const std::string path = (folder / "book.txt").string();
  writeFileDurably(path, book());
  RunConfig config = tokensRun(TextSource{path, kTextLength}, 256, 9);
  config.recipe.epochs = 200;
  return config;
}

std::vector<std::int64_t> bytesOf(std::string_view text) {
  std::vector<std::int64_t> bytes;
  for (const char byte : text) bytes.push_back(static_cast<unsigned char>(byte));
  return bytes;
}

void writeSample(const fs::path& run, int epoch, std::string_view text) {
  TextSample sample{.epoch = epoch, .step = 10 * epoch, .prompt = bytesOf("And ")};
  if (epoch > 0) sample.loss = 2.0 * std::numbers::ln2;
  sample.tokens = bytesOf(text);
  sample.probabilities.assign(sample.tokens.size(), 0.25);
  writeTextSample(run / "inspection" / textSampleName(epoch), sample);
}

}  // namespace

/// What the Train page shows of a run on a text.
class TestTrainTexts : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void theTextsOfTheEpochsAreShown() {
    ShownTrainPage shown;
    shown.document.startFrom(textRun(shown.folder.path().toStdString()));
    shown.engine->batchTime = std::chrono::milliseconds(5);
    shown.session.start(shown.document.runConfig(), fs::path(shown.folder.path().toStdString()));
    QTRY_VERIFY(!shown.session.status().run.empty());
    const fs::path run = shown.session.status().run;
    writeSample(run, 0, "\x01q");
    writeSample(run, 1, "it was");

    auto* panel = shown.find<TrainingTexts>();
    QVERIFY(panel->isVisible());
    QVERIFY(!shown.find<LivePanel>()->isVisible());
    auto* epochs = panel->findChild<QListWidget*>();
    auto* text = panel->findChild<GeneratedText*>();
    auto* when = panel->findChild<QLabel*>(u"sampleWhen"_s);
    QTRY_COMPARE(epochs->count(), 2);
    QCOMPARE(epochs->item(1)->text(), u"Epoch 1 · 2.00 bits"_s);
    QCOMPARE(text->toPlainText(), u"And it was"_s);
    QCOMPARE(when->text(), u"Epoch 1 · validation 2.000 bits per byte · step 10"_s);
    QCOMPARE(text->groundAt(4), probabilityColor(colorsOf(*text), 0.25));

    // An earlier one stays while others come; the newest one is followed again.
    QTest::mouseClick(
        epochs->viewport(), Qt::LeftButton, {}, epochs->visualItemRect(epochs->item(0)).center());
    QCOMPARE(text->toPlainText(), u"And ␁q"_s);
    QCOMPARE(when->text(), u"At the start · step 0"_s);
    writeSample(run, 2, "it came");
    QTRY_COMPARE(epochs->count(), 3);
    QCOMPARE(epochs->currentRow(), 0);
    QTest::keyClick(epochs, Qt::Key_End);
    QCOMPARE(text->toPlainText(), u"And it came"_s);
    writeSample(run, 3, "he said");
    QTRY_COMPARE(text->toPlainText(), u"And he said"_s);

    // What was kept is there after the end, too.
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
    TextSamplesPanel later;
    later.showRun(run, shown.session.status().record.config, false);
    later.show();
    QTRY_COMPARE(later.findChild<QListWidget*>()->count(), 4);
  }

  void theCharacterUnderThePointerIsDescribed() {
    GeneratedText text;
    text.resize(400, 200);
    text.show();
    QVERIFY(QTest::qWaitForWindowExposed(&text));
    text.begin(TokenText(TextSource(), 256), bytesOf("Ab"));
    const std::vector<GeneratedToken> drawn{
        {.token = 'e', .probability = 0.5, .likeliest = {{'e', 0.5}, {' ', 0.25}, {'\n', 0.125}}},
        {.token = 0xC3, .probability = 0.5, .likeliest = {{0xC3, 0.5}}},
        {.token = 0xA4, .probability = 0.5},
        {.token = '\n', .probability = 1}};
    text.add(drawn);
    text.finish();
    QCOMPARE(text.toPlainText(), u"Abeä↵\n"_s);
    QCOMPARE(text.plainText(), u"Abeä\n"_s);
    QString readout;
    connect(
        &text, &GeneratedText::readoutChanged, &text, [&](const QString& said) { readout = said; });
    const auto pointAt = [&](int position) {
      QTextCursor cursor = text.textCursor();
      cursor.setPosition(position);
      const QRect left = text.cursorRect(cursor);
      QTest::mouseMove(text.viewport(), {left.right() + 2, left.center().y()});
      QTest::qWait(20);
      return readout;
    };
    QTRY_COMPARE(pointAt(2),
                 u"“e”: 50.0 % · likeliest: “e” 50.0 %, space 25.0 %, line break 12.5 %"_s);
    QTRY_COMPARE(pointAt(3), u"“ä”, 2 bytes: 25.0 % · likeliest: byte 0xc3 50.0 %"_s);
    QTRY_COMPARE(pointAt(0), QString());
    // The same with the keyboard.
    text.activateWindow();
    text.setFocus();
    QTRY_VERIFY(text.hasFocus());
    text.moveCursor(QTextCursor::Start);
    QTest::keyClick(&text, Qt::Key_Right);
    QTest::keyClick(&text, Qt::Key_Right);
    QVERIFY(readout.startsWith(u"“e”: 50.0 %"_s));
    // What is copied has no marks.
    QTest::keyClick(&text, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&text, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), u"Abeä\n"_s);
  }

  void aRunSpeaksOfTokensAndBits() {
    ShownTrainPage shown;
    RunConfig config = textRun(shown.folder.path().toStdString());
    config.recipe.epochs = 3;
    shown.document.startFrom(config);
    TrainStatus status(shown.session);
    status.show();
    shown.engine->batchTime = std::chrono::milliseconds(5);
    shown.session.start(shown.document.runConfig(), fs::path(shown.folder.path().toStdString()));
    QTRY_COMPARE(status.findChild<QLabel*>(u"throughput"_s)->text(), u"20,480 tokens/s"_s);
    QTRY_COMPARE(shown.ended.count(), 1);
    const double loss = shown.session.metrics().epochs.back().validation->loss;
    const QString bits =
        u"%1 bits per byte"_s.arg(QString::number(loss / std::numbers::ln2, 'f', 3));
    const auto* result = shown.find<ResultBanner>()->findChild<QLabel*>(u"result"_s);
    QVERIFY2(result->text().contains(bits), qPrintable(result->text()));
    config.data.source = RecallSource();
    QCOMPARE(lossInWords(config)(std::log(4.0)), u"perplexity 4.00"_s);
    QVERIFY(!lossInWords(smallTrainConfig(1)));
  }

  void theDataSaysHowManySequencesValidate() {
    ShownTrainPage shown;
    RunConfig config = textRun(shown.folder.path().toStdString());
    const DataSource text = config.data.source;
    config.data.source = Shapes10Source();
    config.data.validationCount = 1234;
    shown.document.startFrom(config);
    const auto validation = [&] { return shown.document.runConfig().data.validationCount; };
    const auto hasProblem = [&] {
      return std::ranges::any_of(shown.document.problems(), [](const Problem& problem) {
        return problem.path == "data.validationCount";
      });
    };
    const auto choose = [&](std::string_view title) {
      for (QToolButton* button : shown.find<DataPanel>()->findChildren<QToolButton*>()) {
        if (button->text().toStdString() == title) QTest::mouseClick(button, Qt::LeftButton);
      }
    };
    QCOMPARE(validation(), 1234);
    choose(traitsOf(DataSource(RecallSource())).title);
    QCOMPARE(validation(), RecallSource().validationCount);
    // There are no images to show, as training sees them.
    QVERIFY(!shown.find<AugmentationPreview>()->isVisible());
    QVERIFY(!hasProblem());
    // 300 bytes have one window of 256 and the byte behind, and 9 of 32.
    QVERIFY(shown.page.offerData(*pathOf(text)));
    QTRY_COMPARE_WITH_TIMEOUT(validation(), 1, kPatience);
    DataSource source = shown.document.config().data.source;
    std::get<TextSource>(source).length = kTextLength;
    Q_EMIT shown.find<DataPanel>()->sourceChosen(source);
    QTRY_COMPARE_WITH_TIMEOUT(validation(), 9, kPatience);
    QVERIFY(!hasProblem());
    // A person's number stays, and is a problem that can be fixed.
    config = shown.document.config();
    config.data.validationCount = 4;
    shown.document.edit(config, u"Set validation"_s);
    QCOMPARE(validation(), 4);
    QVERIFY(hasProblem());
    choose(traitsOf(DataSource(Shapes10Source())).title);
    QCOMPARE(validation(), 1234);
    QVERIFY(shown.find<AugmentationPreview>()->isVisible());
  }

  void aRunOnImagesHasItsOwnTabs() {
    ShownTrainPage shown(2);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    QVERIFY(shown.find<LivePanel>()->isVisible());
    QTabWidget& tabs = shown.find<RunView>()->tabs();
    QVERIFY(!tabs.isTabVisible(tabs.indexOf(shown.find<TrainingTexts>())));
  }

  void whyThereIsNoTextIsSaid() {
    TextSamplesPanel panel;
    const auto said = [&](const fs::path& run, const RunConfig& config) {
      panel.showRun(run, config, false);
      panel.show();
      return panel.findChild<QLabel*>(u"noTexts"_s)->text();
    };
    const QTemporaryDir folder;
    const fs::path run = folder.path().toStdString();
    RunConfig config = textRun(run);
    QVERIFY(said({}, config).startsWith(u"What a network writes"_s));
    QCOMPARE(said(run, config), u"This run has kept no texts of its epochs."_s);
    QVERIFY(said(run, smallTrainConfig(1)).startsWith(u"This network takes images"_s));
    config.data.source = RecallSource();
    QVERIFY(said(run, config).startsWith(u"The sequences of this run are drawn by rules"_s));
    fs::create_directories(run / "inspection");
    writeFileDurably(run / "inspection" / textSampleName(1), "{");
    config = textRun(run);
    panel.hide();
    said(run, config);
    QTRY_VERIFY(panel.findChild<QLabel*>(u"noTexts"_s)->text().contains(u"epoch-0001.json"_s));
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTrainTexts)
#include "tst_train_texts.moc"
