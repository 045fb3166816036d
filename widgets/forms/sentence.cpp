#include "widgets/forms/sentence.h"

#include <QRegularExpression>

#include "widgets/forms/field_rows.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString sentence(const std::string& text) {
  static const QRegularExpression path(u"^\\S*(\\w\\.\\w|[=\\[])"_s);
  QString words = QString::fromStdString(text);
  const bool isWord = words.size() > 1 && (words[1].isLetter() || words.startsWith(u"a "_s));
  if (isWord && !path.match(words).hasMatch()) words[0] = words[0].toUpper();
  return words;
}

QString hintOf(const FieldRow& row) {
  return row.hint.empty() ? sentence(row.meaning) : QString::fromStdString(row.hint);
}

QString toolTipOf(const FieldRow& row) {
  return u"<p>"_s + hintOf(row).toHtmlEscaped() + u"</p>"_s;
}

}  // namespace lambda
