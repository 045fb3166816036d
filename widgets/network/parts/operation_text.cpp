#include "widgets/network/parts/operation_text.h"

#include <QStringList>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Reads the index behind "_" or "^" at `at`: one character, or all between braces.
QString takeScript(const QString& text, qsizetype& at) {
  if (at >= text.size()) return {};
  if (text[at] != u'{') return text[at++];
  const qsizetype end = std::max(at + 1, text.indexOf(u'}', at));
  const QString index = text.mid(at + 1, end - at - 1);
  at = end + 1;
  return index;
}

}  // namespace

QString sizesText(const Operation& operation) {
  QStringList sizes;
  for (const long long size : operation.output) sizes << QString::number(size);
  return sizes.join(u'×');
}

QString equationHtml(std::string_view equation) {
  const QString text = QString::fromUtf8(equation);
  QString html;
  for (qsizetype at = 0; at < text.size();) {
    const QChar c = text[at++];
    if (c == u'_' || c == u'^') {
      const QString tag = c == u'_' ? u"sub"_s : u"sup"_s;
      html += u"<%1>%2</%1>"_s.arg(tag, takeScript(text, at).toHtmlEscaped());
    } else {
      html += QString(c).toHtmlEscaped();
    }
  }
  return html;
}

QString explanationHtml(const Operation& operation) {
  return u"<b>"_s + equationHtml(operation.equation) + u"</b>&nbsp; ("_s +
         u"%1: %2"_s.arg(QString::fromUtf8(operation.axes), sizesText(operation)) + u")<br>"_s +
         QString::fromUtf8(operation.meaning).toHtmlEscaped();
}

QString spokenText(const Operation& operation) {
  return u"%1: result %2, %3 parameters, %4 FLOPs, %5 of activations. %6"_s.arg(
      QString::fromStdString(operation.name),
      sizesText(operation),
      countText(operation.parameters),
      countText(operation.flops),
      bytesText(operation.activationBytes, 3),
      QString::fromUtf8(operation.meaning));
}

}  // namespace lambda
