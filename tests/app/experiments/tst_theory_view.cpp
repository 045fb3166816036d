#include <memory>

#include <QAction>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QTabBar>
#include <QTableWidget>
#include <QtTest/QtTest>

#include "app/experiments/experiments_page.h"
#include "app/experiments/theory/theory_figures.h"
#include "app/experiments/theory/theory_form.h"
#include "app/experiments/theory/theory_numbers.h"
#include "app/experiments/theory/theory_view.h"
#include "engine/theory/theory.h"
#include "engine/values/theory/theory_csv.h"
#include "tests/support/temporary_folder.h"
#include "widgets/export/export_file.h"
#include "widgets/export/export_menu.h"
#include "widgets/forms/field_form.h"
#include "widgets/plots/lines/theory_plot.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr QSize kSmallestWindow(1280, 800);
constexpr QSize kLargeWindow(2200, 1200);

/// Quick at its defaults.
const QString kQuick = u"Kernel methods and overparameterised regression"_s;
/// Takes minutes with kManySteps.
const QString kSlow = u"Label noise in deep linear networks"_s;
constexpr double kManySteps = 5e6;

}  // namespace

/// The theory experiments in the Experiments workspace.
class TestTheoryView : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void theExperimentsAreListedBelowTheirHeading();
  void anExperimentIsShownWithItsDefaults();
  void aComputationShowsFiguresAndNumbers();
  void figuresStandBesideEachOtherWhereThereIsSpace();
  void aComputationIsFollowedAndStopped();
  void aNumberOutOfRangeIsExplained();
  void defaultsAreRestored();
  void changedParametersAreNamed();
  void aComputationContinuesWhileAnotherExperimentIsShown();
  void anotherComputationStopsTheFirst();
  void theProgramEndsDuringAComputation();
  void figuresAndNumbersAreExported();

 private:
  template <class T>
  T& part(const char* name) const {
    return *page_->findChild<T*>(QString::fromLatin1(name));
  }

  QListWidgetItem* item(const QString& title) const {
    const auto found = part<QListWidget>("experiments").findItems(title, Qt::MatchStartsWith);
    return found.isEmpty() ? nullptr : found.constFirst();
  }

  /// The last line of an item: its state.
  QString stateOf(const QString& title) const { return item(title)->text().section(u'\n', -1); }

  void choose(const QString& title) const {
    part<QListWidget>("experiments").setCurrentItem(item(title));
  }

  TheoryForm& form() const { return *page_->findChild<TheoryForm*>(); }

  QLineEdit& field(const char* parameter) const {
    return *form().findChild<FieldForm*>()->editorOf(parameter)->findChild<QLineEdit*>();
  }

  void type(const char* parameter, const QString& text) const {
    QLineEdit& line = field(parameter);
    line.setFocus();
    line.selectAll();
    QTest::keyClicks(&line, text);
  }

  std::vector<TheoryPlot*> shownPlots() const {
    std::vector<TheoryPlot*> plots;
    for (TheoryPlot* plot : page_->findChildren<TheoryPlot*>()) {
      if (plot->isVisible()) plots.push_back(plot);
    }
    return plots;
  }

  void startSlow() const {
    choose(kSlow);
    type("steps", QString::number(static_cast<int>(kManySteps)));
    part<QAction>("runTheory").trigger();
  }

  std::unique_ptr<TemporaryFolder> home_;
  std::unique_ptr<ExperimentsPage> page_;
};

void TestTheoryView::init() {
  home_ = std::make_unique<TemporaryFolder>();
  page_ = std::make_unique<ExperimentsPage>(home_->path() / "no-program");
  page_->resize(kSmallestWindow);
  page_->setFolder(home_->path());
  page_->show();
  QVERIFY(QTest::qWaitForWindowActive(page_.get()));
  QTRY_VERIFY(item(kQuick) != nullptr);
}

void TestTheoryView::cleanup() {
  page_.reset();
  home_.reset();
}

void TestTheoryView::theExperimentsAreListedBelowTheirHeading() {
  const QListWidget& list = part<QListWidget>("experiments");
  const auto headings = list.findItems(u"Theory experiments"_s, Qt::MatchExactly);
  QCOMPARE(headings.size(), 1);
  int row = list.row(headings.constFirst());
  for (const TheoryDescription& experiment : theoryExperiments()) {
    QCOMPARE(
        list.item(++row)->text(),
        QString::fromStdString(experiment.title + '\n' + experiment.question) + u"\nnot run"_s);
  }
  QCOMPARE(row, list.count() - 1);
}

void TestTheoryView::anExperimentIsShownWithItsDefaults() {
  choose(kSlow);
  QVERIFY(page_->findChild<TheoryView*>()->isVisible());
  const TheoryDescription& experiment = theoryExperiment("deep-linear-label-noise");
  QCOMPARE(part<QLabel>("theoryTitle").text(), kSlow);
  QCOMPARE(part<QLabel>("theoryQuestion").text(), QString::fromStdString(experiment.question));
  QVERIFY(
      part<QLabel>("theorySource").text().contains(QString::fromStdString(experiment.sourceTitle)));
  QCOMPARE(field("steps").text(), u"20000"_s);
  QCOMPARE(field("learningRate").text(), u"0.05"_s);
  for (const TheoryParameter& parameter : experiment.parameters) {
    QVERIFY(form().findChild<FieldForm*>()->editorOf(parameter.name) != nullptr);
    QCOMPARE(form().settings().at(parameter.name), parameter.value);
  }
  // Before the first run the space of the numbers is that of the figures.
  QTRY_COMPARE(form().x(), 0);
  QVERIFY(part<QAction>("runTheory").isEnabled());
  QVERIFY(!part<QAction>("stopTheory").isEnabled());
  QVERIFY(!part<QAction>("run").isEnabled());
}

void TestTheoryView::aComputationShowsFiguresAndNumbers() {
  choose(kQuick);
  QVERIFY(shownPlots().empty());
  type("points", u"4"_s);
  part<QAction>("runTheory").trigger();
  QTRY_VERIFY2(stateOf(kQuick).startsWith(u"done in "_s), qPrintable(stateOf(kQuick)));
  QCOMPARE(part<QProgressBar>("theoryProgress").value(),
           part<QProgressBar>("theoryProgress").maximum());
  QCOMPARE(shownPlots().size(), 1U);
  const TheoryFigure& figure = shownPlots().front()->figure();
  QCOMPARE(figure.title, "Predictions of sin(2 pi x)");
  QCOMPARE(figure.series.front().x.size(), 4U);
  const QTableWidget& numbers = part<QTableWidget>("theoryNumbers");
  QCOMPARE(numbers.rowCount(), 3);
  QCOMPARE(numbers.item(2, 3)->text(), u"0"_s);
  QCOMPARE(numbers.item(2, 4)->text(), u"exactly the same prediction"_s);
  QVERIFY(numbers.item(0, 1)->text().toDouble() > 0);
  QCOMPARE(numbers.item(0, 2)->text(), u"1"_s);
}

void TestTheoryView::figuresStandBesideEachOtherWhereThereIsSpace() {
  startSlow();
  QTRY_COMPARE(part<QTabBar>("theoryTabs").count(), 3);
  QVERIFY(part<QTabBar>("theoryTabs").isVisible());
  QCOMPARE(shownPlots().size(), 1U);
  part<QTabBar>("theoryTabs").setCurrentIndex(2);
  QTRY_COMPARE(shownPlots().front()->figure().title, "Random layers over the bound");
  page_->resize(kLargeWindow);
  QTRY_COMPARE(shownPlots().size(), 3U);
  QVERIFY(!part<QTabBar>("theoryTabs").isVisible());
}

void TestTheoryView::aComputationIsFollowedAndStopped() {
  startSlow();
  QVERIFY(!part<QAction>("runTheory").isEnabled());
  QTRY_VERIFY(stateOf(kSlow).startsWith(u"running, "_s));
  QTRY_VERIFY(!shownPlots().empty());
  const auto pointsOf = [this] { return shownPlots().front()->figure().series.front().y; };
  QTRY_VERIFY(!pointsOf().empty());
  const auto before = pointsOf();
  QTRY_VERIFY(pointsOf() != before);
  QTRY_VERIFY(part<QProgressBar>("theoryProgress").value() > 0);
  part<QAction>("stopTheory").trigger();
  QTRY_VERIFY2(stateOf(kSlow).startsWith(u"stopped at "_s), qPrintable(stateOf(kSlow)));
  QVERIFY(!pointsOf().empty());
  QVERIFY(part<QLabel>("theoryState").text().startsWith(u"Stopped after "_s));
  QVERIFY(part<QAction>("runTheory").isEnabled());
}

void TestTheoryView::aNumberOutOfRangeIsExplained() {
  choose(kQuick);
  type("points", u"99"_s);
  QCOMPARE(form().settings().at("points"), 5.0);
  part<QAction>("runTheory").trigger();
  QTRY_VERIFY(stateOf(kQuick).startsWith(u"done in "_s));
  QCOMPARE(field("points").text(), u"8"_s);
  QCOMPARE(shownPlots().front()->figure().series.front().x.size(), 8U);
  bool isExplained = false;
  for (const QLabel* label : form().findChildren<QLabel*>()) {
    if (label->isVisible() && label->text().startsWith(u"99 is outside 2 to 8."_s))
      isExplained = true;
  }
  QVERIFY(isExplained);
}

void TestTheoryView::defaultsAreRestored() {
  choose(kQuick);
  auto& defaults = part<QPushButton>("theoryDefaults");
  QVERIFY(!defaults.isEnabled());
  type("width", u"0.5"_s);
  QCOMPARE(form().settings().at("width"), 0.5);
  choose(kSlow);
  QVERIFY(!defaults.isEnabled());
  choose(kQuick);
  QCOMPARE(field("width").text(), u"0.5"_s);
  defaults.click();
  QCOMPARE(field("width").text(), u"1"_s);
  QCOMPARE(form().settings().at("width"), 1.0);
}

void TestTheoryView::changedParametersAreNamed() {
  choose(kQuick);
  part<QAction>("runTheory").trigger();
  QTRY_VERIFY(stateOf(kQuick).startsWith(u"done in "_s));
  QVERIFY(!part<QLabel>("theoryState").text().contains(u"changed"_s));
  type("width", u"0.5"_s);
  QVERIFY(part<QLabel>("theoryState").text().contains(u"changed"_s));
}

void TestTheoryView::aComputationContinuesWhileAnotherExperimentIsShown() {
  startSlow();
  QTRY_VERIFY(!shownPlots().empty());
  choose(kQuick);
  QVERIFY(shownPlots().empty());
  QVERIFY(part<QAction>("runTheory").isEnabled());
  QVERIFY(stateOf(kSlow).startsWith(u"running, "_s));
  choose(kSlow);
  QCOMPARE(shownPlots().front()->figure().title, "Nuclear norm in training");
  QVERIFY(part<QAction>("stopTheory").isEnabled());
  page_->hide();
  page_->show();
  QVERIFY(stateOf(kSlow).startsWith(u"running, "_s));
}

void TestTheoryView::anotherComputationStopsTheFirst() {
  startSlow();
  QTRY_VERIFY(!shownPlots().empty());
  choose(kQuick);
  part<QAction>("runTheory").trigger();
  QTRY_VERIFY2(stateOf(kSlow).startsWith(u"stopped at "_s), qPrintable(stateOf(kSlow)));
  QTRY_VERIFY2(stateOf(kQuick).startsWith(u"done in "_s), qPrintable(stateOf(kQuick)));
  choose(kSlow);
  QVERIFY(!shownPlots().empty());
}

void TestTheoryView::theProgramEndsDuringAComputation() {
  startSlow();
  QTRY_VERIFY(!shownPlots().empty());
  QElapsedTimer clock;
  clock.start();
  page_.reset();
  QVERIFY2(clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
}

void TestTheoryView::figuresAndNumbersAreExported() {
  choose(kQuick);
  part<QAction>("runTheory").trigger();
  QTRY_VERIFY(stateOf(kQuick).startsWith(u"done in "_s));
  QStringList names;
  for (const PictureExport& picture : pictureExportsBelow(*page_)) names << picture.name;
  QVERIFY2(names.contains(u"kernel-regression-figure-1"_s), qPrintable(names.join(u' ')));
  QVERIFY2(names.contains(u"kernel-regression-numbers"_s), qPrintable(names.join(u' ')));
  const auto saved = [this](const Exportable& source, const char* suffix) {
    const QString path =
        QString::fromStdString((home_->path() / "exported").string()) + QString::fromLatin1(suffix);
    const QString problem = writeExport(source, path, {});
    if (!problem.isEmpty()) return problem.toUtf8();
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  };
  const TheoryPlot& plot = *shownPlots().front();
  const TheoryNumbers& numbers = *page_->findChild<TheoryNumbers*>();
  QCOMPARE(saved(plot, ".csv"), QByteArray::fromStdString(theoryCsv(plot.figure())));
  const QByteArray csv = saved(numbers, ".csv");
  QVERIFY(csv.startsWith("quantity,found,deviation,repetitions,unit,source,source's words\n"));
  QCOMPARE(csv.count('\n'), 4);
  QVERIFY2(csv.endsWith(",,1,,0,exactly the same prediction\n"), csv.constData());
  for (const Exportable* source :
       {static_cast<const Exportable*>(&plot), static_cast<const Exportable*>(&numbers)}) {
    QVERIFY(saved(*source, ".png").startsWith("\x89PNG"));
    QVERIFY(saved(*source, ".svg").contains("<svg"));
    QVERIFY(saved(*source, ".pdf").startsWith("%PDF"));
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTheoryView)
#include "tst_theory_view.moc"
