#include <cmath>
#include <memory>
#include <random>

#include <QAbstractItemModelTester>
#include <QSettings>
#include <QSignalSpy>
#include <QtTest/QtTest>

#include "app/runs/compare/imported_quantities.h"
#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "app/runs/table/run_columns.h"
#include "app/runs/table/run_sort_filter.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_runs.h"
#include "widgets/text/path_text.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// A column's texts from top to bottom.
QStringList textsOf(const QAbstractItemModel& model, int column) {
  QStringList texts;
  for (int row = 0; row < model.rowCount(); ++row) {
    texts << model.index(row, column).data().toString();
  }
  return texts;
}

ImportedLog logOf(const std::vector<Curve>& curves) {
  return {"/logs/foreign", "logs/foreign", curves, {}};
}

}  // namespace

class TestRunTableModel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void showsWhatTheRecordSays();
  void missingValuesAreEmpty();
  void aKilledRunIsInterrupted();
  void followsWhateverTheLibraryDoes();
  void numbersSortAsNumbersAndMissingOnesLast();
  void namesSortInNaturalOrder();
  void searchFindsWordsInEveryPlace_data();
  void searchFindsWordsInEveryPlace();
  void filtersByStateArchitectureAndTag();
  void bestAndWorstAreThoseListed();
  void theBestIsThatOfADataSet();
  void namesakesTellWhatDiffers();
  void colorsStayWithTheirRuns();
  void colorsAndChecksFollowARenaming();
  void colorsAreRememberedForTheNextTime();
  void importedLogsAreRows();
  void foreignCurvesAreFoundByTheirWords_data();
  void foreignCurvesAreFoundByTheirWords();

 private:
  fs::path write(const std::string& name, const RunRecord& record) {
    return writeRun(folder_->path(), "2026-11-21_01-02-23_" + name, record);
  }

  void load();

  QStringList names() const { return textsOf(*sorted_, columnOf(RunColumn::name)); }

  std::unique_ptr<TemporaryFolder> folder_;
  std::unique_ptr<RunLibrary> library_;
  std::unique_ptr<RunTableModel> model_;
  std::unique_ptr<RunSortFilter> sorted_;
  std::unique_ptr<QAbstractItemModelTester> modelTester_;
  std::unique_ptr<QAbstractItemModelTester> sortedTester_;
};

void TestRunTableModel::init() {
  folder_ = std::make_unique<TemporaryFolder>();
  library_ = std::make_unique<RunLibrary>();
  model_ = std::make_unique<RunTableModel>(*library_);
  sorted_ = std::make_unique<RunSortFilter>(*model_);
  using Tester = QAbstractItemModelTester;
  constexpr auto mode = Tester::FailureReportingMode::QtTest;
  modelTester_ = std::make_unique<Tester>(model_.get(), mode);
  sortedTester_ = std::make_unique<Tester>(sorted_.get(), mode);
}

void TestRunTableModel::cleanup() {
  sortedTester_.reset();
  modelTester_.reset();
  sorted_.reset();
  model_.reset();
  library_.reset();
  folder_.reset();
}

void TestRunTableModel::load() {
  library_->setFolder(folder_->path());
  QTRY_COMPARE(library_->state(), LibraryState::ready);
}

void TestRunTableModel::showsWhatTheRecordSays() {
  RunRecord record = finishedRecord("first");
  record.parameters = 1186304;
  record.testEvaluations = 2;
  record.tags = {"good", "old"};
  record.notes = "one\ntwo";
  record.environment.threads = 2;
  write("a", record);
  load();
  const auto text = [&](int column) { return model_->index(0, column).data().toString(); };
  QCOMPARE(text(columnOf(RunColumn::name)), u"first"_s);
  QCOMPARE(text(columnOf(RunColumn::status)), u"Finished"_s);
  QCOMPARE(text(columnOf(RunColumn::architecture)), u"C-CL"_s);
  QCOMPARE(text(columnOf(RunColumn::parameters)), u"1.19 M"_s);
  QCOMPARE(text(columnOf(RunColumn::flops)), u"17.5 M"_s);
  QCOMPARE(text(columnOf(RunColumn::validation)), u"90.00 %"_s);
  QCOMPARE(text(columnOf(RunColumn::test)), u"89.00 % · 2×"_s);
  QCOMPARE(text(columnOf(RunColumn::epochs)), u"6 / 6"_s);
  QCOMPARE(text(columnOf(RunColumn::time)), u"1 min 00 s"_s);
  QCOMPARE(text(columnOf(RunColumn::tags)), u"good, old"_s);
  QCOMPARE(text(columnOf(RunColumn::notes)), u"one"_s);
  QVERIFY(text(columnOf(RunColumn::started)).contains(u"21 Nov"_s));
}

void TestRunTableModel::missingValuesAreEmpty() {
  RunRecord record;
  record.config.name = "new";
  write("a", record);
  const fs::path damaged = write("b", record);
  appendText(damaged / "run.json", "nonsense");
  load();
  for (const int column :
       {columnOf(RunColumn::validation), columnOf(RunColumn::test), columnOf(RunColumn::time)}) {
    QCOMPARE(textsOf(*model_, column), (QStringList{QString(), QString()}));
    QVERIFY(std::isnan(runColumns()[static_cast<std::size_t>(column)].number(model_->row(0))));
  }
  QCOMPARE(model_->row(1).state, RunState::damaged);
  QCOMPARE(model_->index(1, columnOf(RunColumn::epochs)).data().toString(), QString());
  QVERIFY(model_->index(1, columnOf(RunColumn::status))
              .data(Qt::ToolTipRole)
              .toString()
              .contains(u"run.json"_s));
}

void TestRunTableModel::aKilledRunIsInterrupted() {
  RunRecord record = finishedRecord("killed");
  record.status = RunStatus::running;
  const fs::path run = write("a", record);
  auto lock = std::make_unique<RunLock>(RunFolder::open(run));
  load();
  QCOMPARE(model_->row(0).state, RunState::training);
  lock.reset();
  QTRY_COMPARE(model_->row(0).state, RunState::interrupted);
}

void TestRunTableModel::followsWhateverTheLibraryDoes() {
  load();
  std::mt19937 random(1);
  std::set<std::string> expected;
  for (int round = 0; round < 12; ++round) {
    for (int change = 0; change < 6; ++change) {
      const std::string name = "run" + std::to_string(random() % 20);
      const bool isThere = expected.contains(name);
      if (isThere && random() % 2 == 0) {
        fs::remove_all(folder_->path() / ("2026-11-21_01-02-23_" + name));
        expected.erase(name);
      } else {
        RunRecord record = finishedRecord(name);
        record.epochsDone = static_cast<int>(random() % 100);
        write(name, record);
        expected.insert(name);
      }
    }
    library_->refresh();
    QStringList wanted;
    for (const std::string& name : expected) wanted << QString::fromStdString(name);
    QTRY_COMPARE(textsOf(*model_, columnOf(RunColumn::name)), wanted);
    QCOMPARE(sorted_->rowCount(), model_->rowCount());
  }
}

void TestRunTableModel::numbersSortAsNumbersAndMissingOnesLast() {
  const auto withAccuracy = [&](const std::string& name, std::optional<double> accuracy) {
    RunRecord record = finishedRecord(name);
    record.bestValidationScore = accuracy;
    write(name, record);
  };
  withAccuracy("a", 0.095);
  withAccuracy("b", std::nullopt);
  withAccuracy("c", 0.8);
  withAccuracy("d", 0.11);
  load();
  sorted_->sort(columnOf(RunColumn::validation), Qt::AscendingOrder);
  QCOMPARE(names(), (QStringList{u"a"_s, u"d"_s, u"c"_s, u"b"_s}));
  sorted_->sort(columnOf(RunColumn::validation), Qt::DescendingOrder);
  QCOMPARE(names(), (QStringList{u"c"_s, u"d"_s, u"a"_s, u"b"_s}));
}

void TestRunTableModel::namesSortInNaturalOrder() {
  for (const char* name : {"run10", "run9", "Run1"}) write(name, finishedRecord(name));
  load();
  sorted_->sort(columnOf(RunColumn::name), Qt::AscendingOrder);
  QCOMPARE(names(), (QStringList{u"Run1"_s, u"run9"_s, u"run10"_s}));
}

void TestRunTableModel::searchFindsWordsInEveryPlace_data() {
  QTest::addColumn<QString>("search");
  QTest::addColumn<bool>("found");
  QTest::newRow("name") << u"small"_s << true;
  QTest::newRow("folder") << u"2026-11-21"_s << true;
  QTest::newRow("tag") << u"BASELINE"_s << true;
  QTest::newRow("note") << u"diverges late"_s << true;
  QTest::newRow("architecture") << u"c-cl"_s << true;
  QTest::newRow("words of several places") << u"baseline small late"_s << true;
  QTest::newRow("one word missing") << u"small large"_s << false;
}

void TestRunTableModel::searchFindsWordsInEveryPlace() {
  QFETCH(QString, search);
  QFETCH(bool, found);
  RunRecord record = finishedRecord("Small");
  record.tags = {"baseline"};
  record.notes = "It diverges\nlate";
  write("x", record);
  load();
  RunFilter filter;
  filter.search = search;
  sorted_->setFilter(filter);
  QCOMPARE(sorted_->rowCount(), found ? 1 : 0);
}

void TestRunTableModel::filtersByStateArchitectureAndTag() {
  RunRecord stopped = finishedRecord("stopped");
  stopped.status = RunStatus::stopped;
  stopped.tags = {"keep"};
  RunRecord other = finishedRecord("other");
  other.pattern = "L-L";
  write("a", finishedRecord("finished"));
  write("b", stopped);
  write("c", other);
  load();
  QCOMPARE(sorted_->architectures(), (QStringList{u"C-CL"_s, u"L-L"_s}));
  QCOMPARE(sorted_->tags(), QStringList{u"keep"_s});
  sorted_->sort(columnOf(RunColumn::name), Qt::AscendingOrder);
  RunFilter byState;
  byState.states = {RunState::finished};
  sorted_->setFilter(byState);
  QCOMPARE(names(), (QStringList{u"finished"_s, u"other"_s}));
  byState.architectures = {u"L-L"_s};
  sorted_->setFilter(byState);
  QCOMPARE(names(), QStringList{u"other"_s});
  RunFilter byTag;
  byTag.tags = {u"keep"_s};
  sorted_->setFilter(byTag);
  QCOMPARE(names(), QStringList{u"stopped"_s});
  // A run that changes and then does not pass the filter disappears automatically.
  stopped.tags.clear();
  write("b", stopped);
  QTRY_COMPARE(sorted_->rowCount(), 0);
}

void TestRunTableModel::bestAndWorstAreThoseListed() {
  for (const auto& [name, accuracy] :
       {std::pair{"a", 0.5}, std::pair{"b", 0.7}, std::pair{"c", 0.9}}) {
    RunRecord record = finishedRecord(name);
    record.bestValidationScore = accuracy;
    write(name, record);
  }
  load();
  sorted_->sort(columnOf(RunColumn::name), Qt::AscendingOrder);
  const auto extremes = [&] {
    std::vector<int> list;
    for (int row = 0; row < sorted_->rowCount(); ++row) {
      list.push_back(sorted_->index(row, columnOf(RunColumn::validation))
                         .data(RunSortFilter::kExtremeRole)
                         .toInt());
    }
    return list;
  };
  using List = std::vector<int>;
  QCOMPARE(extremes(), (List{RunSortFilter::kWorst, RunSortFilter::kNone, RunSortFilter::kBest}));
  QCOMPARE(sorted_->index(0, columnOf(RunColumn::test)).data(RunSortFilter::kExtremeRole).toInt(),
           static_cast<int>(RunSortFilter::kNone));
  fs::remove_all(folder_->path() / "2026-11-21_01-02-23_c");
  QTRY_COMPARE(extremes(), (List{RunSortFilter::kWorst, RunSortFilter::kBest}));
}

void TestRunTableModel::theBestIsThatOfADataSet() {
  const auto add = [&](const std::string& name, const DataSource& source, double accuracy) {
    RunRecord record = finishedRecord(name);
    record.config.data.source = source;
    record.bestValidationScore = accuracy;
    write(name, record);
  };
  add("a", Cifar10Source{"/data/cifar10"}, 0.8);
  add("b", Cifar10Source{"/moved/cifar10"}, 0.7);
  add("c", ImageFolderSource{.path = "/data/leaves/"}, 0.99);
  load();
  sorted_->sort(columnOf(RunColumn::name), Qt::AscendingOrder);
  QCOMPARE(textsOf(*sorted_, columnOf(RunColumn::dataSet)),
           (QStringList{u"CIFAR-10"_s, u"CIFAR-10"_s, u"leaves"_s}));
  std::vector<int> marks;
  for (int row = 0; row < 3; ++row) {
    const QModelIndex cell = sorted_->index(row, columnOf(RunColumn::validation));
    marks.push_back(cell.data(RunSortFilter::kExtremeRole).toInt());
  }
  // The only run on its data is neither the best nor the worst.
  using List = std::vector<int>;
  QCOMPARE(marks, (List{RunSortFilter::kBest, RunSortFilter::kWorst, RunSortFilter::kNone}));
}

void TestRunTableModel::namesakesTellWhatDiffers() {
  RunRecord first = finishedRecord("same"), second = first, third = first;
  second.config.seed = 3;
  third.config.architecture.stages[0].blocks[0].mixer = LambdaMixer{};
  third.pattern = patternOf(third.config.architecture);
  const fs::path run = write("a", first);
  write("b", second);
  write("c", third);
  write("d", finishedRecord("other"));
  load();
  const auto differences = [&] {
    QStringList texts;
    for (int row = 0; row < model_->rowCount(); ++row) {
      texts << model_->index(row, columnOf(RunColumn::name))
                   .data(RunTableModel::kDifferenceRole)
                   .toString();
    }
    return texts;
  };
  QCOMPARE(differences(),
           (QStringList{u"C-CL, seed 0"_s, u"C-CL, seed 3"_s, u"L-CL, seed 0"_s, QString()}));
  QCOMPARE(model_->distinctName(2), u"same: L-CL, seed 0"_s);
  QCOMPARE(model_->distinctName(3), u"other"_s);
  const QString toolTip =
      model_->index(2, columnOf(RunColumn::name)).data(Qt::ToolTipRole).toString();
  QVERIFY2(toolTip.contains(u"L-CL, seed 0"_s), qPrintable(toolTip));
  fs::remove_all(run);
  fs::remove_all(folder_->path() / "2026-11-21_01-02-23_c");
  QTRY_COMPARE(differences(), (QStringList{QString(), QString()}));
}

void TestRunTableModel::colorsStayWithTheirRuns() {
  std::vector<fs::path> runs;
  for (int i = 0; i < 10; ++i) {
    runs.push_back(write("run" + std::to_string(i), finishedRecord("run")));
  }
  load();
  QSignalSpy checks(model_.get(), &RunTableModel::checkedChanged);
  std::set<int> colors;
  for (int i = 0; i < 8; ++i) {
    QCOMPARE(model_->colorIndex(runs[static_cast<std::size_t>(i)]), -1);
    model_->setChecked(runs[static_cast<std::size_t>(i)], true);
    colors.insert(model_->colorIndex(runs[static_cast<std::size_t>(i)]));
  }
  QCOMPARE(colors.size(), std::size_t(8));
  QCOMPARE(checks.size(), 8);
  const int color = model_->colorIndex(runs[3]);
  model_->setChecked(runs[3], false);
  model_->setChecked(runs[8], true);
  QCOMPARE(model_->colorIndex(runs[8]), color);  // The colour that is not in use.
  model_->setChecked(runs[3], true);
  QCOMPARE(model_->colorIndex(runs[3]), color);
  QCOMPARE(model_->checked().size(), std::size_t(9));
}

void TestRunTableModel::colorsAndChecksFollowARenaming() {
  const fs::path run = write("a", finishedRecord("a"));
  write("b", finishedRecord("b"));
  load();
  model_->setChecked(folder_->path() / "2026-11-21_01-02-23_b", true);
  model_->setChecked(run, true);
  const int color = model_->colorIndex(run);
  library_->rename(run, u"z"_s);
  const fs::path to = folder_->path() / "2026-11-21_01-02-23_z";
  QTRY_VERIFY(model_->indexOf(to) >= 0);
  QVERIFY(model_->isChecked(to));
  QCOMPARE(model_->colorIndex(to), color);
  QVERIFY(!model_->isChecked(run));
}

void TestRunTableModel::colorsAreRememberedForTheNextTime() {
  write("a", finishedRecord("a"));
  const fs::path run = write("b", finishedRecord("b"));
  load();
  model_->setChecked(run, true);
  model_->setColorIndex(run, 5);
  QSettings settings(toText(folder_->path() / "settings.ini"), QSettings::IniFormat);
  model_->saveLayout(settings);
  RunTableModel next(*library_);
  next.restoreLayout(settings);
  QCOMPARE(next.colorIndex(run), 5);
  QCOMPARE(next.checked(), std::vector<fs::path>{run});
}

void TestRunTableModel::importedLogsAreRows() {
  fs::create_directory(folder_->path() / "foreign");
  EventWriter writer(folder_->path() / "foreign");
  for (int epoch = 0; epoch < 3; ++epoch) {
    writer.add(epoch, {{"Accuracy_Test", 60.0 + epoch}}, 1000 + 10 * epoch);
  }
  write("own", finishedRecord("own"));
  load();
  library_->importLog(folder_->path() / "foreign");
  QTRY_COMPARE(model_->rowCount(), 2);
  QCOMPARE(model_->row(1).state, RunState::imported);
  QVERIFY(std::abs(specOf(RunColumn::test).number(model_->row(1)) - 0.62) < 1e-6);
  QVERIFY(std::isnan(specOf(RunColumn::validation).number(model_->row(1))));
  QCOMPARE(specOf(RunColumn::epochs).number(model_->row(1)), 3.0);
  QCOMPARE(specOf(RunColumn::time).number(model_->row(1)), 20.0);
  library_->removeLog(folder_->path() / "foreign");
  QCOMPARE(model_->rowCount(), 1);
}

void TestRunTableModel::foreignCurvesAreFoundByTheirWords_data() {
  QTest::addColumn<QString>("curve");
  QTest::addColumn<double>("value");
  QTest::addColumn<RunQuantity>("quantity");
  QTest::addColumn<double>("factor");
  QTest::addColumn<bool>("isOfTest");
  QTest::newRow("TU Delft") << u"Accuracy_Test"_s << 81.8 << RunQuantity::validationScore << 0.01
                            << true;
  QTest::newRow("share") << u"val/acc"_s << 0.8 << RunQuantity::validationScore << 1.0 << false;
  QTest::newRow("Keras") << u"validation/epoch_loss"_s << 2.3 << RunQuantity::validationLoss << 1.0
                         << false;
  QTest::newRow("train") << u"Loss_Train"_s << 0.4 << RunQuantity::trainLoss << 1.0 << false;
  QTest::newRow("plain loss") << u"loss"_s << 0.4 << RunQuantity::trainLoss << 1.0 << false;
}

void TestRunTableModel::foreignCurvesAreFoundByTheirWords() {
  QFETCH(QString, curve);
  QFETCH(double, value);
  QFETCH(RunQuantity, quantity);
  QFETCH(double, factor);
  QFETCH(bool, isOfTest);
  const ImportedLog log =
      logOf({{"lr", {{0, 0, 0.1}}}, {curve.toStdString(), {{0, 0, value}, {1, 1, value}}}});
  const auto match = matchOf(log, quantity);
  QVERIFY(match);
  QCOMPARE(match->curve, &log.curves[1]);
  QCOMPARE(match->factor, factor);
  QCOMPARE(match->isOfTest, isOfTest);
  QVERIFY(match->isByEpoch);
  int matches = 0;
  for (const RunQuantity each : {RunQuantity::validationScore,
                                 RunQuantity::validationLoss,
                                 RunQuantity::trainScore,
                                 RunQuantity::trainLoss}) {
    if (matchOf(log, each)) ++matches;
  }
  QCOMPARE(matches, 1);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRunTableModel)
#include "tst_run_table_model.moc"
