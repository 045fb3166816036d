#include "widgets/text/quantity_text.h"

#include <cmath>

#include <QDateTime>

#include "engine/values/text/quantities.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString shown(const std::string& written) {
  QString text = QString::fromStdString(written);
  text.replace(u'-', QChar(0x2212));
  return text.replace(u"Infinity"_s, u"∞"_s);
}

/// The dash for a time that is not known.
QString orDash(const QString& text) {
  return text == u"?"_s ? u"–"_s : text;
}

}  // namespace

QString fixedText(double value, int decimals) {
  return shown(formatFixed(value, decimals));
}

QString numberText(double value, int digits) {
  return shown(formatMeasured(value, digits));
}

QString roundedText(double value, int digits) {
  return shown(formatRounded(value, digits));
}

QString countText(qint64 count) {
  return shown(formatCount(count));
}

QString countedText(qint64 count, const QString& noun) {
  return shown(formatCounted(count, noun.toStdString()));
}

QString timesText(qint64 count) {
  const QStringList few{u"never"_s, u"once"_s, u"twice"_s};
  return count >= 0 && count < few.size() ? few[count] : countedText(count, u"time"_s);
}

QString shortCountText(qint64 count, int digits) {
  return shown(formatShortCount(count, digits));
}

QString bytesText(qint64 bytes, int digits) {
  return shown(formatBytes(bytes, digits));
}

QString percentText(double share, int decimals) {
  return shown(formatPercent(share, decimals));
}

QString accuracyText(double share) {
  return shown(formatAccuracy(share));
}

QString scoreText(double score, ScoreKind kind) {
  return traitsOf(kind).isShare ? accuracyText(score) : shown(namedScore(score, kind));
}

QString numbersText(const std::vector<NumberPrediction>& numbers) {
  QStringList texts;
  for (const NumberPrediction& number : numbers) {
    QString text = u"%1: predicted %2"_s.arg(QString::fromStdString(number.name),
                                             roundedText(number.predicted));
    if (number.truth) text += u", true "_s + roundedText(*number.truth);
    texts << text;
  }
  return texts.join(u"; "_s);
}

QString guessText(const std::optional<MajorityClass>& majority) {
  if (!majority) return {};
  return u" (always guessing %1: %2)"_s.arg(QString::fromStdString(majority->name),
                                            accuracyText(majority->share));
}

QString durationText(double seconds) {
  return orDash(shown(formatDuration(seconds)));
}

QString clockText(double seconds) {
  return orDash(shown(formatClock(seconds)));
}

QString momentText(const QDateTime& moment) {
  const QDateTime local = moment.toLocalTime();
  const bool isThisYear = local.date().year() == QDate::currentDate().year();
  return shownLocale().toString(local, isThisYear ? u"d MMM, HH:mm"_s : u"d MMM yyyy"_s);
}

QString momentText(double secondsSince1970) {
  if (!std::isfinite(secondsSince1970)) return {};
  return momentText(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(secondsSince1970)));
}

QString eventTitle(EventKind kind) {
  switch (kind) {
    case EventKind::started:
      return u"Started"_s;
    case EventKind::resumed:
      return u"Resumed"_s;
    case EventKind::paused:
      return u"Paused"_s;
    case EventKind::continued:
      return u"Continued"_s;
    case EventKind::stopped:
      return u"Stopped"_s;
    case EventKind::finished:
      return u"Finished"_s;
    case EventKind::failed:
      return u"Failed"_s;
    case EventKind::checkpoint:
      return u"Checkpoint"_s;
    case EventKind::tested:
      return u"Test"_s;
    case EventKind::warning:
      return u"Warning"_s;
    case EventKind::changed:
      return u"Changed"_s;
  }
  return {};
}

}  // namespace lambda
