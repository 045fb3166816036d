#include "app/train/run/result_banner.h"

#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/train/training_text.h"
#include "engine/values/text/quantities.h"
#include "widgets/forms/field_rows.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kSignSide = 20;
constexpr qsizetype kMostReasons = 3;
constexpr qsizetype kMostText = 360;  // Longer texts are cut; the button copies all.

/// Replaces settings in the syntax of the engine's command line: "--set recipe.batchSize=32"
/// becomes "batch size 32".
QString withoutOptions(QString text) {
  static const QRegularExpression option(u"--set ([\\w.]+)=([^\\s,]+)"_s);
  for (auto match = option.match(text); match.hasMatch(); match = option.match(text)) {
    const std::string path = match.captured(1).toStdString();
    const QString name = QString::fromStdString(labelAt(path)).toLower();
    text.replace(match.capturedStart(), match.capturedLength(), name + u" "_s + match.captured(2));
  }
  return text;
}

/// The engine's texts indent the remedy; here every line is a separate sentence.
QString asLines(const QString& text) {
  QStringList lines;
  for (const QString& line : text.split(u'\n', Qt::SkipEmptyParts)) {
    QString trimmed = withoutOptions(line.trimmed());
    if (!trimmed.isEmpty()) trimmed[0] = trimmed[0].toUpper();
    lines << trimmed;
  }
  return lines.join(u'\n');
}

/// Whether the run ended because a value was not finite.
bool isNotFinite(const RunResult& result) {
  return result.status == RunStatus::failed &&
         result.failure.find("not finite") != std::string::npos;
}

}  // namespace

ResultBanner::ResultBanner(QWidget* parent) : QFrame(parent) {
  setProperty(kRole, u"card"_s);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(spacing::kMargin, spacing::kGap, spacing::kGap, spacing::kGap);
  row->setSpacing(spacing::kGap);
  sign_ = new QLabel(this);
  title_ = new QLabel(this);
  title_->setProperty(kRole, u"heading"_s);
  title_->setTextFormat(Qt::PlainText);
  text_ = new QLabel(this);
  text_->setObjectName(u"result"_s);
  text_->setTextFormat(Qt::PlainText);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  words->addWidget(title_);
  words->addWidget(text_);
  row->addWidget(sign_);
  row->addLayout(words, 1);
  const auto button = [&](const QString& text, const QString& name) {
    auto* made = new QPushButton(text, this);
    made->setObjectName(name);
    row->addWidget(made);
    return made;
  };
  resume_ = button(u"Resume"_s, u"resume"_s);
  inspect_ = button(u"Inspect"_s, u"inspect"_s);
  runs_ = button(u"Open in Runs"_s, u"runs"_s);
  halve_ = button(u"Continue with half the learning rate"_s, u"halve"_s);
  halve_->setToolTip(u"From the last checkpoint, as a new run"_s);
  again_ = button(u"Train again"_s, u"again"_s);
  copy_ = new QToolButton(this);
  copy_->setProperty(kRole, u"quiet"_s);
  copy_->setToolTip(u"Copy the whole text"_s);
  copy_->setAccessibleName(u"Copy"_s);
  close_ = new QToolButton(this);
  close_->setProperty(kRole, u"quiet"_s);
  close_->setToolTip(u"Close"_s);
  close_->setAccessibleName(u"Close"_s);
  row->addWidget(copy_);
  row->addWidget(close_);
  connect(resume_, &QPushButton::clicked, this, [this] { Q_EMIT resumeRequested(run_); });
  connect(inspect_, &QPushButton::clicked, this, [this] { Q_EMIT inspectRequested(run_); });
  connect(runs_, &QPushButton::clicked, this, [this] { Q_EMIT runsRequested(run_); });
  connect(halve_, &QPushButton::clicked, this, [this] { Q_EMIT halveRequested(run_); });
  connect(again_, &QPushButton::clicked, this, &ResultBanner::trainAgainRequested);
  connect(
      copy_, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(copied_); });
  connect(close_, &QToolButton::clicked, this, &ResultBanner::clear);
  updateIcons();
  hide();
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange}, [this] { updateIcons(); });
}

void ResultBanner::showResult(const RunResult& result, int epochs, const QString& loss) {
  run_ = result.run;
  QStringList parts;
  if (result.bestValidationScore) {
    parts << u"best validation %1"_s.arg(scoreText(*result.bestValidationScore, result.scoredBy)) +
                 guessText(result.validationMajority);
    if (!loss.isEmpty()) parts.back() += u", "_s + loss;
  }
  if (result.testScore) {
    parts << u"test %1"_s.arg(scoreText(*result.testScore, result.scoredBy)) +
                 guessText(result.testMajority);
  }
  parts << durationText(result.trainSeconds);
  if (result.imagesPerSecond > 0) {
    parts << QString::fromStdString(
        throughputText(result.imagesPerSecond, result.task, result.tokensPerExample));
  }
  QString text = parts.join(u" · "_s);
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  switch (result.status) {
    case RunStatus::failed:
      present(
          Kind::failed, u"The training failed"_s, asLines(QString::fromStdString(result.failure)));
      break;
    case RunStatus::paused:
    case RunStatus::running:
      present(Kind::left, u"You have left the training, which goes on"_s, text);
      break;
    case RunStatus::stopped:
      present(Kind::stopped,
              result.epochs == 0
                  ? u"Stopped in the first epoch; everything is saved"_s
                  : u"Stopped after %1 of %2 epochs; everything is saved"_s.arg(result.epochs)
                        .arg(epochs),
              text);
      break;
    case RunStatus::finished:
      present(Kind::finished, u"Finished: %1"_s.arg(countedText(result.epochs, u"epoch"_s)), text);
      break;
  }
  halve_->setVisible(isNotFinite(result));
}

void ResultBanner::showRefusal(const QStringList& reasons, const QString& title) {
  run_.clear();
  QStringList shown;
  for (const QString& reason : reasons.first(std::min(reasons.size(), kMostReasons))) {
    shown << asLines(reason);
  }
  const auto more = reasons.size() - shown.size();
  if (more > 0) shown << u"… and %1 more"_s.arg(more);
  present(Kind::refused,
          title.isEmpty() ? u"Could not start the training"_s : title,
          shown.join(u'\n'));
}

void ResultBanner::clear() {
  isEmpty_ = true;
  hide();
}

void ResultBanner::present(Kind kind, const QString& title, const QString& text) {
  isEmpty_ = false;
  kind_ = kind;
  title_->setText(title);
  const bool isLong = text.size() > kMostText;
  text_->setText(breakableText(isLong ? text.first(kMostText).trimmed() + u" …"_s : text));
  copied_ = title + u"\n"_s + text;
  const bool hasRun = !run_.empty();
  resume_->setVisible(kind == Kind::stopped);
  halve_->hide();
  inspect_->setVisible(hasRun &&
                       (kind == Kind::finished || kind == Kind::stopped || kind == Kind::left));
  runs_->setVisible(hasRun);
  again_->setVisible(hasRun && (kind == Kind::finished || kind == Kind::failed));
  copy_->setVisible(kind == Kind::failed || kind == Kind::refused);
  setRole(*resume_, kind == Kind::stopped ? u"primary"_s : QString());
  setRole(*inspect_, kind == Kind::finished ? u"primary"_s : QString());
  setAccessibleName(title);
  updateIcons();
  show();
}

void ResultBanner::updateIcons() {
  const Colors& colors = colorsOf(*this);
  QIcon sign;
  switch (kind_) {
    case Kind::finished:
      sign = icon(u"check"_s, colors.success);
      break;
    case Kind::stopped:
    case Kind::left:
      sign = icon(u"stop"_s, colors.textSecondary);
      break;
    case Kind::failed:
    case Kind::refused:
      sign = icon(u"error"_s, colors.error);
      break;
  }
  const int side = qRound(kSignSide * textScale());
  sign_->setFixedSize(side, side);
  sign_->setPixmap(sign.pixmap(side));
  const bool isError = kind_ == Kind::failed || kind_ == Kind::refused;
  sign_->setAccessibleName(isError ? u"Error"_s : u"Result"_s);
  copy_->setIcon(icon(u"copy"_s, *this));
  close_->setIcon(icon(u"close"_s, *this));
}

}  // namespace lambda
