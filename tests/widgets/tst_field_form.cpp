#include <map>
#include <string>
#include <vector>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QToolButton>
#include <QtTest/QtTest>

#include "tests/support/filled_values.h"
#include "widgets/forms/field_form.h"
#include "widgets/forms/number_box.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

struct Edit {
  std::string path;
  FieldValue value;
  QString gesture;
};

/// A form of one value, used as a page uses it: edits are applied and shown again.
template <class T>
class Live {
 public:
  explicit Live(T start, std::string prefix = {}) : value(std::move(start)), prefix_(prefix) {
    QObject::connect(
        &form,
        &FieldForm::edited,
        &form,
        [this](const std::string& path, const FieldValue& next, const QString& gesture) {
          edits.push_back({path, next, gesture});
          setField(value, path.substr(prefix_.empty() ? 0 : prefix_.size() + 1), next);
          refresh();
        });
    QObject::connect(&form, &FieldForm::finished, &form, [this] { ++finished; });
    refresh();
    form.resize(400, 700);
    form.show();
    form.activateWindow();
    if (!QTest::qWaitForWindowActive(&form)) qFatal("the window does not become active");
  }

  void refresh() { form.setSections({{u"All"_s, rowsOf(value, prefix_)}}); }

  template <class W = QWidget>
  W* editor(const std::string& path) {
    auto* found = qobject_cast<W*>(form.editorOf(path));
    if (!found) qFatal("there is no editor of that type at %s", path.c_str());
    return found;
  }

  T value;
  FieldForm form;
  std::vector<Edit> edits;
  int finished = 0;

 private:
  std::string prefix_;
};

std::map<std::string, FieldValue> asMap(const std::vector<FieldRow>& rows) {
  std::map<std::string, FieldValue> map;
  for (const FieldRow& row : rows) map[row.path] = row.value;
  return map;
}

}  // namespace

class TestFieldForm : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyRowCanBeVaried();
  void initTestCase();
  void everyRowHasAnEditorThatSetsIt();
  void typingIsOneGesture();
  void typingIsNotDisturbedByUpdates();
  void anUndoReplacesWhatWasTyped();
  void outOfRangeIsBroughtIntoRange();
  void separatorsOfThousandsAreNoDecimalPoints_data();
  void separatorsOfThousandsAreNoDecimalPoints();
  void aHeldArrowIsOneGesture();
  void aDraggedSliderIsOneGesture();
  void rowsThatStayKeepTheirEditors();
  void differingValuesShowADashAndAreSetTogether();
  void problemsStandAtTheirField();
  void aProblemOfAValueStandsAtItsFirstField();
  void theContextMenuResets();
  void theWheelChangesNothingUnlessFocused();
  void helpFollowsTheFocus();
  void labelsAreWholeInANarrowFormWithLargeText();
};

void TestFieldForm::initTestCase() {
  applyTheme(*qApp, ThemeChoice::light);
}

void TestFieldForm::everyRowHasAnEditorThatSetsIt() {
  Live<RunConfig> live(filledRun());
  for (const FieldRow& row : rowsOf(live.value)) {
    const RunConfig before = live.value;
    QWidget* editor = live.form.editorOf(row.path);
    QVERIFY2(editor, row.path.c_str());
    QVERIFY2(!editor->accessibleName().isEmpty(), row.path.c_str());
    if (auto* box = qobject_cast<NumberBox*>(editor)) {
      box->stepBy(box->value() < row.max ? 1 : -1);
    } else if (auto* combo = qobject_cast<QComboBox*>(editor)) {
      combo->setFocus();
      QTest::keyClick(combo, combo->currentIndex() > 0 ? Qt::Key_Up : Qt::Key_Down);
    } else if (auto* check = qobject_cast<QCheckBox*>(editor)) {
      check->click();
    } else if (auto* line = qobject_cast<QLineEdit*>(editor)) {
      line->setFocus();
      line->selectAll();
      QTest::keyClicks(line, u"7"_s);
    } else {
      QFAIL(row.path.c_str());
    }
    std::map<std::string, FieldValue> changed = asMap(rowsOf(before));
    QVERIFY2(!live.edits.empty() && live.edits.back().path == row.path, row.path.c_str());
    changed[row.path] = live.edits.back().value;
    if (row.path.ends_with(".kind") || row.path == "architecture.task") {
      // Another kind or task has other fields; the fields of the first kind are tested after this.
      QVERIFY2(asMap(rowsOf(live.value))[row.path] == live.edits.back().value, row.path.c_str());
      live.value = before;
      live.refresh();
      continue;
    }
    QVERIFY2(asMap(rowsOf(live.value)) == changed, row.path.c_str());
    QVERIFY2(!(live.value == before), row.path.c_str());
  }
}

void TestFieldForm::typingIsOneGesture() {
  Live<Recipe> live(Recipe{}, "recipe");
  auto* box = live.editor<NumberBox>("recipe.optimizer.learningRate");
  box->setFocus();
  box->selectAll();
  QTest::keyClicks(box, u"5e-4"_s);
  QCOMPARE(live.value.optimizer.learningRate, 5e-4);
  QVERIFY(live.edits.size() >= 2);
  for (const Edit& edit : live.edits) QCOMPARE(edit.gesture, live.edits.front().gesture);
  QVERIFY(!live.edits.front().gesture.isEmpty());
  QCOMPARE(live.finished, 0);
  QTest::keyClick(box, Qt::Key_Return);
  QCOMPARE(live.finished, 1);
  QCOMPARE(box->text(), u"5e-4"_s);
}

void TestFieldForm::typingIsNotDisturbedByUpdates() {
  Live<Recipe> live(Recipe{});
  auto* box = live.editor<NumberBox>("optimizer.learningRate");
  auto* line = box->findChild<QLineEdit*>();
  box->setFocus();
  box->selectAll();
  for (const char* typed : {"2", "0", "e", "-", "2"}) {
    QTest::keyClicks(box, QLatin1String(typed));
    const QString text = line->text();
    live.value.epochs += 1;
    live.refresh();
    QCOMPARE(line->text(), text);
    QCOMPARE(line->cursorPosition(), text.size());
    QVERIFY(box->hasFocus());
    QCOMPARE(live.form.editorOf("optimizer.learningRate"), box);
  }
  QCOMPARE(line->text(), u"20e-2"_s);
  QCOMPARE(live.value.optimizer.learningRate, 0.2);

  Live<Architecture> named(Architecture{});
  auto* name = named.editor<QLineEdit>("name");
  name->setFocus();
  QTest::keyClicks(name, u"ac"_s);
  QTest::keyClick(name, Qt::Key_Left);
  QTest::keyClicks(name, u"b"_s);
  QCOMPARE(named.value.name, std::string("abc"));
  QCOMPARE(name->cursorPosition(), 2);
}

void TestFieldForm::anUndoReplacesWhatWasTyped() {
  Live<Recipe> live(Recipe{});
  auto* box = live.editor<NumberBox>("epochs");
  box->setFocus();
  box->selectAll();
  QTest::keyClicks(box, u"77"_s);
  QCOMPARE(live.value.epochs, 77);
  live.value.epochs = 30;
  live.refresh();
  QCOMPARE(box->text(), u"30"_s);
}

void TestFieldForm::outOfRangeIsBroughtIntoRange() {
  Live<Block> live(Block{LambdaMixer{}});
  auto* box = live.editor<NumberBox>("mixer.k");
  box->setFocus();
  box->selectAll();
  QTest::keyClicks(box, u"999"_s);
  QCOMPARE(std::get<LambdaMixer>(live.value.mixer).queryDepth, 99);
  QCOMPARE(box->property("problem").toString(), u"error"_s);
  QTest::keyClick(box, Qt::Key_Return);
  QCOMPARE(std::get<LambdaMixer>(live.value.mixer).queryDepth, 256);
  QCOMPARE(box->text(), u"256"_s);
  QVERIFY(box->property("problem").toString().isEmpty());
  box->selectAll();
  QTest::keyClick(box, Qt::Key_Delete);
  QTest::keyClick(box, Qt::Key_Return);
  QCOMPARE(box->text(), u"256"_s);
}

void TestFieldForm::separatorsOfThousandsAreNoDecimalPoints_data() {
  QTest::addColumn<QString>("typed");
  QTest::addColumn<bool>("whole");
  QTest::addColumn<double>("value");
  QTest::newRow("as the window writes counts") << u"50,000"_s << true << 50000.0;
  QTest::newRow("German") << u"1.250.000"_s << true << 1250000.0;
  QTest::newRow("with spaces") << u"50 000"_s << true << 50000.0;
  QTest::newRow("plain") << u"50"_s << true << 50.0;
  QTest::newRow("decimal comma") << u"0,125"_s << false << 0.125;
  QTest::newRow("decimal point") << u"0.125"_s << false << 0.125;
}

void TestFieldForm::separatorsOfThousandsAreNoDecimalPoints() {
  QFETCH(QString, typed);
  QFETCH(bool, whole);
  QFETCH(double, value);
  NumberBox box;
  box.setFormat({.min = 0, .max = 1e9, .whole = whole, .unit = {}, .zeroText = {}});
  QSignalSpy edits(&box, &NumberBox::valueEdited);
  box.show();
  box.findChild<QLineEdit*>()->selectAll();
  QTest::keyClicks(box.findChild<QLineEdit*>(), typed);
  QTest::keyClick(&box, Qt::Key_Return);
  QCOMPARE(box.value(), value);
}

void TestFieldForm::aHeldArrowIsOneGesture() {
  Live<Recipe> live(Recipe{});
  auto* box = live.editor<NumberBox>("epochs");
  box->setFocus();
  for (int i = 0; i < 5; ++i) QTest::keyPress(box, Qt::Key_Up);
  QTest::keyRelease(box, Qt::Key_Up);
  QCOMPARE(live.value.epochs, 35);
  QCOMPARE(live.finished, 1);
  for (const Edit& edit : live.edits) QCOMPARE(edit.gesture, live.edits.front().gesture);
  QTest::keyClick(box, Qt::Key_Up);
  QVERIFY(live.edits.back().gesture != live.edits.front().gesture);
}

void TestFieldForm::aDraggedSliderIsOneGesture() {
  Live<Block> live(Block{LambdaMixer{}});
  QSlider* slider = live.editor("mixer.h")->parentWidget()->findChild<QSlider*>();
  QVERIFY(slider && slider->isVisible());
  slider->setSliderDown(true);
  for (const int position : {3, 4, 1}) slider->setValue(position);
  QCOMPARE(live.finished, 0);
  slider->setSliderDown(false);
  QCOMPARE(std::get<LambdaMixer>(live.value.mixer).heads, 2);
  QCOMPARE(live.edits.size(), 3u);
  for (const Edit& edit : live.edits) QCOMPARE(edit.gesture, live.edits.front().gesture);
  QCOMPARE(live.finished, 1);
}

void TestFieldForm::rowsThatStayKeepTheirEditors() {
  Live<Block> live(Block{ConvolutionMixer{}});
  QWidget* depth = live.form.editorOf("stochasticDepth");
  auto* kind = live.editor<QComboBox>("mixer.kind");
  kind->setFocus();
  QTest::keyClick(kind, Qt::Key_Down);
  QVERIFY(std::holds_alternative<LambdaMixer>(live.value.mixer));
  QCOMPARE(live.form.editorOf("stochasticDepth"), depth);
  QCOMPARE(live.form.editorOf("mixer.kind"), kind);
  QVERIFY(kind->hasFocus());
  QVERIFY(live.form.editorOf("mixer.k"));
  QVERIFY(!live.form.editorOf("mixer.kernelSize"));
}

void TestFieldForm::differingValuesShowADashAndAreSetTogether() {
  Block other{LambdaMixer{}};
  std::get<LambdaMixer>(other.mixer).queryDepth = 8;
  std::get<LambdaMixer>(other.mixer).content = false;
  std::get<LambdaMixer>(other.mixer).embedding = PositionEmbedding::none;
  const std::vector<FieldRow> rows = mergedRows({rowsOf(Block{LambdaMixer{}}), rowsOf(other)});
  FieldForm form;
  form.setSections({{{}, rows}});
  form.show();
  std::vector<Edit> edits;
  connect(
      &form, &FieldForm::edited, &form, [&](const auto& path, const auto& value, const auto& g) {
        edits.push_back({path, value, g});
      });
  auto* k = qobject_cast<NumberBox*>(form.editorOf("mixer.k"));
  auto* h = qobject_cast<NumberBox*>(form.editorOf("mixer.h"));
  auto* content = qobject_cast<QCheckBox*>(form.editorOf("mixer.content"));
  auto* embedding = qobject_cast<QComboBox*>(form.editorOf("mixer.embedding"));
  QVERIFY(k->text().isEmpty());
  QCOMPARE(k->findChild<QLineEdit*>()->placeholderText(), u"—"_s);
  QCOMPARE(h->text(), u"4"_s);
  QCOMPARE(content->checkState(), Qt::PartiallyChecked);
  QCOMPARE(embedding->currentIndex(), -1);
  k->setFocus();
  QTest::keyClick(k, Qt::Key_Return);
  QVERIFY(edits.empty());
  QTest::keyClicks(k, u"16"_s);
  QCOMPARE(edits.back().path, std::string("mixer.k"));
  QVERIFY(edits.back().value == FieldValue(std::int64_t{16}));
  content->click();
  QVERIFY(edits.back().value == FieldValue(true));
}

void TestFieldForm::problemsStandAtTheirField() {
  Live<Block> live(Block{LambdaMixer{}}, "block");
  const Fix fix{"Set h to 4", "block.mixer.h", "4"};
  live.form.setProblems({{"block.mixer.h", Severity::error, "h does not divide the width", fix},
                         {"elsewhere", Severity::error, "not here", {}}});
  auto* box = live.editor<NumberBox>("block.mixer.h");
  QCOMPARE(box->property("problem").toString(), u"error"_s);
  QVERIFY(box->accessibleDescription().contains(u"divide"_s));
  const auto labels = live.form.findChildren<QLabel*>();
  const auto count = [&](const QString& text) {
    return std::count_if(
        labels.begin(), labels.end(), [&](QLabel* l) { return l->text() == text; });
  };
  QCOMPARE(count(u"h does not divide the width"_s), 1);
  QCOMPARE(count(u"not here"_s), 0);
  QSignalSpy spy(&live.form, &FieldForm::fixRequested);
  live.form.findChild<QPushButton*>(u"fix"_s)->click();
  QCOMPARE(spy.size(), 1);
  QVERIFY(spy[0][0].value<Fix>() == fix);
  live.form.setProblems({});
  QVERIFY(box->property("problem").toString().isEmpty());
}

void TestFieldForm::aProblemOfAValueStandsAtItsFirstField() {
  Live<Block> live(Block{LambdaMixer{}}, "block");
  live.form.setProblems({{"block.mixer", Severity::warning, "one position", {}}});
  QCOMPARE(live.editor("block.mixer.kind")->property("problem").toString(), u"warning"_s);
}

void TestFieldForm::theContextMenuResets() {
  Live<Recipe> live(Recipe{});
  live.value.epochs = 7;
  live.refresh();
  auto* box = live.editor<NumberBox>("epochs");
  auto* line = box->findChild<QLineEdit*>();
  QContextMenuEvent event(QContextMenuEvent::Keyboard, {2, 2}, line->mapToGlobal(QPoint(2, 2)));
  QApplication::sendEvent(line, &event);
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  QVERIFY(menu);
  QAction* reset = menu->actions().last();
  QCOMPARE(reset->text(), u"Reset to 30"_s);
  reset->trigger();
  menu->close();
  QCOMPARE(live.value.epochs, 30);
  QVERIFY(live.edits.back().gesture.isEmpty());
}

void TestFieldForm::theWheelChangesNothingUnlessFocused() {
  Live<Recipe> live(Recipe{});
  live.editor("batchSize")->setFocus();
  for (const char* path : {"epochs", "optimizer.kind"}) {
    QWidget* editor = live.form.editorOf(path);
    const QPointF at = editor->rect().center();
    QWheelEvent wheel(at,
                      editor->mapToGlobal(at),
                      {},
                      {0, 120},
                      Qt::NoButton,
                      Qt::NoModifier,
                      Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(editor, &wheel);
  }
  QVERIFY(live.value == Recipe{});
}

void TestFieldForm::helpFollowsTheFocus() {
  Live<Block> live(Block{LambdaMixer{}});
  QVERIFY(live.form.focusField("mixer.u"));
  QVERIFY(!live.form.focusField("mixer.kernelSize"));
  const auto labels = live.form.findChildren<QLabel*>();
  QVERIFY(std::any_of(labels.begin(), labels.end(), [](QLabel* l) {
    return l->text().contains(u"Multiplies keys"_s) && l->text().contains(u"1 – 64"_s);
  }));
}

void TestFieldForm::labelsAreWholeInANarrowFormWithLargeText() {
  applyTheme(*qApp, ThemeChoice::light, 2.0);
  const auto restore = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light); });
  Live<RunConfig> live(filledRun());
  for (const int width : {700, 560, 500}) {
    live.form.resize(width, 900);
    QCoreApplication::processEvents();
    for (const QLabel* label : live.form.findChildren<QLabel*>()) {
      if (!label->buddy() || label->text().isEmpty()) continue;
      const QByteArray told = label->text().toUtf8() + " at " + QByteArray::number(width);
      QVERIFY2(label->width() >= label->sizeHint().width(), told.constData());
      const QWidget* field = label->buddy();
      const QPoint right = field->mapTo(&live.form, QPoint(field->width(), 0));
      QVERIFY2(right.x() <= live.form.width(), told.constData());
    }
  }
}

void TestFieldForm::everyRowCanBeVaried() {
  Live live(OptimizerConfig{}, "recipe.optimizer");
  const auto buttons = [&] { return live.form.findChildren<QToolButton*>(u"vary"_s); };
  QVERIFY(buttons().isEmpty());
  live.form.setVariable(true);
  QCOMPARE(buttons().size(), std::ssize(rowsOf(live.value, "recipe.optimizer")));
  QSignalSpy spy(&live.form, &FieldForm::varyRequested);
  QWidget* editor = live.form.editorOf("recipe.optimizer.learningRate");
  QToolButton* button = nullptr;
  for (QToolButton* each : buttons()) {
    QVERIFY(!each->isVisible());
    if (each->parentWidget()->isAncestorOf(editor)) button = each;
  }
  QVERIFY(button);
  QEnterEvent enter({}, {}, {});
  QApplication::sendEvent(button->parentWidget(), &enter);
  QVERIFY(button->isVisible());
  button->click();
  QCOMPARE(spy.count(), 1);
  const auto row = spy[0][0].value<FieldRow>();
  QCOMPARE(row.path, std::string("recipe.optimizer.learningRate"));
  QVERIFY(std::get<double>(row.value) == live.value.learningRate);
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(button->parentWidget(), &leave);
  QVERIFY(!button->isVisible());
  live.form.setVariable(false);
  QVERIFY(buttons().isEmpty());
}

}  // namespace lambda

QTEST_MAIN(lambda::TestFieldForm)
#include "tst_field_form.moc"
