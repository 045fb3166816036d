#include <memory>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QtTest/QtTest>

#include "app/runs/panels/export/export_run_dialog.h"
#include "app/session/documents/export_session.h"
#include "tests/support/scripted_engine.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace lambda::test {

/// The dialog of File > Export for a run, with an engine that follows a script.
class TestExportDialog : public QObject {
  Q_OBJECT

 private:
  template <class Widget>
  Widget* named(const QString& name) const {
    for (Widget* widget : dialog_->findChildren<Widget*>()) {
      if (widget->accessibleName() == name) return widget;
    }
    return nullptr;
  }

  QPushButton* button(const QString& text) const {
    for (QPushButton* each : dialog_->findChildren<QPushButton*>()) {
      if (each->text() == text) return each;
    }
    return nullptr;
  }

  void choose(RunExport what) {
    named<QListWidget>(u"What to export"_s)->setCurrentRow(static_cast<int>(what));
  }

  bool says(const QString& text) const {
    for (const QLabel* label : dialog_->findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().contains(text)) return true;
    }
    return false;
  }

  std::shared_ptr<ScriptedEngine> engine_;
  std::unique_ptr<ExportSession> session_;
  std::unique_ptr<ExportRunDialog> dialog_;

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void init() {
    engine_ = std::make_shared<ScriptedEngine>();
    session_ = std::make_unique<ExportSession>(engine_);
    dialog_ = std::make_unique<ExportRunDialog>("/runs/mine", u"mine"_s, *session_);
    dialog_->setAttribute(Qt::WA_DeleteOnClose, false);
    dialog_->show();
    QVERIFY(QTest::qWaitForWindowExposed(dialog_.get()));
  }

  void cleanup() {
    dialog_.reset();
    session_.reset();
  }

  void everyKindIsListedWithASentenceAndAPlace() {
    auto* kinds = named<QListWidget>(u"What to export"_s);
    QCOMPARE(kinds->count(), static_cast<int>(kRunExports.size()));
    QSet<QString> places;
    for (int i = 0; i < kinds->count(); ++i) {
      kinds->setCurrentRow(i);
      QVERIFY(dialog_->findChildren<QLabel*>().first()->text().endsWith(u'.'));
      places.insert(named<QLineEdit>(u"Place"_s)->text());
      QVERIFY(button(u"Export"_s)->isEnabled());
    }
    QCOMPARE(places.size(), kinds->count());
  }

  void onlyOptionsOfTheKindAreShown() {
    const auto shows =
        [&](const QString& split, const QString& augmentation, const QString& license) {
          return named<QComboBox>(split)->isVisible() * 4 +
                 named<QComboBox>(augmentation)->isVisible() * 2 +
                 named<QLineEdit>(license)->isVisible();
        };
    choose(RunExport::onnx);
    QCOMPARE(shows(u"Images"_s, u"Augmentation"_s, u"Licence"_s), 1);
    choose(RunExport::predictions);
    QCOMPARE(shows(u"Images"_s, u"Augmentation"_s, u"Licence"_s), 4);
    choose(RunExport::images);
    QCOMPARE(shows(u"Images"_s, u"Augmentation"_s, u"Licence"_s), 6);
    choose(RunExport::epochs);
    QCOMPARE(shows(u"Images"_s, u"Augmentation"_s, u"Licence"_s), 0);
  }

  void theJobIsWhatTheFormShows() {
    choose(RunExport::images);
    QVERIFY(named<QLineEdit>(u"Place"_s)->text().endsWith(u"mine-images"_s));
    named<QComboBox>(u"Format"_s)->setCurrentIndex(1);
    QVERIFY(named<QLineEdit>(u"Place"_s)->text().endsWith(u"mine-images.npz"_s));
    named<QComboBox>(u"Augmentation"_s)->setCurrentIndex(1);
    ExportJob job = dialog_->job();
    QCOMPARE(job.run, std::filesystem::path("/runs/mine"));
    QVERIFY(job.what == RunExport::images && job.split == Split::train);
    QCOMPARE(job.augmentedInEpoch, std::optional<int>(1));
    // Only training images are augmented.
    named<QComboBox>(u"Images"_s)->setCurrentIndex(2);
    job = dialog_->job();
    QVERIFY(job.split == Split::test && !job.augmentedInEpoch);
    choose(RunExport::weights);
    named<QLineEdit>(u"Licence"_s)->setText(u" CC0 "_s);
    job = dialog_->job();
    QVERIFY(job.license == "CC0" && !job.split);
  }

  void progressIsShownAndTheResult() {
    choose(RunExport::predictions);
    button(u"Export"_s)->click();
    QVERIFY(session_->isRunning());
    QVERIFY(named<QProgressBar>(u"Progress of the export"_s)->isVisible());
    QVERIFY(!named<QLineEdit>(u"Place"_s)->isEnabled());
    QTRY_VERIFY(!session_->isRunning());
    QVERIFY(says(u"Saved"_s) && says(u"100 images"_s));
    QCOMPARE(engine_->exports().size(), std::size_t{1});
    QVERIFY(!named<QProgressBar>(u"Progress of the export"_s)->isVisible());
  }

  void anExportIsCancelled() {
    engine_->batchTime = 20ms;
    button(u"Export"_s)->click();
    QTRY_VERIFY(named<QProgressBar>(u"Progress of the export"_s)->maximum() == 100);
    button(u"Cancel"_s)->click();
    QTRY_VERIFY(says(u"Cancelled"_s));
    QVERIFY(engine_->exports().empty());
    QVERIFY(button(u"Export"_s)->isEnabled());
  }

  void whyItFailedIsShown() {
    engine_->refusal = "the disk is full";
    button(u"Export"_s)->click();
    QTRY_VERIFY(says(u"the disk is full"_s));
    QVERIFY(button(u"Export"_s)->isEnabled());
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestExportDialog)
#include "tst_export_dialog.moc"
