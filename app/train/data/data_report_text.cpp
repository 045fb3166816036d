#include "app/train/data/data_report_text.h"

#include <algorithm>
#include <numeric>

#include <QCoreApplication>
#include <QStringList>

#include "widgets/plots/axis_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kMostFindings =
    3;  // The first ones tell what happened; a list of sixty tells nothing.

QString tr(const char* text) {
  return QCoreApplication::translate("DataReport", text);
}

std::int64_t imagesIn(const DataFileReport& file) {
  return std::accumulate(file.countPerClass.begin(), file.countPerClass.end(), std::int64_t{0});
}

QString escaped(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped();
}

}  // namespace

QString countsText(const DataReport& report) {
  std::int64_t train = 0;
  std::int64_t test = 0;
  std::size_t classes = 0;
  for (const DataFileReport& file : report.files) {
    const bool isTest = file.name.find("test") != std::string::npos;
    (isTest ? test : train) += imagesIn(file);
    classes = std::max(classes, file.countPerClass.size());
  }
  return tr("%1 images for training and validation, %2 for the test, %3 classes")
      .arg(countText(static_cast<double>(train)), countText(static_cast<double>(test)))
      .arg(classes);
}

QString findingsText(const DataReport& report) {
  std::vector<DataFinding> findings = report.findings;
  std::ranges::stable_sort(findings, [](const DataFinding& a, const DataFinding& b) {
    return a.severity == Severity::error && b.severity != Severity::error;
  });
  QStringList paragraphs;
  for (const DataFinding& finding : findings) {
    if (paragraphs.size() == kMostFindings) {
      paragraphs << tr("… and %1 more").arg(findings.size() - kMostFindings);
      break;
    }
    QString text = escaped(finding.text);
    if (!finding.place.empty()) text = u"<b>"_s + escaped(finding.place) + u"</b>: "_s + text;
    if (!finding.hint.empty()) text += u"<br>"_s + escaped(finding.hint);
    paragraphs << text;
  }
  return paragraphs.join(u"<br>"_s);
}

}  // namespace lambda
