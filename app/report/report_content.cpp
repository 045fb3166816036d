#include "app/report/report_content.h"

#include <utility>

#include "app/runs/run_command.h"
#include "app/studio/render_run.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/experiments/read_curves.h"
#include "engine/experiments/read_experiment.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/evaluations_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/evaluations.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// Calls `read`; a report leaves out what can't be read, and says why.
template <class Read>
void readPart(ReportedRun& run, Read read) {
  try {
    read();
  } catch (const Error& error) {
    run.remarks << QString::fromStdString(error.what());
  }
}

/// Reads what the report of an experiment needs of a run too.
ReportedRun readResult(const RunFolder& folder) {
  RunSummary summary;
  summary.path = folder.path();
  summary.name = folder.name();
  std::vector<Problem> ignored;
  summary.record = readRunRecord(folder.record(), ignored);
  summary.isLive = RunLock::isHeld(folder);
  ReportedRun run;
  for (const Problem& problem : ignored) {
    run.remarks << QString::fromStdString("run.json, " + problem.path + ": " + problem.text);
  }
  readPart(run, [&] {
    Evaluations evaluations = readEvaluations(folder.evaluations());
    summary.record.testEvaluations = testEvaluationsOf(folder, summary.record);
    run.evaluations = std::move(evaluations.records);
    for (const std::string& warning : evaluations.warnings) {
      run.remarks << QString::fromStdString("evaluations.jsonl: " + warning);
    }
  });
  run.row = rowOf(summary);
  run.metrics = std::make_shared<Metrics>();
  return run;
}

ReportedRun readRun(const fs::path& path) {
  const RunFolder folder = RunFolder::open(path);
  ReportedRun run = readResult(folder);
  readPart(run, [&] {
    run.metrics = std::make_shared<Metrics>(readMetrics(folder.metrics()));
    for (const std::string& remark : remarksOn(folder.metrics(), *run.metrics)) {
      run.remarks << QString::fromStdString(remark);
    }
  });
  readPart(run, [&] { run.probe = lastProbeOf(folder, run.record().config.architecture); });
  run.command = commandFor(run.row.run);
  return run;
}

ReportContent readExperimentReport(const fs::path& path) {
  const ExperimentFolder folder = ExperimentFolder::open(path);
  ReportContent content;
  // Commands in a report must work in any folder.
  content.experiment = {
      .folder = fs::absolute(path), .state = readExperiment(folder), .plan = folder.plan()};
  ExperimentState& state = content.experiment->state;
  readCurves(folder, state);
  for (const ExperimentCell& cell : state.cells) {
    if (!cell.hasRun) continue;
    try {
      content.runs.push_back(readResult(RunFolder::open(folder.runs() / cell.runFolder)));
    } catch (const Error& error) {
      state.warnings.emplace_back(error.what());
    }
  }
  return content;
}

}  // namespace

ReportContent readReport(const std::vector<fs::path>& sources) {
  if (sources.size() == 1 && ExperimentFolder::isAt(sources.front())) {
    return readExperimentReport(sources.front());
  }
  if (sources.size() > kMostReportedRuns) {
    throw Error("",
                "a report compares at most " + std::to_string(kMostReportedRuns) + " runs, not " +
                    std::to_string(sources.size()),
                "Leave some of them out.");
  }
  ReportContent content;
  for (const fs::path& source : sources) {
    if (ExperimentFolder::isAt(source)) {
      throw Error(source.string(),
                  "this is an experiment, which has a report of its own",
                  "Give it alone, or run folders.");
    }
    content.runs.push_back(readRun(source));
  }
  return content;
}

}  // namespace lambda
