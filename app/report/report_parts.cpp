#include "app/report/report_parts.h"

#include <algorithm>
#include <utility>

#include "app/runs/compare/namesakes.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/config/precision_choice.h"
#include "engine/values/config/scoring.h"
#include "engine/values/text/text.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Of more runs with the same environment, only their number is given.
constexpr qsizetype kMostNamed = 4;

QString orDash(const QString& text) {
  return text.isEmpty() ? u"–"_s : text;
}

std::vector<ReportFact> scoringFactsOf(const RunRecord& record) {
  const RunConfig& config = record.config;
  const QString scoring = fromText(scoringText(scoringOf(config.recipe)));
  return {{u"Best epoch by"_s,
           QString::fromUtf8(nameOf(config.checkpoints.bestBy)) + u" in validation"_s},
          {u"Scored with"_s,
           scoring.isEmpty() ? u"the weights as trained, one view of each image"_s : scoring},
          {u"The test set was scored"_s, timesText(record.testEvaluations)}};
}

std::vector<ReportFact> environmentFactsOf(const RunRecord& record) {
  const Environment& machine = record.environment;
  QString threads = countText(machine.threads);
  if (machine.threadChanges > 0) {
    threads += u", changed %1 while training: not repeatable to the bit"_s.arg(
        timesText(machine.threadChanges));
  }
  return {{u"Data"_s, fromText(textOf(record.config.data.source))},
          {u"Training data, SHA-256"_s, fromText(record.dataSha256.train)},
          {u"Test data, SHA-256"_s, fromText(record.dataSha256.test)},
          {u"Device"_s, fromText(machine.device)},
          {u"Processes"_s, countText(machine.ranks)},
          {u"Threads"_s, threads},
          {u"Precision"_s,
           fromText(precisionText(record.config.recipe.precision, machine.precisionRates))},
          {u"Processor"_s, fromText(machine.cpu)},
          {u"Machine"_s, fromText(machine.host)},
          {u"Program"_s, fromText(machine.program)},
          {u"Commit"_s, fromText(machine.commit)},
          {u"LibTorch"_s, fromText(machine.torch)}};
}

}  // namespace

HtmlTable factsTable(const QString& caption,
                     const QStringList& runs,
                     const std::vector<std::vector<ReportFact>>& facts) {
  HtmlTable table{caption, {}, {}};
  if (facts.size() == 1) {
    table.columns = {u"Quantity"_s, u"Value"_s};
    for (const ReportFact& fact : facts.front())
      table.rows << QStringList{fact.name, orDash(fact.value)};
    return table;
  }
  for (std::size_t run = 0; run < facts.size(); ++run) {
    QStringList row{runs[static_cast<qsizetype>(run)]};
    for (const ReportFact& fact : facts[run]) row << orDash(fact.value);
    table.rows << row;
  }
  table.columns << u"Run"_s;
  if (!facts.empty()) {
    for (const ReportFact& fact : facts.front()) table.columns << fact.name;
  }
  return table;
}

QStringList labelsOf(const std::vector<ReportedRun>& runs) {
  std::vector<RunRow> rows;
  for (const ReportedRun& run : runs) rows.push_back(run.row);
  const QStringList differences = differencesOfNamesakes(rows);
  QStringList labels;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const QString& difference = differences[static_cast<qsizetype>(i)];
    labels << rows[i].name() + (difference.isEmpty() ? QString() : u": "_s + difference);
  }
  return labels;
}

void addSettings(HtmlPage& page, const std::vector<SettingRow>& rows) {
  for (auto first = rows.begin(); first != rows.end();) {
    const auto end = std::find_if(
        first, rows.end(), [&](const SettingRow& row) { return row.group != first->group; });
    HtmlTable table{first->group, {u"Setting"_s, u"Value"_s, u"Name in files"_s}, {}};
    for (const SettingRow& row : std::vector(first, end)) {
      table.rows << QStringList{row.label, orDash(row.values.front()), fromText(row.path)};
    }
    page.addTable(table);
    first = end;
  }
}

void addFigures(HtmlPage& page, const ReportFigures& figures) {
  if (figures.figures.isEmpty() && figures.remarks.isEmpty()) return;
  page.beginSection(u"Pictures"_s);
  for (const HtmlFigure& figure : figures.figures) page.addFigure(figure);
  page.addList(figures.remarks);
}

void addScoring(HtmlPage& page, const std::vector<ReportedRun>& runs, const QStringList& labels) {
  page.beginSection(u"How the scores were measured"_s);
  page.addParagraph(
      u"After each epoch, loss and score are measured in evaluation mode and without augmentation, "
      "on a fixed sample of the training images and on all validation images. At the end of the "
      "training the test set is scored with the weights of the epoch that was best in "
      "validation. Every further scoring of the test set is counted, because a choice by it makes "
      "it a part of the training."_s);
  std::vector<std::vector<ReportFact>> facts;
  HtmlTable later{
      u"Checkpoints that were scored after the training"_s,
      {u"Run"_s, u"Time"_s, u"Checkpoint"_s, u"Images"_s, u"Data"_s, u"Score"_s, u"Loss"_s},
      {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    facts.push_back(scoringFactsOf(runs[i].record()));
    for (const EvaluationRecord& each : runs[i].evaluations) {
      later.rows << QStringList{
          labels[static_cast<qsizetype>(i)],
          fromText(each.time),
          fromText(each.checkpoint),
          u"%1, %2"_s.arg(countText(each.images), QString::fromUtf8(nameOf(each.split))),
          each.data.empty() ? u"the run's"_s : fromText(each.data),
          scoreText(each.scores.score, each.scores.scoredBy),
          fromText(formatNumber(each.scores.loss))};
    }
  }
  page.addTable(factsTable(u"Measuring"_s, labels, facts));
  page.addTable(later);
}

void addEnvironment(HtmlPage& page,
                    const std::vector<ReportedRun>& runs,
                    const QStringList& labels) {
  std::vector<std::vector<ReportFact>> facts;
  std::vector<QStringList> names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<ReportFact> own = environmentFactsOf(runs[i].record());
    const auto found = std::ranges::find(facts, own);
    const auto line = static_cast<std::size_t>(found - facts.begin());
    if (found == facts.end()) {
      facts.push_back(std::move(own));
      names.emplace_back();
    }
    names[line] << labels[static_cast<qsizetype>(i)];
  }
  QStringList lines;
  for (const QStringList& each : names) {
    lines << (each.size() > kMostNamed ? countedText(each.size(), u"run"_s) : each.join(u'\n'));
  }
  page.beginSection(u"Environment"_s);
  page.addTable(factsTable(u"Data, program and machine"_s, lines, facts));
}

}  // namespace lambda
