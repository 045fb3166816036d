#include <csignal>
#include <sys/resource.h>
#include <thread>

#include <QFileDialog>
#include <QImageReader>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest/QtTest>

#include "widgets/export/export_file.h"
#include "widgets/export/export_menu.h"
#include "widgets/export/exportable.h"
#include "widgets/export/gif_writer.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// Draws a rectangle in the colour of text over the left half.
class HalfFilled : public Exportable {
 public:
  QString exportName() const override { return name; }

  QSize exportSize() const override { return {200, 100}; }

  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override {
    painter.fillRect(0, 0, size.width() / 2, size.height(), colors.text);
  }

  QString exportCaption() const override { return caption; }

  QString toCsv() const override { return csv; }

  QString name = QStringLiteral("half");
  QString caption;
  QString csv = QStringLiteral("a,b\n1,2\n");
};

/// Meanwhile nothing can be written to files, as on a full disk.
class NoSpace {
 public:
  NoSpace() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &usual_);
    const rlimit none{.rlim_cur = 0, .rlim_max = usual_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }

  ~NoSpace() {
    setrlimit(RLIMIT_FSIZE, &usual_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit usual_{};
  void (*handler_)(int);
};

}  // namespace

class TestExport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theEndOfTheNameDecidesTheFormat();
  void aPictureHasTheAskedSizeAndTheColorsOfPaper();
  void onRequestInTheColorsOfTheScreen();
  void anSvgShowsWhatAPngShows();
  void aPdfIsOnePageOfThatSize();
  void aNameFromAFileIsAStemInTheFolder_data();
  void aNameFromAFileIsAStemInTheFolder();
  void textsFromFilesAreNoMarkupInAnSvg();
  void numbersAreWrittenAsTheyAre();
  void whatCannotBeWrittenSaysWhereAndWhy();
  void aFileIsWrittenBesideTheWindow();
  void aFullDiskKeepsTheFormerFile();
  void anAnimationRepeatsItsPicturesInTheirColors();
  void anAnimationIsWholeOrNotThere();

 private:
  HalfFilled source_;
  QTemporaryDir folder_;

  QString path(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
};

void TestExport::theEndOfTheNameDecidesTheFormat() {
  QCOMPARE(formatOf(QStringLiteral("a.SVG")), ExportFormat::svg);
  QCOMPARE(formatOf(QStringLiteral("a.pdf")), ExportFormat::pdf);
  QCOMPARE(formatOf(QStringLiteral("a.csv")), ExportFormat::csv);
  QCOMPARE(formatOf(QStringLiteral("a.b")), ExportFormat::png);
}

void TestExport::aPictureHasTheAskedSizeAndTheColorsOfPaper() {
  QCOMPARE(writeExport(source_, path("a.png"), {}), QString());
  const QImage image(path("a.png"));
  QCOMPARE(image.size(), QSize(400, 200));
  QCOMPARE(image.pixelColor(100, 100), printColors().text);
  QCOMPARE(image.pixelColor(300, 100), QColor(Qt::white));
  QCOMPARE(writeExport(source_, path("b.png"), {.size = {60, 40}, .pixelRatio = 1}), QString());
  QCOMPARE(QImage(path("b.png")).size(), QSize(60, 40));
}

void TestExport::onRequestInTheColorsOfTheScreen() {
  const QImage image = toImage(source_, {.size = {}, .pixelRatio = 1, .colors = &darkColors()});
  QCOMPARE(image.pixelColor(150, 50), darkColors().page);
}

void TestExport::anSvgShowsWhatAPngShows() {
  QCOMPARE(writeExport(source_, path("a.svg"), {}), QString());
  QSvgRenderer renderer(path("a.svg"));
  QVERIFY(renderer.isValid());
  QCOMPARE(renderer.viewBox(), QRect(0, 0, 200, 100));
  QImage image(200, 100, QImage::Format_RGB32);
  QPainter painter(&image);
  renderer.render(&painter);
  painter.end();
  QCOMPARE(image.pixelColor(50, 50), printColors().text);
  QCOMPARE(image.pixelColor(150, 50), QColor(Qt::white));
}

void TestExport::aPdfIsOnePageOfThatSize() {
  QCOMPARE(writeExport(source_, path("a.pdf"), {}), QString());
  QFile file(path("a.pdf"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray bytes = file.readAll();
  QVERIFY(bytes.startsWith("%PDF-"));
  QCOMPARE(bytes.count("/Type /Page\n"), 1);
  // 200 x 100 pixels of 1/96 inch are 150 x 75 points of 1/72 inch.
  QVERIFY2(bytes.contains("/MediaBox [0 0 150 75]") ||
               bytes.contains("/MediaBox [0 0 150.000000 75.000000]"),
           bytes.mid(bytes.indexOf("/MediaBox"), 50).constData());
}

void TestExport::aNameFromAFileIsAStemInTheFolder_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("stem");
  QTest::newRow("usual") << u"stage2.block1.mixer-lambda"_s << u"stage2.block1.mixer-lambda"_s;
  QTest::newRow("letters") << u"Größe_λ+2"_s << u"Größe_λ+2"_s;
  QTest::newRow("above") << u"../../x"_s << u"x"_s;
  QTest::newRow("absolute") << u"/etc/passwd"_s << u"etc-passwd"_s;
  QTest::newRow("hidden") << u".profile"_s << u"profile"_s;
  QTest::newRow("markup") << u"a<script>b"_s << u"a-script-b"_s;
  QTest::newRow("control characters") << u"a\n\x1b\u202e"_s << u"a---"_s;
  QTest::newRow("nothing") << QString() << u"picture"_s;
  QTest::newRow("dots") << u".."_s << u"picture"_s;
  QTest::newRow("long") << QString(5000, u'a') << QString(80, u'a');
}

void TestExport::aNameFromAFileIsAStemInTheFolder() {
  QFETCH(QString, name);
  HalfFilled source;
  source.name = name;
  QTEST(fileStemOf(source), "stem");
}

void TestExport::textsFromFilesAreNoMarkupInAnSvg() {
  HalfFilled source;
  source.name = u"a</title><script>alert(1)</script>"_s;
  source.caption = u"b</text><script>alert(1)</script>\x1b\uffff"_s;
  QCOMPARE(writeExport(source, path("a.svg"), {}), QString());
  QFile file(path("a.svg"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  QXmlStreamReader reader(&file);
  QStringList elements;
  while (!reader.atEnd()) {
    if (reader.readNext() == QXmlStreamReader::StartElement) elements << reader.name().toString();
  }
  QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
  QVERIFY(elements.contains(u"title"_s));
  QVERIFY(!elements.contains(u"script"_s));
}

void TestExport::numbersAreWrittenAsTheyAre() {
  QCOMPARE(writeExport(source_, path("a.csv"), {}), QString());
  QFile file(path("a.csv"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  QCOMPARE(file.readAll(), QByteArray("a,b\n1,2\n"));
  source_.csv.clear();
  QVERIFY(writeExport(source_, path("b.csv"), {}).contains(QStringLiteral("no numbers")));
  QVERIFY(!QFile::exists(path("b.csv")));
}

void TestExport::whatCannotBeWrittenSaysWhereAndWhy() {
  const QString problem = writeExport(source_, path("missing/a.png"), {});
  QVERIFY2(problem.contains(path("missing/a.png")), qPrintable(problem));
}

void TestExport::aFileIsWrittenBesideTheWindow() {
  std::function<QString()> write;
  {
    const HalfFilled gone;
    write = exportWriter(gone, path("late.png"), {});
  }
  QString problem = QStringLiteral("not written");
  std::thread([&] { problem = write(); }).join();
  QCOMPARE(problem, QString());
  QCOMPARE(QImage(path("late.png")).size(), QSize(400, 200));

  QWidget window;
  QMenu menu;
  addExportActions(menu, source_, window);
  const auto saved = [&](const char* name) {
    for (QAction* action : menu.actions()) {
      if (action->text().startsWith(QStringLiteral("Save as"))) action->trigger();
    }
    auto* dialog = window.findChild<QFileDialog*>();
    Q_EMIT dialog->fileSelected(path(name));
    delete dialog;
  };
  saved("chosen.png");
  QTRY_VERIFY(QFile::exists(path("chosen.png")));
  saved("missing/chosen.png");
  QTRY_VERIFY(window.findChild<QMessageBox*>());
}

void TestExport::aFullDiskKeepsTheFormerFile() {
  source_.csv = QStringLiteral("a,b\n1,2\n");
  QCOMPARE(writeExport(source_, path("full.csv"), {}), QString());
  source_.csv = QStringLiteral("a,b\n3,4\n");
  QString problem;
  {
    const NoSpace noSpace;
    problem = writeExport(source_, path("full.csv"), {});
  }
  QVERIFY2(problem.contains(path("full.csv")), qPrintable(problem));
  QFile file(path("full.csv"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  QCOMPARE(file.readAll(), QByteArray("a,b\n1,2\n"));
}

void TestExport::anAnimationRepeatsItsPicturesInTheirColors() {
  const QList<QRgb> palette{qRgb(255, 255, 255), qRgb(200, 0, 0), qRgb(0, 0, 200)};
  QImage red(3, 2, QImage::Format_RGB32), blue(3, 2, QImage::Format_RGB32);
  red.fill(QColor(198, 3, 2));
  blue.fill(Qt::white);
  blue.setPixelColor(2, 1, QColor(0, 0, 200));
  GifWriter writer(path("a.gif"), red.size(), palette);
  QVERIFY(writer.add(red, std::chrono::milliseconds(250)));
  QVERIFY(writer.add(blue, std::chrono::milliseconds(2000)));
  QVERIFY(writer.finish());

  QFile file(path("a.gif"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray bytes = file.readAll();
  // By the specification: the header, the size, 256 colours, and the first of them.
  QCOMPARE(bytes.left(10), QByteArray("GIF89a\x03\x00\x02\x00", 10));
  QCOMPARE(static_cast<quint8>(bytes[10]) & 0x87, 0x87);
  QCOMPARE(bytes.mid(13, 6), QByteArray("\xff\xff\xff\xc8\x00\x00", 6));
  // After the colours: endless repetition, then 250 ms in hundredths of a second.
  const qsizetype behind = 13 + 3 * 256;
  QCOMPARE(bytes.mid(behind, 19), QByteArray("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19));
  QCOMPARE(bytes.mid(behind + 19, 8), QByteArray("\x21\xf9\x04\x04\x19\x00\xff\x00", 8));
  QCOMPARE(bytes.back(), '\x3b');

  QImageReader reader(path("a.gif"));
  QCOMPARE(reader.imageCount(), 2);
  QCOMPARE(reader.loopCount(), -1);
  QCOMPARE(reader.read().pixelColor(1, 1), QColor(200, 0, 0));
  QCOMPARE(reader.nextImageDelay(), 250);
  const QImage second = reader.read();
  QCOMPARE(second.pixelColor(0, 0), QColor(Qt::white));
  QCOMPARE(second.pixelColor(2, 1), QColor(0, 0, 200));
  QCOMPARE(reader.nextImageDelay(), 2000);
}

void TestExport::anAnimationIsWholeOrNotThere() {
  QImage image(4, 4, QImage::Format_RGB32);
  image.fill(Qt::red);
  {
    GifWriter abandoned(path("b.gif"), image.size(), {qRgb(255, 0, 0)});
    QVERIFY(abandoned.add(image, std::chrono::milliseconds(100)));
    QVERIFY(!abandoned.add(image.scaled(5, 5), std::chrono::milliseconds(100)));
    QVERIFY(!abandoned.finish());
  }
  QVERIFY(!QFile::exists(path("b.gif")));
  GifWriter nowhere(path("missing/c.gif"), image.size(), {qRgb(255, 0, 0)});
  QVERIFY(!nowhere.add(image, std::chrono::milliseconds(100)));
  QVERIFY(!nowhere.finish());
  QVERIFY(!nowhere.error().isEmpty());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestExport)

#include "tst_export.moc"
