#include <filesystem>

#include <QAction>
#include <QFileDialog>
#include <QListWidget>
#include <QtTest/QtTest>

#include "app/experiments/experiments_page.h"
#include "app/runs/run_library.h"
#include "app/runs/table/run_table_view.h"
#include "app/studio/notice_bar.h"
#include "tests/support/studio_window.h"
#include "tests/support/tiny_run.h"
#include "tests/support/written_experiment.h"
#include "tests/support/written_runs.h"
#include "widgets/text/path_text.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

/// The action "Report …" in Runs and in Experiments.
class TestReportRequests : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { QApplication::setOrganizationName(u"lambda-studio-report-tests"_s); }

  void init();

  void cleanup() { studio_.reset(); }

  void theSelectedRunsAreReported();
  void theShownExperimentIsReported();
  void aReportThatCannotBeWrittenSaysWhy();

 private:
  QAction* action() const;

  RunTableView& table() const { return *(*studio_)->findChild<RunTableView*>(); }

  /// Asks for a report, and answers with this file.
  void report(const QString& file);

  QString notice() const { return (*studio_)->findChild<NoticeBar*>()->text(); }

  static QByteArray contentOf(const QString& path);

  fs::path place_;
  std::unique_ptr<StudioWindow> studio_;
};

void TestReportRequests::init() {
  studio_ = std::make_unique<StudioWindow>();
  place_ = toPath(studio_->folder.path());
  writeRun(place_ / "runs", "one", finishedRecord("one"));
  writeRun(place_ / "runs", "two", finishedRecord("two"));
  studio_->workspaces().library().setFolder(place_ / "runs");
  QTRY_COMPARE(studio_->workspaces().library().runs().size(), std::size_t{2});
}

/// That of the page in view.
QAction* TestReportRequests::action() const {
  for (QAction* each : studio_->workspaces().page(studio_->workspaces().current())->pageActions()) {
    if (each && each->text() == u"Report …"_s) return each;
  }
  return nullptr;
}

void TestReportRequests::report(const QString& file) {
  QTRY_VERIFY(action() && action()->isEnabled());
  action()->trigger();
  auto* dialog = (*studio_)->findChild<QFileDialog*>();
  QVERIFY(dialog);
  Q_EMIT dialog->fileSelected(file);
  delete dialog;
}

QByteArray TestReportRequests::contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void TestReportRequests::theSelectedRunsAreReported() {
  studio_->workspaces().goTo(Workspace::runs);
  QTRY_VERIFY(!table().currentRun().empty());
  const QString one = studio_->folder.filePath(u"one.html"_s);
  report(one);
  QTRY_VERIFY2(notice().contains(one), qPrintable(notice()));
  QVERIFY(visibleButton(**studio_, u"Open"_s));
  QVERIFY(contentOf(one).contains("<title>"));
  QVERIFY(!contentOf(one).contains("Comparison of"));
  table().selectAll();
  const QString both = studio_->folder.filePath(u"both.html"_s);
  report(both);
  QTRY_VERIFY2(notice().contains(both), qPrintable(notice()));
  QVERIFY(contentOf(both).contains("<title>Comparison of 2 runs</title>"));
}

void TestReportRequests::theShownExperimentIsReported() {
  Experiment experiment;
  experiment.name = "rates";
  experiment.question = "Which learning rate is better?";
  experiment.base = tinyRun();
  experiment.variants = {{"slow", {"recipe.optimizer.learningRate=0.05"}},
                         {"fast", {"recipe.optimizer.learningRate=0.1"}}};
  experiment.seeds = {3};
  experiment.measures = {Measure{Quantity::testAccuracy}};
  const auto folder = ExperimentFolder::create(place_ / "experiments", experiment);
  writeTraining(folder, folder.plan().runs[0], {.accuracies = {0.5}});
  studio_->workspaces().openExperiment(folder.path());
  const QString file = studio_->folder.filePath(u"rates.html"_s);
  report(file);
  QTRY_VERIFY2(notice().contains(file), qPrintable(notice()));
  QVERIFY(contentOf(file).contains("Which learning rate is better?"));
}

void TestReportRequests::aReportThatCannotBeWrittenSaysWhy() {
  studio_->workspaces().goTo(Workspace::runs);
  QTRY_VERIFY(!table().currentRun().empty());
  report(studio_->folder.filePath(u"missing/report.html"_s));
  QTRY_VERIFY2(notice().contains(u"could not be written"_s), qPrintable(notice()));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestReportRequests)

#include "tst_report_requests.moc"
