#pragma once

#include <vector>

#include "app/report/html_page.h"
#include "app/report/report_content.h"
#include "app/report/report_figures.h"

namespace lambda {

/// The sections of the report of an experiment. `runs`: those that have begun.
void addExperiment(HtmlPage& page,
                   const ReportedExperiment& experiment,
                   const std::vector<ReportedRun>& runs,
                   const ReportFigures& figures);

}  // namespace lambda
