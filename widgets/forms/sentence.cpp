#include "widgets/forms/sentence.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString sentence(const std::string& text) {
  QString words = QString::fromStdString(text);
  const bool isWord = words.size() > 1 && (words[1].isLetter() || words.startsWith(u"a "_s));
  if (isWord) words[0] = words[0].toUpper();
  return words;
}

}  // namespace lambda
