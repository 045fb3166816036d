#include "app/train/data/data_report_text.h"

#include <algorithm>

#include <QRegularExpression>
#include <QStringList>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kMostFindings = 3;  // A list of sixty findings would be too long to read.

QString escaped(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped();
}

/// The remedy as a sentence, without the engine's command, which nobody types here.
QString hintOf(const DataFinding& finding) {
  static const QRegularExpression command(
      u"( \\(lambda data get [^)]*\\)|: lambda data get \\w+| with --set [\\w.=]+)"_s);
  QString hint = escaped(finding.hint).remove(command);
  if (!hint.isEmpty()) hint[0] = hint[0].toUpper();
  return hint;
}

}  // namespace

QString countsText(const DataReport& report) {
  if (!report.info) return {};
  const DatasetInfo& info = *report.info;
  const QString train = countText(info.trainCount);
  const QString test =
      info.testCount > 0 ? u"%1 for the test"_s.arg(countText(info.testCount)) : u"no test set"_s;
  const QString outputs = QString::fromLatin1(traitsOf(info.task).outputs);
  const QString shape = QString::number(info.shape.channels) + u"×"_s +
                        QString::number(info.shape.height) + u"×"_s +
                        QString::number(info.shape.width);
  if (info.validationCount > 0) {
    return u"%1 images for training, %2 for validation, %3, %4 %5, %6 each"_s
        .arg(countText(info.trainCount - info.validationCount),
             countText(info.validationCount),
             test)
        .arg(info.classes)
        .arg(outputs, shape);
  }
  return u"%1 images for training and validation, %2, %3 %4, %5 each"_s.arg(train, test)
      .arg(info.classes)
      .arg(outputs, shape);
}

QString findingsText(const DataReport& report) {
  std::vector<DataFinding> findings = report.findings;
  std::ranges::stable_sort(findings, [](const DataFinding& a, const DataFinding& b) {
    return a.severity == Severity::error && b.severity != Severity::error;
  });
  QStringList lines;
  QStringList hints;  // Findings of damaged files share one remedy.
  for (const DataFinding& finding : findings) {
    const QString hint = hintOf(finding);
    if (!hint.isEmpty() && !hints.contains(hint)) hints << hint;
    if (lines.size() >= kMostFindings) continue;
    const QString text = escaped(finding.text);
    lines << (finding.place.empty() ? text
                                    : u"<b>"_s + escaped(finding.place) + u"</b>: "_s + text);
  }
  const auto more = static_cast<qsizetype>(findings.size()) - lines.size();
  if (more > 0) lines << u"… and %1 more"_s.arg(more);
  return (lines + hints).join(u"<br>"_s);
}

}  // namespace lambda
