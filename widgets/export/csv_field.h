#pragma once

#include <algorithm>

#include <QString>

namespace lambda {

/// A cell of a CSV file, quoted where it has what would be taken for a separator or a quote.
inline QString csvField(const QString& text) {
  const auto isSpecial = [](QChar c) { return c == u',' || c == u'"' || c == u'\n' || c == u'\r'; };
  if (std::none_of(text.begin(), text.end(), isSpecial)) return text;
  QString quoted = text;
  quoted.replace(u'"', QStringLiteral("\"\""));
  return u'"' + quoted + u'"';
}

}  // namespace lambda
