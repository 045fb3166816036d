#include "app/report/report_html.h"

#include <algorithm>
#include <utility>

#include "app/report/experiment_sections.h"
#include "app/report/html_page.h"
#include "app/report/report_parts.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// A run that keeps a checkpoint every minute has far more events than anybody reads.
constexpr std::size_t kMostEvents = 1000;

QString scoreOrNothing(const std::optional<double>& score,
                       const RunRecord& record,
                       const std::optional<MajorityClass>& majority) {
  return score ? scoreText(*score, record.scoredBy) + guessText(majority) : QString();
}

QString lossOrNothing(const std::optional<double>& loss) {
  return loss ? fromText(formatNumber(*loss)) : QString();
}

std::vector<ReportFact> resultsOf(const ReportedRun& run) {
  const RunRecord& record = run.record();
  const Architecture& network = record.config.architecture;
  const Lineage& parent = record.lineage;
  const bool isFork = !parent.parentCheckpoint.empty();
  return {{u"Folder"_s, fromText(run.row.run.name)},
          {u"Forked or duplicated from"_s,
           fromText(isFork ? parent.parentRun + ", " + parent.parentCheckpoint : parent.parentRun)},
          {u"Status"_s, nameOf(run.row.state)},
          {u"Epochs"_s,
           u"%1 of %2"_s.arg(countText(record.epochsDone), countText(record.config.recipe.epochs))},
          {u"Best validation score"_s,
           scoreOrNothing(record.bestValidationScore, record, record.validationMajority)},
          {u"Its loss"_s, lossOrNothing(record.bestValidationLoss)},
          {u"Test score"_s, scoreOrNothing(record.testScore, record, record.testMajority)},
          {u"Test loss"_s, lossOrNothing(record.testLoss)},
          {u"Test evaluations"_s, countText(record.testEvaluations)},
          {u"Training time"_s, durationText(record.trainSeconds)},
          {u"Throughput"_s,
           fromText(throughputText(record.imagesPerSecond, network.task, network.input.width))},
          {u"Blocks"_s, fromText(record.pattern)},
          {u"Parameters"_s, countText(record.parameters)},
          {u"FLOPs of one example"_s, countText(record.flops)},
          {u"Started"_s, fromText(record.environment.started)}};
}

void addNotes(HtmlPage& page, const std::vector<ReportedRun>& runs, const QStringList& labels) {
  HtmlTable table{u"What people wrote"_s, {u"Run"_s, u"Tags"_s, u"Notes"_s}, {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const QString notes = fromText(runs[i].record().notes);
    const QString tags = tagsOf(runs[i].row).join(u", "_s);
    if (notes.isEmpty() && tags.isEmpty()) continue;
    table.rows << QStringList{labels[static_cast<qsizetype>(i)], tags, notes};
  }
  page.addTable(table);
}

/// What the runs differ in, in words and as a table.
void addDifferences(HtmlPage& page,
                    const std::vector<ReportedRun>& runs,
                    const std::vector<SettingRow>& rows,
                    const QStringList& labels) {
  page.beginSection(u"Differences"_s);
  if (rows.empty()) {
    page.addParagraph(u"The runs do not differ in any setting, nor in their environment."_s);
    return;
  }
  QStringList texts;
  const QStringList differences = legendTexts(recordsOf(runs));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const QString& difference = differences[static_cast<qsizetype>(i)];
    if (!difference.isEmpty()) texts << runs[i].row.name() + u" has "_s + difference;
  }
  page.addList(texts);
  HtmlTable table{u"Settings and environments that differ"_s, {u"Setting"_s}, {}};
  table.columns += labels;
  for (const SettingRow& row : rows) {
    QStringList cells{row.label};
    // A dash means that the run has no such setting.
    for (const QString& value : row.values) cells << (value.isEmpty() ? u"–"_s : value);
    table.rows << cells;
  }
  page.addTable(table);
}

void addEvents(HtmlPage& page, const ReportedRun& run) {
  const std::vector<EventRecord>& events = run.metrics->events;
  const std::size_t skipped = events.size() - std::min(events.size(), kMostEvents);
  if (skipped > 0) {
    page.addParagraph(
        u"The first %1 are left out."_s.arg(countedText(static_cast<qint64>(skipped), u"event"_s)));
  }
  HtmlTable table{
      u"Events"_s, {u"Training time"_s, u"Epoch"_s, u"Step"_s, u"Event"_s, u"Text"_s}, {}};
  for (std::size_t i = skipped; i < events.size(); ++i) {
    const EventRecord& event = events[i];
    table.rows << QStringList{clockText(event.seconds),
                              countText(event.epoch),
                              countText(event.step),
                              eventTitle(event.kind),
                              fromText(event.text)};
  }
  page.addTable(table);
  QStringList warnings = run.remarks;
  const RunRecord& record = run.record();
  if (!record.statusText.empty()) warnings.prepend(fromText(record.statusText));
  for (const RunChange& change : record.changes) {
    warnings << u"Changed after step %1: %2"_s.arg(countText(change.step),
                                                   fromText(textOf(change)));
  }
  for (const DataChange& change : record.dataChanges) warnings << fromText(textOf(change));
  page.addList(warnings);
  if (events.empty() && warnings.isEmpty()) page.addParagraph(u"None."_s);
}

void addCommands(HtmlPage& page, const ReportedRun& run) {
  const QString folder = fromText(shellPath(run.row.run.path.string()));
  page.addParagraph(u"Trains such a run again:"_s);
  page.addCode(run.command);
  page.addParagraph(
      u"Where the run's folder is: trains it again from its seed, and compares the bits."_s);
  page.addCode(u"lambda repeat "_s + folder);
}

/// A heading for each of several runs.
template <class Add>
void addOfEach(HtmlPage& page,
               const std::vector<ReportedRun>& runs,
               const QStringList& labels,
               Add add) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs.size() > 1) page.addHeading(labels[static_cast<qsizetype>(i)]);
    add(page, runs[i]);
  }
}

void addRuns(HtmlPage& page, const std::vector<ReportedRun>& runs, const ReportFigures& figures) {
  const QStringList labels = labelsOf(runs);
  std::vector<std::vector<ReportFact>> results;
  for (const ReportedRun& run : runs) results.push_back(resultsOf(run));
  page.beginSection(u"Results"_s);
  page.addTable(factsTable(u"Results"_s, labels, results));
  addNotes(page, runs, labels);
  addFigures(page, figures);

  std::vector<SettingRow> alike = compareRuns(recordsOf(runs));
  const auto differing = std::stable_partition(
      alike.begin(), alike.end(), [](const SettingRow& row) { return !row.differs; });
  const std::vector<SettingRow> different(differing, alike.end());
  alike.erase(differing, alike.end());
  // Data, program and machine have a section of their own.
  std::erase_if(alike, [](const SettingRow& row) { return row.path.starts_with("environment."); });
  if (runs.size() > 1) addDifferences(page, runs, different, labels);
  page.beginSection(runs.size() > 1 ? u"Settings that all runs share"_s : u"Settings"_s);
  addSettings(page, alike);

  addScoring(page, runs, labels);
  addEnvironment(page, runs, labels);
  page.beginSection(u"Events and warnings"_s);
  addOfEach(page, runs, labels, addEvents);
  page.beginSection(u"Commands"_s);
  addOfEach(page, runs, labels, addCommands);
}

QString titleOf(const ReportContent& content) {
  if (content.experiment) return fromText(content.experiment->state.experiment.name);
  if (content.runs.size() == 1) return content.runs.front().row.name();
  return u"Comparison of %1"_s.arg(countedText(static_cast<qint64>(content.runs.size()), u"run"_s));
}

}  // namespace

QByteArray reportHtml(const ReportContent& content, const ReportFigures& figures) {
  HtmlPage page(titleOf(content));
  if (content.experiment) {
    addExperiment(page, *content.experiment, content.runs, figures);
  } else {
    addRuns(page, content.runs, figures);
  }
  return std::move(page).finished();
}

}  // namespace lambda
