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

/// "10 classes, 3×32×32 each", "vocabulary 256, 128 tokens each"
QString contentText(const DatasetInfo& info) {
  if (info.task == Task::tokens) {
    return u"vocabulary %1, %2 each"_s.arg(countText(info.classes),
                                           countedText(info.shape.width, u"token"_s));
  }
  return u"%1 %2, %3×%4×%5 each"_s.arg(info.classes)
      .arg(QString::fromLatin1(traitsOf(info.task).outputs))
      .arg(info.shape.channels)
      .arg(info.shape.height)
      .arg(info.shape.width);
}

}  // namespace

QString countsText(const DataReport& report) {
  if (!report.info) return {};
  const DatasetInfo& info = *report.info;
  const QString train = countText(info.trainCount);
  const QString test =
      info.testCount > 0 ? u"%1 for the test"_s.arg(countText(info.testCount)) : u"no test set"_s;
  const QString examples = QString::fromLatin1(traitsOf(info.task).examples);
  const QString content = contentText(info);
  if (info.validationCount > 0) {
    return u"%1 %2 for training, %3 for validation, %4, %5"_s.arg(
        countText(info.trainCount - info.validationCount),
        examples,
        countText(info.validationCount),
        test,
        content);
  }
  return u"%1 %2 for training and validation, %3, %4"_s.arg(train, examples, test, content);
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
