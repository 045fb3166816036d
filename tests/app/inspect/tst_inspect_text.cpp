#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QtTest/QtTest>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/empty_state.h"
#include "app/inspect/images/image_picker.h"
#include "app/inspect/panels/contribution_facts.h"
#include "app/inspect/text/channels_panel.h"
#include "app/inspect/text/kept_panel.h"
#include "app/inspect/text/text_deck.h"
#include "app/inspect/text/text_mode.h"
#include "app/inspect/text/text_panel.h"
#include "app/inspect/text/text_picker.h"
#include "app/inspect/text/text_words.h"
#include "app/inspect/text/token_map_panel.h"
#include "engine/runtime/error.h"
#include "tests/support/example_tokens.h"
#include "tests/support/inspect_page_stage.h"
#include "widgets/pictures/bar_list.h"
#include "widgets/pictures/colored_text.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

Mixer causalLambda() {
  LambdaMixer lambda;
  lambda.queryDepth = 4;
  lambda.heads = 2;
  lambda.mask = ContextMask::causal;
  return lambda;
}

TokenSnapshot snapshotOf(const std::vector<std::int64_t>& tokens) {
  return exampleTokens(textRun(RwkvMixer{}), {.tokens = tokens}, 0, 0);
}

}  // namespace

/// The Inspect page for a run of a network of tokens, as a person uses it.
class TestInspectText : public QObject {
  Q_OBJECT

 private:
  RunSummary writtenText(const std::string& name, const Mixer& mixer) const {
    RunRecord record = finishedRecord(name);
    record.config.architecture = textRun(mixer).architecture;
    record.config.data = textRun(mixer).data;
    record.pattern = patternOf(record.config.architecture);
    return writeSummary(stage_->library(), name, record);
  }

  void show(const RunSummary& run) {
    stage_->page().showRun(run.path);
    QTRY_VERIFY(shown());
  }

  TextDeck& deck() { return stage_->part<TextDeck>(); }

  ColoredText& text() { return deck().text().text(); }

  const TextMode& mode() { return stage_->part<TextMode>(); }

  bool shown() { return !text().tokens().empty() && text().isVisible(); }

  void click(int token) {
    QTest::mouseClick(
        &text(), Qt::LeftButton, Qt::NoModifier, text().cellOf(token).center().toPoint());
    QTRY_COMPARE(text().values().values.size(), static_cast<std::size_t>(token) + 1);
  }

  std::unique_ptr<InspectPageStage> stage_;

 private Q_SLOTS:

  void init() { stage_ = std::make_unique<InspectPageStage>(); }

  void cleanup() { stage_.reset(); }

  void aRunOfTokensShowsItsText() {
    show(writtenText("rwkv", RwkvMixer{}));
    QCOMPARE(stage_->page().mode(), InspectModeKind::text);
    QCOMPARE(text().chosen(), 53);
    QCOMPARE(text().tokens()[2].label, u"␣"_s);
    QCOMPARE(text().tokens()[28].label, u"↵"_s);
    QCOMPARE(text().tokens()[28].name, u"line break"_s);
    // The line break ends its line.
    QVERIFY(text().cellOf(29).top() > text().cellOf(28).top());
    QCOMPARE(deck().text().facts().residualText(),
             u"✓ Adds up to the layer's output within 2e−7"_s);
    QVERIFY(!stage_->part<ImagePicker>().isVisible());
    QVERIFY(stage_->part<TextPicker>().isVisible());
    for (const char* name : {"Image", "Epochs", "Compare"}) {
      QVERIFY(!stage_->action(QString::fromLatin1(name))->isVisible());
    }
    QVERIFY(!stage_->action(u"Own picture …"_s)->isEnabled());
    QVERIFY(stage_->action(u"Colour the text by effect"_s)->isEnabled());
    QVERIFY(stage_->action(u"Next text"_s));
  }

  void aClickChoosesTheTokenWhoseOutputIsShown() {
    show(writtenText("rwkv", RwkvMixer{}));
    click(12);
    QCOMPARE(text().chosen(), 12);
    QCOMPARE(stage_->engine->tokenInspections().back().position, 12);
    const Array& map = deck().map().map().data().array;
    for (int m = 0; m <= 12; ++m) {
      const auto at = static_cast<std::size_t>(12 * map.shape[1] + m);
      QCOMPARE(text().values().values[static_cast<std::size_t>(m)], map.values[at]);
    }
    QCOMPARE(text().readoutOf(12), u"12: “n”, weight 1.00"_s);
    // A token after the chosen one has no value.
    QCOMPARE(text().readoutOf(13), u"13: “i”"_s);
    QVERIFY(
        deck().text().sentence().startsWith(u"After token 12, “n”, the network expects space."_s));
  }

  void keysWalkThroughTheText() {
    show(writtenText("rwkv", RwkvMixer{}));
    click(12);
    text().setFocus();
    QTest::keyClick(&text(), Qt::Key_Left);
    QTRY_COMPARE(text().values().values.size(), 12U);
    QTest::keyClick(&text(), Qt::Key_Right);
    QTRY_COMPARE(text().values().values.size(), 13U);
    QTest::keyClick(&text(), Qt::Key_Down);
    // The token below is in the line after the line break.
    QTRY_VERIFY(text().chosen() > 28);
    QCOMPARE(text().cellOf(text().chosen()).left(), text().cellOf(12).left());
    QTest::keyClick(&text(), Qt::Key_Up);
    QTRY_COMPARE(text().chosen(), 12);
    QTest::keyClick(&text(), Qt::Key_Home);
    QTRY_COMPARE(text().values().values.size(), 1U);
    QTest::keyClick(&text(), Qt::Key_Left);
    QCOMPARE(text().chosen(), 0);
    QTest::keyClick(&text(), Qt::Key_End);
    QTRY_COMPARE(text().values().values.size(), 54U);
  }

  void aRowOfTheMapChoosesItsToken() {
    show(writtenText("rwkv", RwkvMixer{}));
    HeatmapView& map = deck().map().map();
    const QPointF at = map.cellRect({0, 20, 5}).center();
    QTest::mouseClick(&map, Qt::LeftButton, Qt::NoModifier, at.toPoint());
    QTRY_COMPARE(text().chosen(), 20);
    QTRY_COMPARE(text().values().values.size(), 21U);
  }

  void partsAreThoseOfTheLayer() {
    show(writtenText("lambda", causalLambda()));
    stage_->action(u"Colour the text by position"_s)->trigger();
    QCOMPARE(deck().quantity(), ContributionKind::position);
    QCOMPARE(text().values().quantity, u"A position"_s);
    const auto heads = deck().text().findChild<QComboBox*>();
    QCOMPARE(heads->count(), 3);
    QVERIFY(heads->isVisible());
    const float all = text().values().values.back();
    Q_EMIT heads->activated(1);
    QCOMPARE(text().values().values.back(), all / 2);
    // RWKV has neither parts nor heads: the total is shown.
    show(writtenText("rwkv", RwkvMixer{}));
    QTRY_COMPARE(text().values().quantity, u"weight"_s);
    QVERIFY(!heads->isVisible());
  }

  void layersAreChosenInTheirList() {
    show(writtenText("rwkv", RwkvMixer{}));
    LayerList& layers = deck().layers();
    QCOMPARE(layers.count(), 2);
    layers.setCurrentRow(1);
    QTRY_COMPARE(mode().request().layer, std::string("stage1.block2.mixer"));
    QTRY_COMPARE(stage_->engine->tokenInspections().back().layer,
                 std::string("stage1.block2.mixer"));
    stage_->action(u"Previous layer"_s)->trigger();
    QTRY_COMPARE(stage_->engine->tokenInspections().back().layer,
                 std::string("stage1.block1.mixer"));
  }

  void anotherTextOfTheRunIsChosen() {
    show(writtenText("rwkv", RwkvMixer{}));
    stage_->action(u"Next text"_s)->trigger();
    QTRY_COMPARE(stage_->engine->tokenInspections().back().sequence, 1U);
    auto& index = *stage_->part<TextPicker>().findChild<QSpinBox*>();
    QCOMPARE(index.maximum(), 19);
    index.setValue(7);
    QTRY_COMPARE(stage_->engine->tokenInspections().back().sequence, 7U);
    auto& splits = *stage_->part<TextPicker>().findChild<QComboBox*>();
    splits.setCurrentIndex(1);
    Q_EMIT splits.activated(1);
    QTRY_COMPARE(stage_->engine->tokenInspections().back().split, Split::test);
  }

  void aPersonTypesATextOfTheirOwn() {
    show(writtenText("rwkv", RwkvMixer{}));
    auto& field = *stage_->part<TextPicker>().findChild<QLineEdit*>();
    QTest::keyClicks(&field, u"Hello"_s);
    QTest::keyClick(&field, Qt::Key_Return);
    QTRY_COMPARE(text().tokens().size(), 5U);
    QCOMPARE(text().chosen(), 4);
    const TokenInspectionRequest asked = stage_->engine->tokenInspections().back();
    QCOMPARE(*asked.tokens, (std::vector<std::int64_t>{'H', 'e', 'l', 'l', 'o'}));
    // Too short a text says so, and the next one is shown again.
    field.setText(u"H"_s);
    QTest::keyClick(&field, Qt::Key_Return);
    QTRY_VERIFY(deck().showsFailure());
    QVERIFY(deck().findChild<EmptyState*>()->text().contains(u"at least two tokens"_s));
    field.setText(u"Hi"_s);
    QTest::keyClick(&field, Qt::Key_Return);
    QTRY_COMPARE(text().tokens().size(), 2U);
    QVERIFY(!deck().showsFailure());
    // An empty field stands for the run's text.
    field.clear();
    QTRY_COMPARE(text().tokens().size(), 54U);
  }

  void tokensThatAreNumbersAreTypedAsNumbers() {
    RunRecord record = finishedRecord("recall");
    record.config.architecture = textRun(RwkvMixer{}).architecture;
    record.config.architecture.outputs = 16;
    record.config.data = textRun(RwkvMixer{}).data;
    record.config.data.source = RecallSource{.vocabulary = 16, .length = 64};
    show(writeSummary(stage_->library(), "recall", record));
    auto& field = *stage_->part<TextPicker>().findChild<QLineEdit*>();
    field.setText(u"3 1 15"_s);
    QTest::keyClick(&field, Qt::Key_Return);
    QTRY_COMPARE(text().tokens().size(), 3U);
    QCOMPARE(text().tokens()[2].label, u"15"_s);
    field.setText(u"3 16"_s);
    QTest::keyClick(&field, Qt::Key_Return);
    QTRY_VERIFY(deck().showsFailure());
    QVERIFY(deck().findChild<EmptyState*>()->text().contains(u"16 is no token"_s));
  }

  void theNextTokenHasBars() {
    show(writtenText("rwkv", RwkvMixer{}));
    click(2);
    const std::vector<Bar>& bars = deck().text().next().bars();
    QCOMPARE(bars.front().name, u"space"_s);
    QVERIFY(bars.front().isChosen && !bars.front().isTrue);
    // The token that comes next, though it is not among the most probable ones.
    QCOMPARE(bars.back().name, u"“t”"_s);
    QVERIFY(bars.back().isTrue);
    QVERIFY(deck().text().sentence().contains(u"What follows, “t”, had 0.00 %."_s));
  }

  void channelsOfRwkvHaveHalfLives() {
    show(writtenText("rwkv", RwkvMixer{}));
    auto& tabs = *deck().findChild<QTabWidget*>();
    tabs.setCurrentIndex(2);
    ChannelsPanel& channels = deck().channels();
    QTRY_VERIFY(channels.weights().isVisible());
    QVERIFY(channels.summary().contains(u"from 103 down to 0.0938 tokens"_s));
    QCOMPARE(channels.decay().data().rowCount(), 8);
    const QPointF at = channels.decay().cellRect({0, 7, 0}).center();
    QTest::mouseMove(&channels.decay(), at.toPoint());
    QTRY_COMPARE(channels.readout(), u"Channel 0: half-life 0.0938 tokens, e^−w 6.18e−4, u 0."_s);
    tabs.setCurrentIndex(1);
    QTRY_VERIFY(deck().kept().picture(1).isVisible());
    QVERIFY(!deck().kept().picture(2).isVisible());
    // Layers whose channels share their weights have no such panel.
    show(writtenText("lambda", causalLambda()));
    QTRY_VERIFY(!tabs.isTabEnabled(2));
    QVERIFY(!tabs.tabToolTip(2).isEmpty());
  }

  void imagesComeBackWithARunOfThem() {
    show(writtenText("rwkv", RwkvMixer{}));
    stage_->show(stage_->writtenRun("images"));
    QCOMPARE(stage_->page().mode(), InspectModeKind::image);
    QVERIFY(!deck().isVisible() && stage_->part<ImagePicker>().isVisible());
    QVERIFY(stage_->action(u"Next image"_s) && !stage_->action(u"Next text"_s));
    QVERIFY(stage_->action(u"Own picture …"_s)->isEnabled());
    QVERIFY(!stage_->action(u"Colour the text by effect"_s)->isEnabled());
    QVERIFY(!stage_->action(u"Text"_s)->isVisible());
  }

  void aFailureSaysWhyAndCanBeTriedAgain() {
    std::atomic<bool> fails = true;
    stage_->engine->tokens = [&](const auto& config, const auto& request, auto step, int epoch) {
      if (fails) throw Error("book.txt", "this text can't be opened", "Give its place.");
      return exampleTokens(config, request, step, epoch);
    };
    stage_->page().showRun(writtenText("rwkv", RwkvMixer{}).path);
    QTRY_VERIFY(deck().showsFailure());
    QVERIFY(deck().findChild<EmptyState*>()->text().contains(u"can't be opened"_s));
    fails = false;
    Q_EMIT deck().findChild<EmptyState*>()->firstClicked();
    QTRY_VERIFY(shown());
  }

  void itFitsASmallWindow() {
    stage_->open({920, 560});
    show(writtenText("rwkv", RwkvMixer{}));
    const QSize least = stage_->page().minimumSizeHint();
    QVERIFY2(least.width() <= 920 && least.height() <= 560,
             qPrintable(u"%1 x %2"_s.arg(least.width()).arg(least.height())));
    QCOMPARE(stage_->page().size(), QSize(920, 560));
    // The chosen token is in view, also where the text is longer than its area.
    QTRY_VERIFY(text().visibleRegion().contains(text().cellOf(53).center().toPoint()));
  }

  void theChoiceIsRemembered() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath(u"s.ini"_s), QSettings::IniFormat);
    deck().setQuantity(ContributionKind::effect);
    deck().findChild<QTabWidget*>()->setCurrentIndex(1);
    stage_->page().saveLayout(settings);
    stage_->open({1208, 730});
    stage_->page().restoreLayout(settings);
    QCOMPARE(deck().quantity(), ContributionKind::effect);
    QCOMPARE(deck().findChild<QTabWidget*>()->currentIndex(), 1);
  }

  void charactersOfSeveralBytesAreNamed() {
    // "é" of two bytes, a byte that is none of a character, a control character.
    const std::vector<ShownToken> tokens = shownTokens(snapshotOf({0xc3, 0xa9, 0xff, 7, 'a'}));
    QCOMPARE(tokens[0].label, u"é"_s);
    QCOMPARE(tokens[1].label, u"·"_s);
    QCOMPARE(tokens[1].name, u"byte 0xa9 of “é”"_s);
    QCOMPARE(tokens[2].label, u"\\xff"_s);
    QCOMPARE(tokens[3].name, u"byte 0x07"_s);
    QCOMPARE(tokens[4].label, u"a"_s);
    // The beginning of a character at the end of the text is none.
    QCOMPARE(shownTokens(snapshotOf({'a', 0xe2, 0x82})).back().label, u"\\x82"_s);
  }

  void coloursAreThoseOfTheMapInBothThemes() {
    const TokenValues values{.values = {}, .map = ColorMap::diverging, .range = {-2, 2}};
    for (const Colors* colors : {&lightColors(), &darkColors()}) {
      QCOMPARE(tokenColor(values, 0, *colors), colors->page);
      QVERIFY(tokenColor(values, 2, *colors).red() > tokenColor(values, 2, *colors).blue());
      QVERIFY(tokenColor(values, -2, *colors).blue() > tokenColor(values, -2, *colors).red());
    }
  }

  void linesAreWrappedBetweenWords() {
    ColoredText view;
    std::vector<ShownToken> tokens;
    for (const QChar c : u"one two three four five six seven"_s) {
      tokens.push_back({.label = c, .name = c, .isBreakable = c == u' '});
    }
    view.setTokens(tokens);
    view.resize(view.minimumSizeHint().width(),
                view.heightForWidth(view.minimumSizeHint().width()));
    view.show();
    // A line begins with a letter after a space.
    double top = 0;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      const QRectF cell = view.cellOf(static_cast<int>(i));
      QVERIFY(cell.right() <= view.width() + 0.5);
      if (cell.top() > top) QCOMPARE(tokens[i - 1].label, u" "_s);
      top = cell.top();
    }
    QVERIFY(top > 0);
    QCOMPARE(view.heightForWidth(view.width()), qCeil(view.cellOf(32).bottom()));
    QVERIFY(view.toCsv().startsWith(u"index,token,value\n0,\"o\",\n"_s));
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectText)
#include "tst_inspect_text.moc"
