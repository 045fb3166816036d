#include "app/generated/text_samples_panel.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <variant>

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "app/generated/generated_text.h"
#include "app/generated/probability_legend.h"
#include "app/generated/token_words.h"
#include "engine/formats/inspection/text_sample.h"
#include "engine/runtime/error.h"
#include "engine/values/architecture/task.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kReadInterval{1000};

QString epochText(const TextSample& sample) {
  return sample.epoch == 0 ? u"At the start"_s : u"Epoch %1"_s.arg(sample.epoch);
}

std::vector<GeneratedToken> tokensOf(const TextSample& sample) {
  std::vector<GeneratedToken> tokens;
  for (std::size_t i = 0; i < sample.tokens.size(); ++i) {
    tokens.push_back({.token = sample.tokens[i], .probability = sample.probabilities[i]});
  }
  return tokens;
}

bool isOnText(const RunConfig& config) {
  const DataSourceTraits traits = traitsOf(config.data.source);
  return traits.isSequences && !traits.tokensAreDrawn;
}

QString textWithout(const std::filesystem::path& run, const RunConfig& config) {
  if (run.empty()) return u"What a network writes after each epoch of a text is shown here."_s;
  return config.architecture.task == Task::tokens
             ? u"The sequences of this run are drawn by rules, and are no text: its accuracy is "
               u"the "
               "share of answers that are right."_s
             : u"This network takes images, and writes no text."_s;
}

}  // namespace

struct TextSamplesPanel::News {
  std::vector<TextSample> samples;
  QString problem;
};

TextSamplesPanel::TextSamplesPanel(QWidget* parent) : Panel(parent), tasks_(*this) {
  nothing_ = new QLabel(this);
  nothing_->setProperty(kRole, u"secondary"_s);
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setWordWrap(true);
  nothing_->setObjectName(u"noTexts"_s);
  nothing_->setContentsMargins(spacing::kMargin, 0, spacing::kMargin, 0);
  views_ = new QStackedLayout(this);
  views_->addWidget(makeContent());
  views_->addWidget(nothing_);
  timer_.setInterval(kReadInterval);
  connect(&timer_, &QTimer::timeout, this, &TextSamplesPanel::read);
  connect(epochs_, &QListWidget::currentRowChanged, this, &TextSamplesPanel::showSample);
  connect(text_, &GeneratedText::readoutChanged, readout_, &ElidedLabel::setText);
  showState();
}

QWidget* TextSamplesPanel::makeContent() {
  auto* content = new QWidget(this);
  when_ = new ElidedLabel(content);
  when_->setProperty(kRole, u"heading"_s);
  when_->setObjectName(u"sampleWhen"_s);
  auto* how = new QLabel(
      u"After each epoch the network continues the beginning of the validation text, in grey."_s,
      content);
  how->setProperty(kRole, u"secondary"_s);
  how->setWordWrap(true);
  how->setToolTip(
      u"200 bytes, drawn with the seed 0 at the temperature 1 from all bytes, so that only the "
      "weights differ from epoch to epoch"_s);
  epochs_ = new QListWidget(content);
  epochs_->setAccessibleName(u"Epochs"_s);
  epochs_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
  text_ = new GeneratedText(content);
  readout_ = new ElidedLabel(content);
  readout_->setProperty(kRole, u"secondary"_s);
  auto* row = new QHBoxLayout;
  row->setSpacing(spacing::kGap);
  row->addWidget(epochs_);
  row->addWidget(text_, 1);
  auto* below = new QHBoxLayout;
  below->addWidget(readout_, 1);
  below->addWidget(new ProbabilityLegend(content));
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(spacing::kMargin, spacing::kGap, spacing::kGap, spacing::kGap);
  column->setSpacing(spacing::kGap);
  column->addWidget(when_);
  column->addWidget(how);
  column->addLayout(row, 1);
  column->addLayout(below);
  const auto fitToText = [this] {
    epochs_->setFixedWidth(epochs_->fontMetrics().horizontalAdvance(u"Epoch 000 · 0.00 bits"_s) +
                           4 * spacing::kGap);
  };
  fitToText();
  onFontChange(*this, fitToText);
  return content;
}

void TextSamplesPanel::showRun(const std::filesystem::path& run,
                               const RunConfig& config,
                               bool isTraining) {
  const std::filesystem::path shown = isOnText(config) ? run : std::filesystem::path();
  textWithoutRun_ = textWithout(run, config);
  isTraining_ = isTraining;
  if (shown != run_) {
    run_ = shown;
    tasks_.cancel();
    problem_.clear();
    samples_.clear();
    epochs_->clear();
  }
  showState();
  read();
}

void TextSamplesPanel::read() {
  if (isTraining_ && isVisible()) {
    timer_.start();
  } else {
    timer_.stop();
  }
  if (run_.empty() || !isVisible()) return;
  std::set<int> known;
  for (const TextSample& sample : samples_) known.insert(sample.epoch);
  tasks_.runNewest(
      [folder = run_ / "inspection", known] {
        News news;
        for (const std::filesystem::path& file : textSamplesOf(folder)) {
          try {
            const auto isKnown = [&](int epoch) {
              return file.filename() == textSampleName(epoch);
            };
            if (std::ranges::none_of(known, isKnown)) news.samples.push_back(readTextSample(file));
          } catch (const Error& error) {
            news.problem = QString::fromUtf8(error.what());
          }
        }
        return news;
      },
      [this](News news) { take(std::move(news)); });
}

void TextSamplesPanel::take(News news) {
  problem_ = news.problem;
  const bool isFollowing = epochs_->currentRow() + 1 == epochs_->count();
  for (TextSample& sample : news.samples) {
    const auto place = std::ranges::upper_bound(samples_, sample.epoch, {}, &TextSample::epoch);
    const auto row = static_cast<int>(place - samples_.begin());
    QString item = epochText(sample);
    if (sample.loss) item += u" · %1 bits"_s.arg(fixedText(bitsOf(*sample.loss), 2));
    samples_.insert(place, std::move(sample));
    epochs_->insertItem(row, item);
  }
  if (isFollowing) epochs_->setCurrentRow(epochs_->count() - 1);
  showState();
}

void TextSamplesPanel::showSample() {
  const int row = epochs_->currentRow();
  if (row < 0 || row >= std::ssize(samples_)) return;
  const TextSample& sample = samples_[static_cast<std::size_t>(row)];
  QStringList facts{epochText(sample)};
  if (sample.loss) facts << u"validation %1"_s.arg(lossText(*sample.loss, true));
  facts << u"step %1"_s.arg(countText(sample.step));
  when_->setText(facts.join(u" · "_s));
  text_->begin(TokenText(TextSource(), TextSource::vocabulary), sample.prompt);
  text_->add(tokensOf(sample));
  text_->finish();
}

void TextSamplesPanel::showState() {
  views_->setCurrentIndex(samples_.empty() ? 1 : 0);
  if (!samples_.empty()) return;
  nothing_->setText(!problem_.isEmpty() ? problem_
                    : run_.empty()      ? textWithoutRun_
                    : isTraining_       ? u"The first text comes with the first step."_s
                                        : u"This run has kept no texts of its epochs."_s);
}

void TextSamplesPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  read();
}

void TextSamplesPanel::hideEvent(QHideEvent* event) {
  Panel::hideEvent(event);
  timer_.stop();
}

}  // namespace lambda
