#include "app/train/data/data_report_text.h"

#include <algorithm>
#include <numeric>

#include <QCoreApplication>
#include <QRegularExpression>
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

/// What to do, as a sentence; the engine names its own command, which nobody types here.
QString hintOf(const DataFinding& finding) {
  static const QRegularExpression command(
      u"( \\(lambda data get [^)]*\\)|: lambda data get \\w+)"_s);
  QString hint = escaped(finding.hint).remove(command);
  if (!hint.isEmpty()) hint[0] = hint[0].toUpper();
  return hint;
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
  QStringList lines;
  QStringList hints;  // Six damaged files have one remedy.
  for (const DataFinding& finding : findings) {
    const QString hint = hintOf(finding);
    if (!hint.isEmpty() && !hints.contains(hint)) hints << hint;
    if (lines.size() >= kMostFindings) continue;
    const QString text = escaped(finding.text);
    lines << (finding.place.empty() ? text
                                    : u"<b>"_s + escaped(finding.place) + u"</b>: "_s + text);
  }
  const auto more = static_cast<qsizetype>(findings.size()) - lines.size();
  if (more > 0) lines << tr("… and %1 more").arg(more);
  return (lines + hints).join(u"<br>"_s);
}

}  // namespace lambda
