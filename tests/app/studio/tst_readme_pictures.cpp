#include <set>

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr int kPatienceMs = 280'000;
constexpr std::size_t kLeastColours = 40;  // An empty page has fewer.

std::size_t coloursOf(const QImage& image) {
  std::set<QRgb> colours;
  for (int y = 0; y < image.height(); y += 3) {
    for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
  }
  return colours.size();
}

}  // namespace

class TestReadmePictures : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() {
    QProcess make;
    make.setProcessChannelMode(QProcess::MergedChannels);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"BUILD"_s, QFileInfo(QStringLiteral(LAMBDA_PROGRAM)).absolutePath());
    make.setProcessEnvironment(environment);
    make.start(QStringLiteral(LAMBDA_RESOURCES "/pictures/make"), {u"--fast"_s, folder_.path()});
    const bool hasEnded = make.waitForFinished(kPatienceMs);
    QVERIFY2(hasEnded && make.exitCode() == 0, make.readAll().constData());
  }

  void eachIsThereAndShowsSomething_data() {
    QTest::addColumn<QSize>("size");
    for (const char* page : {"design", "train", "inspect", "runs", "experiments"}) {
      QTest::addRow("studio-%s", page) << QSize(1440, 900);
    }
    QTest::newRow("quickstart-inspection") << QSize(1308, 460);
  }

  void eachIsThereAndShowsSomething() {
    QFETCH(QSize, size);
    const QString name = QString::fromLatin1(QTest::currentDataTag()) + u".png"_s;
    const QImage image(folder_.filePath(name));
    QCOMPARE(image.size(), size);
    QVERIFY2(coloursOf(image) > kLeastColours, qPrintable(QString::number(coloursOf(image))));
  }

  /// The README and the pages of resources/docs show exactly the pictures that the script draws.
  void theDocumentsShowThem() {
    QStringList documents{QStringLiteral(LAMBDA_RESOURCES "/../README.md")};
    const QDir pages(QStringLiteral(LAMBDA_RESOURCES "/docs"));
    for (const QString& name : pages.entryList({u"*.md"_s}, QDir::Files)) {
      documents << pages.filePath(name);
    }
    static const QRegularExpression link(u"\\((?:resources|\\.\\.)/pictures/([\\w-]+\\.png)\\)"_s);
    QStringList shown;
    for (const QString& name : documents) {
      QFile document(name);
      QVERIFY(document.open(QIODevice::ReadOnly));
      for (const auto& match : link.globalMatch(QString::fromUtf8(document.readAll())))
        shown << match.captured(1);
    }
    shown.sort();
    shown.removeDuplicates();
    QCOMPARE(shown, QDir(folder_.path()).entryList({u"*.png"_s}, QDir::Files, QDir::Name));
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestReadmePictures)
#include "tst_readme_pictures.moc"
