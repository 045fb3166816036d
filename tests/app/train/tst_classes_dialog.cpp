#include <fstream>

#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include "app/train/data/classes_dialog.h"
#include "app/train/data/data_panel.h"
#include "engine/data/sources/data_sources.h"
#include "tests/support/small_data_sets.h"
#include "tests/support/temporary_folder.h"
#include "widgets/theme/theme.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

/// The classes of own pictures, in the check of the data and in the studio.
class TestClassesDialog : public QObject {
  Q_OBJECT

 private:
  TemporaryFolder folder_;

  /// 12 blue and 3 red pictures, of which one can't be decoded.
  ImageFolderSource unbalanced() const {
    ImageFolderSource source;
    source.path = (folder_.path() / "train-only").string();
    source.size = 16;
    source.corrupt = CorruptPictures::skip;
    return source;
  }

  static QTableWidget& table(const QWidget& dialog, const QString& name) {
    return *dialog.findChild<QTableWidget*>(name);
  }

 private Q_SLOTS:

  void initTestCase() {
    applyTheme(*qApp, ThemeChoice::light);
    const fs::path path = unbalanced().path;
    writePictures(path, 12);
    fs::remove_all(path / "red");
    fs::create_directories(path / "red");
    for (int i = 0; i < 3; ++i) {
      std::ofstream(path / "red" / (std::to_string(i) + ".png"))
          << encodePng(plainPicture(20, 20, 250, 0, 0));
    }
    std::ofstream(path / "red" / "broken.png") << "no picture";
  }

  void imagesOfEachClassAreCounted() {
    const DataReport report = checkDataset(unbalanced());
    const std::vector<ClassCount> expected = {{"blue", 12, 0}, {"red", 3, 0}};
    QCOMPARE(classCountsOf(report), expected);
    writePictures(folder_.path() / "whole/train", 6);
    writePictures(folder_.path() / "whole/test", 2);
    const DataReport balanced =
        checkDataset(ImageFolderSource{(folder_.path() / "whole").string(), 16});
    const std::vector<ClassCount> both = {{"blue", 6, 2}, {"red", 6, 2}};
    QCOMPARE(classCountsOf(balanced), both);
    QVERIFY(!imbalanceOf(balanced));
  }

  void classesThatAreNotBalancedAreSaid() {
    const DataReport report = checkDataset(unbalanced());
    const auto finding = imbalanceOf(report);
    QVERIFY(finding.has_value());
    QCOMPARE(finding->text,
             std::string("the classes are not balanced: blue has 12 training images, red has 3"));
    QVERIFY(std::ranges::find(report.findings, *finding) != report.findings.end());
    DataReport nearly = report;
    nearly.files[0].countPerClass = {8, 3};
    QVERIFY(!imbalanceOf(nearly));
    nearly.files[0].countPerClass = {9, 3};
    QVERIFY(imbalanceOf(nearly));
    nearly.files[0].countPerClass = {3, 0};
    QVERIFY(imbalanceOf(nearly));
  }

  void theTableHasCountsExamplesAndFindings() {
    const DataReport report = checkDataset(unbalanced());
    ClassesDialog dialog(report, unbalanced(), nullptr);
    dialog.show();
    const QTableWidget& classes = table(dialog, u"classes"_s);
    QCOMPARE(classes.rowCount(), 2);
    QCOMPARE(classes.item(0, 0)->text(), u"blue"_s);
    QCOMPARE(classes.item(0, 1)->data(Qt::DisplayRole).toInt(), 12);
    QTRY_VERIFY(!classes.item(1, 3)->icon().isNull());
    const QImage red = classes.item(1, 3)->icon().pixmap(classes.iconSize()).toImage();
    QVERIFY(qRed(red.pixel(10, 10)) > 200 && qBlue(red.pixel(10, 10)) < 60);
    const QTableWidget& findings = table(dialog, u"findings"_s);
    QStringList places;
    for (int row = 0; row < findings.rowCount(); ++row) places << findings.item(row, 0)->text();
    QVERIFY2(places.contains(u"red/broken.png"_s), qPrintable(places.join(u'\n')));
  }

  void theSmallestClassIsFoundBySorting() {
    ClassesDialog dialog(checkDataset(unbalanced()), unbalanced(), nullptr);
    QTableWidget& classes = table(dialog, u"classes"_s);
    QTRY_VERIFY(!classes.item(0, 3)->icon().isNull());
    classes.sortByColumn(1, Qt::AscendingOrder);
    QCOMPARE(classes.item(0, 0)->text(), u"red"_s);
    QCOMPARE(classes.item(1, 1)->data(Qt::DisplayRole).toInt(), 12);
  }

  void aRefusedDataSetHasItsFindingsAlone() {
    ImageFolderSource refusing = unbalanced();
    refusing.corrupt = CorruptPictures::refuse;
    DataPanel panel;
    panel.show();
    panel.setSource(refusing);
    QTRY_COMPARE(panel.state(), DataState::damaged);
    auto* button = panel.findChild<QToolButton*>(u"classes"_s);
    QCOMPARE(button->text(), u"Findings"_s);
    QTest::mouseClick(button, Qt::LeftButton);
    auto* dialog = panel.findChild<ClassesDialog*>();
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->windowTitle(), u"Findings"_s);
    QVERIFY(!table(*dialog, u"classes"_s).isVisible());
    const QTableWidget& findings = table(*dialog, u"findings"_s);
    QVERIFY(findings.rowCount() > 0);
    QTRY_VERIFY2(findings.height() > dialog->height() / 2,
                 qPrintable(QString::number(findings.height())));
    dialog->close();
  }

  void thePanelOffersThemForFilesOnly() {
    DataPanel panel;
    panel.show();
    auto* button = panel.findChild<QToolButton*>(u"classes"_s);
    QVERIFY(!button->isVisible());
    panel.setSource(unbalanced());
    QTRY_COMPARE(panel.state(), DataState::usable);
    QVERIFY(button->isVisible());
    button->click();
    auto* dialog = panel.findChild<ClassesDialog*>();
    QVERIFY(dialog != nullptr);
    QCOMPARE(table(*dialog, u"classes"_s).rowCount(), 2);
    dialog->close();
    panel.setSource(Shapes10Source());
    QVERIFY(!button->isVisible());
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestClassesDialog)
#include "tst_classes_dialog.moc"
