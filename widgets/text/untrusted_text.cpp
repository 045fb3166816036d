#include "widgets/text/untrusted_text.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr qsizetype kLongestLine = 200;
constexpr qsizetype kLongestToolTip = 1000;

QString cutAfter(const QString& text, qsizetype length) {
  return text.size() <= length ? text : text.left(length) + u'…';
}

/// Embedding, override and isolate marks, which can make a name look like another one (UAX #9).
bool turnsWriting(QChar c) {
  const char16_t code = c.unicode();
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

QString oneLine(const QString& text) {
  QString line = text.left(kLongestLine + 1);
  line.removeIf(turnsWriting);
  const auto breaksLine = [](QChar c) {
    return c.category() == QChar::Other_Control || c.category() == QChar::Separator_Line ||
           c.category() == QChar::Separator_Paragraph;
  };
  std::replace_if(line.begin(), line.end(), breaksLine, QChar(u' '));
  return cutAfter(line.trimmed(), kLongestLine);
}

QString toolTipText(const QString& text) {
  if (text.isEmpty()) return {};
  return u"<p style=\"white-space: pre-wrap\">"_s +
         cutAfter(text, kLongestToolTip).toHtmlEscaped() + u"</p>"_s;
}

}  // namespace lambda
