#include <QCheckBox>
#include <QFile>
#include <QMimeData>
#include <QSettings>
#include <QToolButton>
#include <QUrl>

#include "app/runs/networks/networks_panel.h"
#include "app/runs/panels/choice_bar.h"
#include "engine/formats/files/durable_file.h"
#include "tests/support/runs_page_stage.h"
#include "widgets/plots/scatter/scatter_plot.h"
#include "widgets/text/path_text.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr int kNetworksTab = 6;
constexpr char kTable[] =
    "network,parameters,flops,forwardImagesPerSecond,trainingImagesPerSecond,accuracy\n"
    "small,1000,2e6,500,100,70 %\n"
    "large,9000,5e6,200,,0.8\n"
    "slow,9500,6e6,100,20,\n";

}  // namespace

class TestRunsNetworks : public QObject, private RunsPageStage {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { beginAll(); }

  void init() {
    begin();
    write("a", smallRecord("first"));
    open(1);
    showTab(kNetworksTab);
  }

  void cleanup() { end(); }

  void aDroppedTableIsDrawn();
  void networksNeedNoRuns();
  void everyMeasureHasItsValues();
  void aTableThatCanNotBeReadIsNamed();
  void theTableIsRememberedAndReadWhenShown();

 private:
  NetworksPanel& panel() const { return *page_->findChild<NetworksPanel*>(); }

  fs::path writeTable(const std::string& text) const {
    const fs::path path = home_->path() / "networks.csv";
    writeFileDurably(path, text);
    return path;
  }

  /// The heights of the drawn points, from the first network on; nan where there is none.
  std::vector<double> heights(int measure) const {
    auto* choice = panel().findChild<ChoiceBar*>();
    const QList<QAbstractButton*> buttons = choice->findChildren<QAbstractButton*>();
    QTest::mouseClick(buttons.at(measure), Qt::LeftButton);
    std::vector<double> ys;
    for (const ScatterPoint& point : panel().plot().points()) ys.push_back(point.y);
    return ys;
  }
};

void TestRunsNetworks::aDroppedTableIsDrawn() {
  QVERIFY(hasLabel(u"Compare networks"_s));
  showTab(0);
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(toText(writeTable(kTable)))});
  QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(page_.get(), &enter);
  QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(page_.get(), &drop);
  QTRY_COMPARE(panel().plot().points().size(), std::size_t{3});
  QVERIFY(panel().isVisible());
  QVERIFY(panel().plot().isVisible());
  QVERIFY(hasLabel(u"networks.csv"_s));
  QCOMPARE(panel().plot().points()[1].name, u"large"_s);
  QCOMPARE(panel().plot().points()[1].x, 9000.0);
}

void TestRunsNetworks::networksNeedNoRuns() {
  folder_ = std::make_unique<TemporaryFolder>();
  library_->setFolder(folder_->path());
  QTRY_COMPARE(rows().rowCount(), 0);
  QTRY_VERIFY(!panel().isVisible());
  action(u"Show networks"_s)->trigger();
  QVERIFY(panel().isVisible());
  panel().open(writeTable(kTable));
  QTRY_VERIFY(panel().plot().isVisible());
}

void TestRunsNetworks::everyMeasureHasItsValues() {
  panel().open(writeTable(kTable));
  QTRY_COMPARE(panel().plot().points().size(), std::size_t{3});
  const std::vector<double> accuracies = heights(0);
  QCOMPARE(accuracies[0], 0.7);
  QCOMPARE(accuracies[1], 0.8);
  QVERIFY(std::isnan(accuracies[2]));
  QCOMPARE(heights(1), (std::vector<double>{2e6, 5e6, 6e6}));
  // Fewer FLOPs are better, so that the smallest network beats all others.
  QVERIFY(panel().plot().toCsv().contains(u"small,1000,2000000,1\nlarge,9000,5000000,0"_s));
  QCOMPARE(heights(2), (std::vector<double>{2, 5, 10}));
  const std::vector<double> trainingTimes = heights(3);
  QCOMPARE(trainingTimes[0], 10.0);
  QVERIFY(std::isnan(trainingTimes[1]));
  // A higher accuracy is better.
  heights(0);
  QVERIFY(panel().plot().toCsv().contains(u"small,1000,0.7,1\nlarge,9000,0.8,1"_s));
}

void TestRunsNetworks::aTableThatCanNotBeReadIsNamed() {
  panel().open(writeTable(kTable));
  QTRY_COMPARE(panel().plot().points().size(), std::size_t{3});
  panel().open(writeTable("network,parameters\na,many\n"));
  const auto problem = [this] {
    const QList<QLabel*> labels = panel().findChildren<QLabel*>();
    const auto found = std::ranges::find_if(labels, [](const QLabel* label) {
      return label->isVisible() && label->text().startsWith(u"Could not open the table."_s);
    });
    return found == labels.end() ? QString() : (*found)->text();
  };
  QTRY_VERIFY(!problem().isEmpty());
  QVERIFY2(problem().contains(u"networks.csv, line 2: the parameters is \"many\""_s),
           qPrintable(problem()));
  QCOMPARE(panel().plot().points().size(), std::size_t{3});
  panel().open(writeTable(kTable));
  QTRY_VERIFY(problem().isEmpty());
}

void TestRunsNetworks::theTableIsRememberedAndReadWhenShown() {
  panel().open(writeTable(kTable));
  QTRY_COMPARE(panel().plot().points().size(), std::size_t{3});
  heights(3);
  QSettings settings(toText(home_->path() / "layout.ini"), QSettings::IniFormat);
  page_->saveLayout(settings);
  makePage();
  page_->restoreLayout(settings);
  QTRY_COMPARE(panel().plot().points().size(), std::size_t{3});
  QCOMPARE(panel().plot().points()[0].y, 10.0);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRunsNetworks)
#include "tst_runs_networks.moc"
