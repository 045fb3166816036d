#include "app/generated/token_words.h"

#include <cmath>

#include <QStringList>

#include "engine/values/architecture/task.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr char16_t kControlPictures = 0x2400;
constexpr char16_t kDelete = 0x7F;
constexpr char16_t kDeletePicture = 0x2421;

QString quoted(const QString& text) {
  return u"“%1”"_s.arg(text);
}

}  // namespace

QString shownText(const QString& text) {
  QString shown;
  for (const QChar c : text) {
    if (c == u'\n') {
      shown += u"↵\n"_s;
    } else if (c == u'\t') {
      shown += c;
    } else if (c.unicode() < u' ') {
      shown += QChar(static_cast<char16_t>(kControlPictures + c.unicode()));
    } else if (c.unicode() == kDelete) {
      shown += QChar(kDeletePicture);
    } else if (c.category() == QChar::Other_Format || c.category() == QChar::Other_Control ||
               c.category() == QChar::Separator_Line ||
               c.category() == QChar::Separator_Paragraph) {
      shown += QChar(QChar::ReplacementCharacter);
    } else {
      shown += c;
    }
  }
  return shown;
}

QString tokenWords(std::int64_t token, bool isByte) {
  if (!isByte) return QString::number(token);
  switch (token) {
    case '\n':
      return u"line break"_s;
    case '\t':
      return u"tab"_s;
    case ' ':
      return u"space"_s;
    default:
      break;
  }
  if (token > ' ' && token < kDelete) return quoted(QChar(static_cast<char16_t>(token)));
  return u"byte 0x%1"_s.arg(token, 2, 16, QChar(u'0'));
}

QString probabilityText(const QString& character,
                        std::span<const GeneratedToken> tokens,
                        bool isOfBytes) {
  const QString name = tokens.size() == 1
                           ? tokenWords(tokens.front().token, isOfBytes)
                           : u"%1, %2 bytes"_s.arg(quoted(shownText(character))).arg(tokens.size());
  return u"%1: %2"_s.arg(name, percentText(probabilityOf(tokens)));
}

QString likeliestText(std::span<const GeneratedToken> tokens, bool isOfBytes) {
  QStringList names;
  for (const SampledToken& each : tokens.front().likeliest) {
    names << u"%1 %2"_s.arg(tokenWords(each.token, isOfBytes), percentText(each.probability));
  }
  return names.join(u", "_s);
}

QString lossText(double nats, bool isOfBytes) {
  return isOfBytes ? u"%1 bits per byte"_s.arg(fixedText(bitsOf(nats), 3))
                   : u"perplexity %1"_s.arg(numberText(std::exp(nats)));
}

double probabilityOf(std::span<const GeneratedToken> tokens) {
  double probability = 1;
  for (const GeneratedToken& token : tokens) probability *= token.probability;
  return probability;
}

}  // namespace lambda
