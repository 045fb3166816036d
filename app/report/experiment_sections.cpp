#include "app/report/experiment_sections.h"

#include "app/experiments/pictures/shown_values.h"
#include "app/report/report_parts.h"
#include "engine/experiments/difference_text.h"
#include "engine/experiments/report/report_numbers.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/text/text_safety.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

void addMeasure(HtmlPage& page, const ExperimentState& state, std::size_t index) {
  const MeasureResult& result = state.results[index];
  HtmlTable table{shownTitle(result.measure),
                  {u"Variant"_s,
                   u"Seeds"_s,
                   u"Mean"_s,
                   u"Standard deviation"_s,
                   u"95 % interval"_s,
                   u"Against the baseline"_s},
                  {}};
  // Published values belong to the first measure.
  const std::vector<PublishedColumn> none;
  const auto& published = index == 0 ? state.experiment.published : none;
  for (const PublishedColumn& column : published) {
    table.columns << fromText(column.title + " (" + column.source + ")");
  }
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    const VariantResult& variant = result.variants[i];
    const ReportNumbers numbers = numbersOf(variant, result.measure.quantity);
    QStringList row{fromText(state.variants[i]),
                    fromText(numbers.count),
                    fromText(numbers.mean),
                    fromText(numbers.deviation),
                    fromText(numbers.low.empty() ? "" : numbers.low + " to " + numbers.high),
                    fromText(variant.text)};
    for (const PublishedColumn& column : published) {
      row << fromText(publishedText(column, state.variants[i]));
    }
    table.rows << row;
  }
  page.addTable(table);
}

void addVariants(HtmlPage& page, const ReportedExperiment& experiment) {
  const ExperimentState& state = experiment.state;
  page.beginSection(u"Variants and runs"_s);
  HtmlTable variants{u"What each variant changes of the base"_s, {u"Variant"_s, u"Settings"_s}, {}};
  for (const PlannedVariant& variant : experiment.plan.variants) {
    QStringList settings;
    for (const std::string& setting : variant.settings) settings << fromText(setting);
    variants.rows << QStringList{fromText(variant.name),
                                 settings.isEmpty() ? u"nothing"_s : settings.join(u'\n')};
  }
  page.addTable(variants);
  HtmlTable runs{
      u"Runs"_s,
      {u"Variant"_s, u"Seed"_s, u"Status"_s, u"Epochs"_s, u"Training time"_s, u"Folder"_s},
      {}};
  for (const Measure& measure : state.experiment.measures) runs.columns << shownTitle(measure);
  for (const ExperimentCell& cell : state.cells) {
    QStringList row{fromText(state.variants[cell.variant]),
                    QString::number(cell.seed),
                    QString::fromUtf8(nameOf(cell.state)),
                    u"%1 of %2"_s.arg(countText(cell.epochsDone), countText(cell.epochs)),
                    durationText(cell.trainSeconds),
                    fromText(cell.runFolder)};
    for (std::size_t i = 0; i < state.experiment.measures.size(); ++i) {
      const bool isMeasured = i < cell.values.size() && cell.values[i];
      row << (isMeasured
                  ? fromText(quantityNumber(state.experiment.measures[i].quantity, *cell.values[i]))
                  : u"–"_s);
    }
    runs.rows << row;
  }
  page.addTable(runs);
}

void addWarnings(HtmlPage& page,
                 const ExperimentState& state,
                 const std::vector<ReportedRun>& runs,
                 const QStringList& labels) {
  page.beginSection(u"Events and warnings"_s);
  QStringList warnings;
  if (const std::string missing = missingText(state); !missing.empty()) {
    warnings << fromText(missing);
  }
  for (const ExperimentCell& cell : state.cells) {
    if (cell.state != CellState::failed && cell.state != CellState::ended) continue;
    warnings << u"%1, seed %2, %3: %4"_s.arg(fromText(state.variants[cell.variant]),
                                             QString::number(cell.seed),
                                             QString::fromUtf8(nameOf(cell.state)),
                                             fromText(cell.text));
  }
  for (const std::string& warning : state.warnings) warnings << fromText(warning);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const QString& remark : runs[i].remarks) {
      warnings << labels[static_cast<qsizetype>(i)] + u": "_s + remark;
    }
  }
  page.addList(warnings);
  if (warnings.isEmpty()) page.addParagraph(u"None."_s);
}

}  // namespace

void addExperiment(HtmlPage& page,
                   const ReportedExperiment& experiment,
                   const std::vector<ReportedRun>& runs,
                   const ReportFigures& figures) {
  const ExperimentState& state = experiment.state;
  page.addParagraph(fromText(state.experiment.question));
  page.beginSection(u"Results"_s);
  for (std::size_t i = 0; i < state.results.size(); ++i) addMeasure(page, state, i);
  page.addParagraph(QString::fromUtf8(kDifferencesNote));
  addFigures(page, figures);
  addVariants(page, experiment);
  QStringList labels;
  for (const ReportedRun& run : runs) labels << fromText(run.row.run.name);
  addScoring(page, runs, labels);
  addEnvironment(page, runs, labels);
  addWarnings(page, state, runs, labels);
  page.beginSection(u"Commands"_s);
  page.addParagraph(u"Where the experiment's folder is: trains what is not done."_s);
  page.addCode(u"lambda experiment run "_s + fromText(shellPath(experiment.folder.string())));
  page.addParagraph(
      u"Elsewhere: save the settings below as experiment.json, and train all its runs again."_s);
  page.addCode(u"lambda experiment run experiment.json"_s);
  page.beginSection(u"Settings"_s);
  page.addParagraph(u"The whole experiment with its base, as experiment.json"_s);
  page.addCode(fromText(toJson(state.experiment)));
}

}  // namespace lambda
