#include "app/runs/table/run_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/values/text/text.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double positive(double value) {
  return value > 0 ? value : kMissing;
}

double orMissing(const std::optional<double>& value) {
  return value.value_or(kMissing);
}

QString scoreOrNothing(const std::optional<double>& score, const RunRecord& record) {
  return score ? scoreText(*score, record.scoredBy) : QString();
}

QString countOrNothing(std::int64_t count) {
  return count > 0 ? shortCountText(count) : QString();
}

QString exactCountOrNothing(std::int64_t count) {
  return count > 0 ? countText(count) : QString();
}

QString csvNumber(const std::optional<double>& value) {
  return value ? QString::fromStdString(formatNumber(*value)) : QString();
}

/// A field for each kind of score, which is empty for runs with another one.
std::vector<ExportedField> scoreFields(const char* (*keyOf)(ScoreKind),
                                       std::optional<double> RunRecord::*score) {
  std::vector<ExportedField> fields;
  for (const ScoreKind kind : kScoreKinds) {
    fields.push_back({QString::fromLatin1(keyOf(kind)), [kind, score](const RunRow& row) {
                        const RunRecord& record = row.run.record;
                        return record.scoredBy == kind ? csvNumber(record.*score) : QString();
                      }});
  }
  return fields;
}

std::vector<ExportedField> withTestEvaluations(std::vector<ExportedField> fields) {
  fields.push_back({u"testEvaluations"_s, [](const RunRow& row) {
                      return row.isImported() ? QString()
                                              : QString::number(row.run.record.testEvaluations);
                    }});
  return fields;
}

QString csvCount(std::int64_t count) {
  return count > 0 ? QString::number(count) : QString();
}

QString shown(const std::string& text) {
  return QString::fromStdString(text);
}

QString testText(const RunRow& row) {
  const RunRecord& record = row.run.record;
  const QString score = scoreOrNothing(record.testScore, record);
  if (score.isEmpty() || row.isImported()) return score;
  return u"%1 · %2×"_s.arg(score).arg(record.testEvaluations);
}

QString testToolTip(const RunRow& row) {
  const RunRecord& record = row.run.record;
  if (!record.testScore) return u"The test set has not been scored."_s;
  if (row.isImported()) return u"The last value of its test curve"_s;
  return u"The test set has been scored %1. A network chosen by its test score looks better "
         "than it is."_s.arg(timesText(record.testEvaluations));
}

QString epochsText(const RunRow& row) {
  const RunRecord& record = row.run.record;
  if (row.isImported()) return QString::number(record.epochsDone);
  return u"%1 / %2"_s.arg(record.epochsDone).arg(record.config.recipe.epochs);
}

QString deviceText(const RunRow& row) {
  const Environment& environment = row.run.record.environment;
  if (environment.device != "cpu" || environment.threads <= 0) return shown(environment.device);
  return u"CPU, %1"_s.arg(countedText(environment.threads, u"thread"_s));
}

QString firstLineOfNotes(const RunRow& row) {
  const std::string& notes = row.run.record.notes;
  return oneLine(shown(notes.substr(0, notes.find('\n'))));
}

QString timeText(double seconds) {
  return seconds > 0 ? durationText(seconds) : QString();
}

QString rateText(double rate) {
  return rate > 0 ? shortCountText(std::llround(rate)) : QString();
}

QString csvRate(double rate) {
  return rate > 0 ? csvNumber(rate) : QString();
}

/// What `read` makes of this value in a run's record.
template <typename Value, typename Result, typename Argument>
auto ofRecord(Value RunRecord::*value, Result (*read)(Argument)) {
  return [=](const RunRow& row) { return read(static_cast<Argument>(row.run.record.*value)); };
}

std::vector<ColumnSpec> makeColumns() {
  return {
      {.id = RunColumn::shown,
       .key = u"shown"_s,
       .title = {},
       .meaning = u"The curves of checked runs are compared, in their colours"_s,
       .look = CellLook::check,
       .widest = 34,
       .isOfDamagedRuns = true,
       .text = [](const RunRow&) { return QString(); }},
      {.id = RunColumn::name,
       .key = u"name"_s,
       .title = u"Name"_s,
       .meaning = u"The run's name, and what differs from the other runs of that name"_s,
       .look = CellLook::name,
       .widest = 420,
       .narrowest = 200,
       .isOfDamagedRuns = true,
       .text = [](const RunRow& row) { return row.name(); },
       .toolTip = [](const RunRow& row) { return toText(row.run.path); },
       .exported = {{u"name"_s, [](const RunRow& row) { return row.name(); }},
                    {u"folder"_s, [](const RunRow& row) { return toText(row.run.path); }}}},
      {.id = RunColumn::status,
       .key = u"status"_s,
       .title = u"Status"_s,
       .meaning = u"State of the run"_s,
       .look = CellLook::state,
       .isOfDamagedRuns = true,
       .text = [](const RunRow& row) { return nameOf(row.state); },
       .toolTip = sentenceFor,
       .exported = {{u"status"_s, [](const RunRow& row) { return nameOf(row.state).toLower(); }}}},
      {.id = RunColumn::dataSet,
       .key = u"dataSet"_s,
       .title = u"Data set"_s,
       .meaning = u"The images that it learns from"_s,
       .text = dataSetName,
       .toolTip = dataSetPlace,
       .exported = {{u"dataSet"_s, dataSetName}}},
      {.id = RunColumn::architecture,
       .key = u"architecture"_s,
       .title = u"Architecture"_s,
       .meaning = u"One letter per block, a dash between stages: %1"_s.arg(shown(patternLegend())),
       .text = [](const RunRow& row) { return oneLine(shown(row.run.record.pattern)); },
       .exported = {{u"architecture"_s, ofRecord(&RunRecord::pattern, shown)}}},
      {.id = RunColumn::parameters,
       .key = u"parameters"_s,
       .title = u"Parameters"_s,
       .meaning = u"Number of values that training adjusts"_s,
       .look = CellLook::number,
       .text = ofRecord(&RunRecord::parameters, countOrNothing),
       .number = ofRecord(&RunRecord::parameters, positive),
       .toolTip = ofRecord(&RunRecord::parameters, exactCountOrNothing),
       .exported = {{u"parameters"_s, ofRecord(&RunRecord::parameters, csvCount)}}},
      {.id = RunColumn::flops,
       .key = u"flops"_s,
       .title = u"FLOPs"_s,
       .meaning = u"Of one image forward; a multiply-add counts as two"_s,
       .look = CellLook::number,
       .text = ofRecord(&RunRecord::flops, countOrNothing),
       .number = ofRecord(&RunRecord::flops, positive),
       .toolTip = ofRecord(&RunRecord::flops, exactCountOrNothing),
       .exported = {{u"flops"_s, ofRecord(&RunRecord::flops, csvCount)}}},
      {.id = RunColumn::validation,
       .key = u"validation"_s,
       .title = u"Validation"_s,
       .meaning = u"Best score on the validation images; bold: the best on its data set"_s,
       .look = CellLook::number,
       .marksBest = true,
       .text =
           [](const RunRow& row) {
             return scoreOrNothing(row.run.record.bestValidationScore, row.run.record);
           },
       .number = ofRecord(&RunRecord::bestValidationScore, orMissing),
       .exported = scoreFields([](ScoreKind kind) { return traitsOf(kind).bestKey; },
                               &RunRecord::bestValidationScore)},
      {.id = RunColumn::test,
       .key = u"test"_s,
       .title = u"Test"_s,
       .meaning = u"Score on the test images, and how often those were scored; bold: the best "
                  "on its data set"_s,
       .look = CellLook::number,
       .marksBest = true,
       .text = testText,
       .number = ofRecord(&RunRecord::testScore, orMissing),
       .toolTip = testToolTip,
       .exported = withTestEvaluations(scoreFields(
           [](ScoreKind kind) { return traitsOf(kind).testKey; }, &RunRecord::testScore))},
      {.id = RunColumn::epochs,
       .key = u"epochs"_s,
       .title = u"Epochs"_s,
       .meaning = u"Epochs done, of all epochs"_s,
       .look = CellLook::number,
       .text = epochsText,
       .number =
           [](const RunRow& row) {
             return row.state == RunState::damaged ? kMissing : row.run.record.epochsDone;
           },
       .exported = {{u"epochsDone"_s,
                     [](const RunRow& row) { return QString::number(row.run.record.epochsDone); }},
                    {u"epochs"_s,
                     [](const RunRow& row) {
                       return row.isImported()
                                  ? QString()
                                  : QString::number(row.run.record.config.recipe.epochs);
                     }}}},
      {.id = RunColumn::time,
       .key = u"time"_s,
       .title = u"Time"_s,
       .meaning = u"Training time, without pauses and evaluation"_s,
       .look = CellLook::number,
       .text = ofRecord(&RunRecord::trainSeconds, timeText),
       .number = ofRecord(&RunRecord::trainSeconds, positive),
       .exported = {{u"trainSeconds"_s, ofRecord(&RunRecord::trainSeconds, csvNumber)}}},
      {.id = RunColumn::imagesPerSecond,
       .key = u"imagesPerSecond"_s,
       .title = u"Images/s"_s,
       .meaning = u"Training throughput over the whole run"_s,
       .look = CellLook::number,
       .text = ofRecord(&RunRecord::imagesPerSecond, rateText),
       .number = ofRecord(&RunRecord::imagesPerSecond, positive),
       .exported = {{u"imagesPerSecond"_s, ofRecord(&RunRecord::imagesPerSecond, csvRate)}}},
      {.id = RunColumn::started,
       .key = u"started"_s,
       .title = u"Started"_s,
       .meaning = u"When the run began"_s,
       .look = CellLook::aside,
       .text = [](const RunRow& row) { return momentText(row.started); },
       .number = [](const RunRow& row) { return row.started; },
       .exported = {{u"started"_s,
                     [](const RunRow& row) { return shown(row.run.record.environment.started); }}}},
      {.id = RunColumn::device,
       .key = u"device"_s,
       .title = u"Device"_s,
       .meaning = u"Device that computed it"_s,
       .look = CellLook::aside,
       .isShownAtFirst = false,
       .text = deviceText,
       .exported = {{u"device"_s,
                     [](const RunRow& row) { return shown(row.run.record.environment.device); }}}},
      {.id = RunColumn::tags,
       .key = u"tags"_s,
       .title = u"Tags"_s,
       .meaning = u"Words to find it by"_s,
       .look = CellLook::tags,
       .widest = 240,
       .text = [](const RunRow& row) { return tagsOf(row).join(u", "_s); },
       .exported = {{u"tags"_s, [](const RunRow& row) { return tagsOf(row).join(u';'); }}}},
      {.id = RunColumn::notes,
       .key = u"notes"_s,
       .title = u"Notes"_s,
       .meaning = u"What you wrote about it"_s,
       .look = CellLook::aside,
       .text = firstLineOfNotes,
       .toolTip = ofRecord(&RunRecord::notes, shown),
       .exported = {{u"notes"_s, ofRecord(&RunRecord::notes, shown)}}},
  };
}

}  // namespace

const std::vector<ColumnSpec>& runColumns() {
  static const std::vector<ColumnSpec> columns = makeColumns();
  return columns;
}

int columnOf(RunColumn column) {
  const std::vector<ColumnSpec>& columns = runColumns();
  const auto found = std::find_if(
      columns.begin(), columns.end(), [&](const ColumnSpec& spec) { return spec.id == column; });
  return static_cast<int>(found - columns.begin());
}

const ColumnSpec& specOf(RunColumn column) {
  return runColumns()[static_cast<std::size_t>(columnOf(column))];
}

QString cellText(const ColumnSpec& column, const RunRow& row) {
  const bool isKnown = row.state != RunState::damaged || column.isOfDamagedRuns;
  return isKnown ? column.text(row) : QString();
}

}  // namespace lambda
