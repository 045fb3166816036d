#pragma once

#include <QByteArray>

#include "app/report/report_content.h"
#include "app/report/report_figures.h"

namespace lambda {

/// The report as one page of HTML, which needs neither a network nor this program. The same content
/// gives the same bytes.
QByteArray reportHtml(const ReportContent& content, const ReportFigures& figures);

}  // namespace lambda
