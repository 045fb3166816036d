#include <algorithm>

#include <QLabel>
#include <QPushButton>
#include <QTest>

#include "app/train/run/event_list.h"
#include "app/train/setup/change_bar.h"
#include "tests/support/train_page_stage.h"
#include "widgets/forms/field_form.h"
#include "widgets/plots/curves/curve_plot.h"
#include "widgets/plots/curves/run_curves.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// The Train page with its settings shown while a run of many epochs trains.
struct TrainingInSettings : ShownTrainPage {
  TrainingInSettings() : ShownTrainPage(100) {
    engine->batchTime = std::chrono::milliseconds(5);
    bar().startAction()->trigger();
    [[maybe_unused]] const bool runs =
        QTest::qWaitFor([this] { return session.state() == SessionState::running; });
    bar().settingsAction()->trigger();
  }

  QWidget* editor(const char* path) const {
    for (FieldForm* form : page.findChildren<FieldForm*>()) {
      if (QWidget* found = form->editorOf(path)) return found;
    }
    return nullptr;
  }

  void type(const char* path, const QString& text) const {
    QWidget* field = editor(path);
    field->setFocus();
    QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
  }

  QString changeText() const { return find<QLabel>(u"change"_s)->text(); }

  QPushButton* apply() const { return find<QPushButton>(u"applyChange"_s); }

  bool hasBar() const { return find<ChangeBar>()->isVisible(); }
};

}  // namespace

class TestTrainChanges : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void onlyWhatCanChangeIsEditableAndTheRestSaysWhy() {
    const TrainingInSettings shown;
    for (const char* path : {"recipe.epochs",
                             "recipe.learningRateFactor",
                             "checkpoints.keepBest",
                             "checkpoints.keepEpochs",
                             "checkpoints.everyEpochs",
                             "checkpoints.everyMinutes"}) {
      QVERIFY2(shown.editor(path) && shown.editor(path)->isEnabled(), path);
    }
    for (const char* path : {"recipe.batchSize",
                             "recipe.optimizer.learningRate",
                             "recipe.schedule.kind",
                             "data.validationCount",
                             "device.kind",
                             "seed"}) {
      QVERIFY2(shown.editor(path) && !shown.editor(path)->isEnabled(), path);
    }
    const QList<QLabel*> notes = shown.page.findChildren<QLabel*>(u"note"_s);
    QCOMPARE(notes.size(), 3);
    for (const QLabel* note : notes) {
      QVERIFY2(note->isVisible() && note->text().contains(u"Fixed while scripted trains"_s),
               qPrintable(note->text()));
    }
    QVERIFY(!shown.hasBar());
  }

  void aChangeIsAppliedAsAWholeAndShown() {
    TrainingInSettings shown;
    shown.type("recipe.learningRateFactor", u"0.5"_s);
    shown.type("recipe.epochs", u"120"_s);
    QVERIFY(shown.hasBar());
    QVERIFY2(shown.changeText().contains(
                 u"learning rate factor from 1 to 0.5, epochs from 100 to 120"_s),
             qPrintable(shown.changeText()));
    QVERIFY(shown.session.status().record.changes.empty());
    QTest::mouseClick(shown.apply(), Qt::LeftButton);
    QTRY_COMPARE(shown.session.status().record.changes.size(), std::size_t{1});
    QCOMPARE(shown.session.status().record.config.recipe.epochs, 120);
    QVERIFY(!shown.hasBar());
    // The document is the next run's and keeps its own settings.
    QCOMPARE(shown.document.config().recipe.epochs, 100);

    shown.bar().settingsAction()->trigger();
    const auto* events = shown.find<EventList>()->model();
    const QString expected =
        u"Changed: learning rate factor from 1 to 0.5, epochs from 100 to 120"_s;
    const auto isListed = [&] {
      for (int row = 0; row < events->rowCount(); ++row) {
        if (events->index(row, EventModel::kText).data().toString() == expected) return true;
      }
      return false;
    };
    QTRY_VERIFY(isListed());
    const std::vector<CurveMark> marks = runMarks(shown.session.metrics(), 10);
    QVERIFY(std::ranges::any_of(marks, [](const CurveMark& mark) {
      return mark.kind == CurveMarkKind::changed &&
             mark.text == u"Learning rate factor from 1 to 0.5, epochs from 100 to 120"_s;
    }));
  }

  void aDiscardedChangeIsNotMade() {
    TrainingInSettings shown;
    shown.type("recipe.epochs", u"120"_s);
    QVERIFY(shown.hasBar());
    QTest::mouseClick(shown.find<QPushButton>(u"discardChange"_s), Qt::LeftButton);
    QVERIFY(!shown.hasBar());
    QTest::qWait(150);
    QVERIFY(shown.session.status().record.changes.empty());
  }

  void anImpossibleChangeSaysWhy() {
    TrainingInSettings shown;
    QTRY_VERIFY_WITH_TIMEOUT(shown.session.status().epoch >= 3, 20000);
    shown.type("recipe.epochs", u"1"_s);
    QVERIFY2(shown.changeText().contains(u"can't have fewer than"_s),
             qPrintable(shown.changeText()));
    QVERIFY(!shown.apply()->isEnabled());
  }

  void aBarThatWaitsIsNoError() {
    ChangeBar bar;
    RunConfig config = smallTrainConfig(3);
    bar.setRequest({.epochs = 5}, config, 1, 2);
    auto* words = bar.findChild<QLabel*>(u"change"_s);
    bar.setRefusal(u"the disk is full"_s);
    QCOMPARE(words->property(kRole).toString(), u"error"_s);
    bar.setWaiting(true);
    QVERIFY(words->text().contains(u"takes effect"_s));
    QVERIFY(words->property(kRole).toString().isEmpty());
  }

  void theEndUnlocksEverything() {
    TrainingInSettings shown;
    shown.type("recipe.epochs", u"120"_s);
    shown.bar().stopAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    QVERIFY(!shown.hasBar());
    QVERIFY(shown.editor("recipe.batchSize")->isEnabled());
    for (const QLabel* note : shown.page.findChildren<QLabel*>(u"note"_s)) {
      QVERIFY(!note->isVisible());
    }
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTrainChanges)
#include "tst_train_changes.moc"
