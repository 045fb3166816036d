#pragma once

#include <QList>
#include <QStringList>

#include "app/report/html_page.h"
#include "app/report/report_content.h"

namespace lambda {

struct ReportFigures {
  QList<HtmlFigure> figures;
  QStringList remarks;  ///< What is left out, a sentence each.
};

/// Draws the pictures of a report: the curves and layers of a run, the curves of several runs over
/// each other, or the pictures of an experiment. For the window's thread, where widgets live.
ReportFigures drawFigures(const ReportContent& content);

}  // namespace lambda
