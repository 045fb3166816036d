#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <QMap>
#include <QSet>
#include <QXmlStreamReader>
#include <QtTest/QtTest>

#include "app/report/report_html.h"
#include "app/report/report_writer.h"
#include "engine/formats/metrics/evaluations_json.h"
#include "engine/runtime/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"
#include "tests/support/written_experiment.h"
#include "tests/support/written_runs.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// Ends every kind of markup that a text can stand in, and then asks for things.
constexpr char kHostile[] =
    "\"'>]]></title></style></p><script>alert(1)</script><img src=http://evil.example/x "
    "onerror=alert(2)><a href=\"javascript:alert(3)\">%1 url(http://evil.example) "
    "&lt;\u202e\x1b[31m";

const QSet<QString> kElements{u"html"_s,    u"head"_s,    u"meta"_s,    u"title"_s,     u"style"_s,
                              u"body"_s,    u"main"_s,    u"section"_s, u"h1"_s,        u"h2"_s,
                              u"h3"_s,      u"p"_s,       u"ul"_s,      u"li"_s,        u"div"_s,
                              u"table"_s,   u"caption"_s, u"thead"_s,   u"tbody"_s,     u"tr"_s,
                              u"th"_s,      u"td"_s,      u"pre"_s,     u"code"_s,      u"figure"_s,
                              u"picture"_s, u"source"_s,  u"img"_s,     u"figcaption"_s};

const QSet<QString> kAttributes{u"lang"_s,
                                u"charset"_s,
                                u"http-equiv"_s,
                                u"content"_s,
                                u"name"_s,
                                u"id"_s,
                                u"class"_s,
                                u"role"_s,
                                u"tabindex"_s,
                                u"scope"_s,
                                u"aria-labelledby"_s,
                                u"media"_s,
                                u"aria-label"_s,
                                u"alt"_s,
                                u"src"_s,
                                u"srcset"_s};

/// What a page contains, and what is wrong with it.
struct ParsedPage {
  QString title;
  QStringList headings;
  QMap<QString, QStringList> rows;  ///< The cells behind the heading of the first row of a name.
  QString text;                     ///< All of it, without that of the style.
  QString style;
  QStringList alternatives;   ///< Of its pictures.
  QList<QByteArray> vectors;  ///< Its pictures in SVG.
  QStringList complaints;
};

void addPicture(const QString& uri, ParsedPage& page) {
  const QString vector = u"data:image/svg+xml;base64,"_s;
  if (uri.startsWith(vector)) {
    page.vectors << QByteArray::fromBase64(uri.mid(vector.size()).toLatin1());
  } else if (!uri.startsWith(u"data:image/png;base64,"_s)) {
    page.complaints << u"a picture from "_s + uri.left(80);
  }
}

ParsedPage parsed(const QByteArray& html) {
  ParsedPage page;
  QXmlStreamReader reader(html);
  QStringList* row = nullptr;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isCharacters()) page.text += reader.text();
    if (!reader.isStartElement()) continue;
    const QString name = reader.name().toString();
    if (!kElements.contains(name)) page.complaints << u"the element "_s + name;
    for (const QXmlStreamAttribute& attribute : reader.attributes()) {
      const QString key = attribute.qualifiedName().toString();
      if (!kAttributes.contains(key)) page.complaints << u"the attribute "_s + key;
      if (key == u"src"_s || key == u"srcset"_s) addPicture(attribute.value().toString(), page);
    }
    if (name == u"img"_s) page.alternatives << reader.attributes().value(u"alt"_s).toString();
    const auto textHere = [&] {
      const QString text = reader.readElementText();
      page.text += text + u'\n';
      return text;
    };
    if (name == u"title"_s) page.title = textHere();
    if (name == u"style"_s) page.style = reader.readElementText();
    if (name == u"h2"_s) page.headings << textHere();
    if (name == u"th"_s && reader.attributes().value(u"scope"_s) == u"row"_s) {
      const QString heading = textHere();
      row = page.rows.contains(heading) ? nullptr : &page.rows[heading];
    } else if (name == u"td"_s && row) {
      *row << textHere();
    }
  }
  if (reader.hasError()) page.complaints << reader.errorString();
  return page;
}

/// Complaints about elements and links of a drawing that could do more than draw.
QStringList complaintsAbout(const QByteArray& svg) {
  QStringList complaints;
  QXmlStreamReader reader(svg);
  while (!reader.atEnd()) {
    if (reader.readNext() != QXmlStreamReader::StartElement) continue;
    const QString name = reader.name().toString();
    if (name == u"script"_s || name == u"a"_s || name == u"foreignObject"_s) complaints << name;
    for (const QXmlStreamAttribute& attribute : reader.attributes()) {
      const bool isLink = attribute.name() == u"href"_s;
      if (isLink && !attribute.value().startsWith(u"data:"_s) &&
          !attribute.value().startsWith(u'#'))
        complaints << attribute.value().toString();
    }
  }
  if (reader.hasError()) complaints << reader.errorString();
  return complaints;
}

const QStringList kSectionsOfARun{u"Results"_s,
                                  u"Pictures"_s,
                                  u"Settings"_s,
                                  u"How the scores were measured"_s,
                                  u"Environment"_s,
                                  u"Events and warnings"_s,
                                  u"Commands"_s};

}  // namespace

/// The report of runs and of experiments as one page.
class TestReport : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { folder_ = std::make_unique<TemporaryFolder>(); }

  void aRunIsOnePage();
  void theNumbersAreThoseOfTheRecord();
  void hostileTextsAreShownAndNeverObeyed();
  void comparedRunsSayWhatTheyDifferIn();
  void anExperimentIsOnePage();
  void whatCannotBeReadIsNamed();
  void sourcesThatMakeNoReportAreRefused();
  void theSameRunGivesTheSameBytes();

 private:
  /// A run with two epochs, an event of each kind that matters, and one later evaluation.
  fs::path write(const std::string& name, const RunRecord& record, const std::string& event = "");

  static QByteArray pageOf(const std::vector<fs::path>& sources) {
    const ReportContent content = readReport(sources);
    return reportHtml(content, drawFigures(content));
  }

  std::unique_ptr<TemporaryFolder> folder_;
};

fs::path TestReport::write(const std::string& name,
                           const RunRecord& record,
                           const std::string& event) {
  const fs::path run = writeRun(folder_->path(), name, record);
  std::string metrics;
  for (int epoch = 1; epoch <= 2; ++epoch) metrics += toLine(epochRecord(epoch, 0.4 * epoch));
  metrics += toLine(EventRecord{20, 2, 5, EventKind::warning, event.empty() ? "slow" : event});
  appendText(run / "metrics.jsonl", metrics);
  EvaluationRecord later;
  later.time = "2026-11-22T10:00:00Z";
  later.checkpoint = "best.safetensors";
  later.images = 5000;
  later.scores = {0.4, 0.8765};
  appendText(run / "evaluations.jsonl", toLine(later));
  return run;
}

void TestReport::aRunIsOnePage() {
  RunRecord record = finishedRecord("mine");
  record.notes = "First line\nsecond line";
  record.tags = {"good"};
  record.config.recipe.emaDecay = 0.99;
  const ParsedPage page = parsed(pageOf({write("mine", record)}));
  QVERIFY2(page.complaints.isEmpty(), qPrintable(page.complaints.join(u'\n')));
  QCOMPARE(page.title, u"mine"_s);
  QCOMPARE(page.headings, kSectionsOfARun);
  QVERIFY(page.text.contains(u"First line\nsecond line"_s));
  QVERIFY(!page.alternatives.isEmpty() && !page.alternatives.contains(QString()));
  QCOMPARE(page.rows[u"Scored with"_s], QStringList{u"EMA weights"_s});
  QVERIFY(page.style.contains(u"prefers-color-scheme: dark"_s));
  QVERIFY(page.style.contains(u"@media print"_s) && !page.style.contains(u"url("_s));
  QVERIFY(page.text.contains(u"lambda train "_s) && page.text.contains(u"lambda repeat "_s));
  QVERIFY(page.text.contains(u"slow"_s));
}

void TestReport::theNumbersAreThoseOfTheRecord() {
  RunRecord record = finishedRecord("mine");
  record.testMajority = MajorityClass{"cat", 0.25};
  record.config.recipe.batchSize = 37;
  record.environment.threads = 3;
  record.dataSha256 = {"0123abcd", "4567ef"};
  const fs::path run = write("mine", record);
  std::vector<Problem> ignored;
  const RunRecord written = readRunRecord(run / "run.json", ignored);
  ParsedPage page = parsed(pageOf({run}));
  const auto shown = [&](const QString& row) { return page.rows.value(row).value(0); };
  QCOMPARE(shown(u"Test score"_s),
           scoreText(*written.testScore, written.scoredBy) + guessText(written.testMajority));
  QCOMPARE(shown(u"Best validation score"_s),
           scoreText(*written.bestValidationScore, written.scoredBy));
  QCOMPARE(shown(u"Parameters"_s), countText(written.parameters));
  QCOMPARE(shown(u"FLOPs of one example"_s), countText(written.flops));
  QCOMPARE(shown(u"Epochs"_s), u"6 of 6"_s);
  QCOMPARE(shown(u"Training time"_s), durationText(written.trainSeconds));
  QCOMPARE(shown(u"Batch size"_s), u"37"_s);
  QCOMPARE(shown(u"Training data, SHA-256"_s), u"0123abcd"_s);
  QCOMPARE(shown(u"Started"_s), QString::fromStdString(written.environment.started));
  // Its own scoring and the later one.
  QCOMPARE(shown(u"Test evaluations"_s), u"2"_s);
  QCOMPARE(shown(u"The test set was scored"_s), u"twice"_s);
  QVERIFY(page.text.contains(u"87.65 %"_s));
}

void TestReport::hostileTextsAreShownAndNeverObeyed() {
  RunRecord record = finishedRecord(kHostile);
  record.notes = record.statusText = kHostile;
  record.status = RunStatus::failed;
  record.tags = {kHostile};
  record.pattern = kHostile;
  record.config.architecture.name = record.config.architecture.description = kHostile;
  record.config.data.source = ImageFolderSource{.path = kHostile};
  record.testMajority = MajorityClass{kHostile, 0.5};
  record.input.classNames = {kHostile, "dog"};
  record.environment.cpu = record.environment.host = record.environment.device = kHostile;
  record.environment.program = record.environment.commit = record.environment.torch = kHostile;
  record.dataSha256 = {kHostile, kHostile};
  record.lineage.parentRun = kHostile;
  const fs::path one = write("one", record, kHostile);
  record.config.recipe.batchSize = 5;
  const fs::path two = write("two <script>alert(4)</script>", record, kHostile);
  for (const std::vector<fs::path>& sources : {std::vector{one}, std::vector{one, two}}) {
    const QByteArray html = pageOf(sources);
    ParsedPage page = parsed(html);
    QVERIFY2(page.complaints.isEmpty(), qPrintable(page.complaints.join(u'\n')));
    QVERIFY(!html.contains("<script") && !html.contains("<a ") && !html.contains("<img src"));
    QVERIFY(!page.style.contains(u"evil"_s));
    for (const QString& text : page.alternatives) QVERIFY(!text.isEmpty());
    QVERIFY(!page.vectors.isEmpty());
    for (const QByteArray& svg : page.vectors) {
      const QStringList complaints = complaintsAbout(svg);
      QVERIFY2(complaints.isEmpty(), qPrintable(complaints.join(u'\n')));
    }
    // Nothing is hidden, and what reverses the direction of writing is spelt.
    QVERIFY(page.text.contains(u"<script>alert(1)</script><img src=http://evil.example/x"_s));
    QVERIFY(page.text.contains(u"%1 url(http://evil.example) &lt;"_s));
    QVERIFY(page.text.contains(u"\\u202e"_s) && !page.text.contains(QChar(0x202e)));
  }
}

void TestReport::comparedRunsSayWhatTheyDifferIn() {
  RunRecord record = finishedRecord("same");
  const fs::path slow = write("slow", record);
  record.config.recipe.optimizer.learningRate = 0.321;
  record.environment.threads = 7;
  const fs::path fast = write("fast", record);
  ParsedPage page = parsed(pageOf({slow, fast}));
  QVERIFY2(page.complaints.isEmpty(), qPrintable(page.complaints.join(u'\n')));
  QCOMPARE(page.title, u"Comparison of 2 runs"_s);
  QVERIFY(page.headings.contains(u"Differences"_s));
  QVERIFY(page.headings.contains(u"Settings that all runs share"_s));
  QCOMPARE(page.rows[u"Learning rate"_s].value(1), u"0.321"_s);
  QCOMPARE(page.rows[u"Threads"_s].value(1), u"7"_s);
  QVERIFY(page.text.contains(u"same has learning rate 0.321"_s));
  QCOMPARE(page.alternatives.size(), 2);
}

void TestReport::anExperimentIsOnePage() {
  Experiment experiment;
  experiment.name = "widths";
  experiment.question = "How <wide>?";
  experiment.base = tinyRun();
  experiment.axes = {Axis{.path = "architecture.stem.width", .values = {"8", "16"}}};
  experiment.seeds = {0, 1};
  experiment.measures = {Measure{Quantity::testAccuracy}};
  const ExperimentFolder folder = ExperimentFolder::create(folder_->path(), experiment);
  const auto& runs = folder.plan().runs;
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    writeTraining(folder, runs[i], {.accuracies = {0.5, 0.625}});
  }
  writeRunOf(folder, runs.back(), RunStatus::failed);
  const ParsedPage page = parsed(pageOf({folder.path()}));
  QVERIFY2(page.complaints.isEmpty(), qPrintable(page.complaints.join(u'\n')));
  QCOMPARE(page.title, u"widths"_s);
  QVERIFY(page.text.contains(u"How <wide>?"_s));
  QCOMPARE(page.headings,
           (QStringList{u"Results"_s,
                        u"Pictures"_s,
                        u"Variants and runs"_s,
                        u"How the scores were measured"_s,
                        u"Environment"_s,
                        u"Events and warnings"_s,
                        u"Commands"_s,
                        u"Settings"_s}));
  QVERIFY(page.text.contains(u"62.5"_s));
  QVERIFY(page.text.contains(u"1 failed"_s) && page.text.contains(u"the loss is not finite"_s));
  QVERIFY(page.text.contains(u"\"question\": \"How <wide>?\""_s));
  QVERIFY(page.text.contains(u"lambda experiment run "_s + toText(folder.path())));
  QVERIFY(page.alternatives.size() > 3 && !page.alternatives.contains(QString()));
}

void TestReport::whatCannotBeReadIsNamed() {
  const fs::path run = write("mine", finishedRecord("mine"));
  appendText(run / "metrics.jsonl", "{\"kind\": \"batch\", \"step\": \"<b>\"}\n");
  fs::create_directories(run / "inspection");
  std::ofstream(run / "inspection/epoch-0002.safetensors") << "nothing";
  ParsedPage page = parsed(pageOf({run}));
  QCOMPARE(page.headings, kSectionsOfARun);
  QVERIFY(page.text.contains(u"metrics.jsonl: line 4"_s));
  QVERIFY(page.text.contains(u"epoch-0002.safetensors"_s));
  // Without any number there is no picture.
  std::ofstream(run / "metrics.jsonl", std::ios::trunc);
  page = parsed(pageOf({run}));
  QVERIFY(!page.headings.contains(u"Pictures"_s));
  QCOMPARE(page.rows[u"Test evaluations"_s], QStringList{u"2"_s});
}

void TestReport::sourcesThatMakeNoReportAreRefused() {
  const auto refused = [](const std::vector<fs::path>& sources, const char* reason) {
    try {
      readReport(sources);
      return false;
    } catch (const Error& error) {
      return std::string(error.what()).find(reason) != std::string::npos;
    }
  };
  const fs::path run = write("mine", finishedRecord("mine"));
  Experiment experiment;
  experiment.name = "one";
  experiment.base = tinyRun();
  experiment.variants = {{"as it is", {}}};
  experiment.measures = {Measure{Quantity::testAccuracy}};
  const ExperimentFolder folder = ExperimentFolder::create(folder_->path(), experiment);
  QVERIFY(refused({folder_->path() / "nothing"}, "no such run folder"));
  QVERIFY(refused({run, folder.path()}, "a report of its own"));
  QVERIFY(refused(std::vector(kMostReportedRuns + 1, run), "at most 40 runs"));
  const QString place = toText(folder_->path() / "no-such-folder" / "report.html");
  QVERIFY_THROWS_EXCEPTION(Error, writeReport({run}, place));
}

void TestReport::theSameRunGivesTheSameBytes() {
  const fs::path run = write("mine", finishedRecord("mine"));
  const QString file = toText(folder_->path() / "report.html");
  writeReport({run}, file);
  QFile written(file);
  QVERIFY(written.open(QIODevice::ReadOnly));
  QCOMPARE(written.readAll(), pageOf({run}));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestReport)

#include "tst_report.moc"
