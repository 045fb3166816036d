#pragma once

#include <vector>

#include <QString>
#include <QStringList>

#include "app/report/html_page.h"
#include "app/report/report_content.h"
#include "app/report/report_figures.h"
#include "app/runs/compare/config_difference.h"

namespace lambda {

// The parts that the report of runs and that of an experiment have in common.

inline QString fromText(const std::string& text) {
  return QString::fromStdString(text);
}

/// A quantity of a run.
struct ReportFact {
  QString name;
  QString value;

  bool operator==(const ReportFact&) const = default;
};

/// The facts of one run as names and values; of several, each of which has the same ones, a line
/// for each run.
HtmlTable factsTable(const QString& caption,
                     const QStringList& runs,
                     const std::vector<std::vector<ReportFact>>& facts);

/// The name of each run, which tells it from the others as far as their settings do.
QStringList labelsOf(const std::vector<ReportedRun>& runs);

/// Settings of one run, or of several that have the same values, in their groups.
void addSettings(HtmlPage& page, const std::vector<SettingRow>& rows);

void addFigures(HtmlPage& page, const ReportFigures& figures);

/// How the scores were measured, and those that were measured after the training.
void addScoring(HtmlPage& page, const std::vector<ReportedRun>& runs, const QStringList& labels);

/// Data, program and machine. Runs that agree in them share a line.
void addEnvironment(HtmlPage& page,
                    const std::vector<ReportedRun>& runs,
                    const QStringList& labels);

}  // namespace lambda
