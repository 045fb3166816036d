#include "app/inspect/generate/generation_clock.h"

#include <utility>

#include <QFormLayout>
#include <QLabel>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString millisecondsText(double seconds) {
  return u"%1 ms"_s.arg(numberText(1e3 * seconds));
}

}  // namespace

GenerationClock::GenerationClock(QWidget* parent) : QWidget(parent) {
  auto* form = makeBareLayout<QFormLayout>(this, spacing::kTight);
  form->setFormAlignment(Qt::AlignLeft);
  const auto addTime = [&](const QString& name, const char* object, const QString& meaning) {
    auto* title = new QLabel(name, this);
    title->setProperty(kRole, u"secondary"_s);
    title->setToolTip(meaning);
    auto* time = new QLabel(this);
    time->setObjectName(QString::fromLatin1(object));
    time->setFont(numberFont());
    time->setToolTip(meaning);
    form->addRow(title, time);
    return time;
  };
  recurrentTime_ =
      addTime(u"Recurrent, a token"_s,
              "recurrentTime",
              u"The network keeps what it needs of the tokens before: the same time for "
              "each token. The mean without the first one"_s);
  parallelTime_ =
      addTime(u"Parallel, a token"_s,
              "parallelTime",
              u"The network reads the whole sequence again for each token: the longer the "
              "text, the longer. The mean without the first one"_s);
  boundTime_ =
      addTime(u"Bound"_s,
              "boundTime",
              u"The time in which the weights that a token needs come from the memory. It is "
              "measured after the first text"_s);
  showTimes();
}

void GenerationClock::clear() {
  recurrent_ = {};
  parallel_ = {};
  boundTime_->setText(u"–"_s);
  showTimes();
}

void GenerationClock::begin(bool isParallel) {
  isParallel_ = isParallel;
  isFirst_ = true;
  (isParallel ? parallel_ : recurrent_) = {};
  showTimes();
}

void GenerationClock::add(const GeneratedToken& token) {
  if (std::exchange(isFirst_, false)) return;
  Mean& mean = isParallel_ ? parallel_ : recurrent_;
  mean.seconds += token.seconds;
  ++mean.tokens;
  showTimes();
}

void GenerationClock::setBound(std::int64_t weightBytes, double bandwidth) {
  boundTime_->setText(millisecondsText(static_cast<double>(weightBytes) / bandwidth));
  boundTime_->setToolTip(
      u"%1 of weights at %2 GB/s, the bandwidth of copying in the memory. Weights that stay in the "
      "cache of the processor may be faster"_s.arg(bytesText(weightBytes),
                                                   fixedText(bandwidth / 1e9, 1)));
}

void GenerationClock::showTimes() {
  const auto show = [](QLabel& label, const Mean& mean) {
    label.setText(mean.tokens == 0
                      ? u"–"_s
                      : millisecondsText(mean.seconds / static_cast<double>(mean.tokens)));
  };
  show(*recurrentTime_, recurrent_);
  show(*parallelTime_, parallel_);
  if (boundTime_->text().isEmpty()) boundTime_->setText(u"–"_s);
}

}  // namespace lambda
