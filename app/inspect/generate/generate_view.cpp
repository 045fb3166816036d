#include "app/inspect/generate/generate_view.h"

#include <algorithm>
#include <limits>

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/generated/generated_text.h"
#include "app/generated/probability_legend.h"
#include "app/inspect/choosers/segmented.h"
#include "app/inspect/generate/generation_clock.h"
#include "app/session/inspection/generation_service.h"
#include "widgets/forms/field_form.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/fitted_area.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::size_t kLikeliest = 3;
constexpr double kMostTokens = 100'000;
constexpr int kControlsWidth = 280;
constexpr int kPromptLines = 4;

constexpr const char* kTokens = "tokens";
constexpr const char* kTemperature = "temperature";
constexpr const char* kTopP = "topP";
constexpr const char* kSeed = "seed";

FieldRow rowOf(const char* path,
               const char* label,
               const char* hint,
               FieldValue value,
               FieldValue initial,
               double min,
               double max) {
  FieldRow row;
  row.path = path;
  row.label = label;
  row.hint = hint;
  row.value = value;
  row.initial = initial;
  row.min = min;
  row.max = max;
  return row;
}

QLabel* makeHeading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setProperty(kRole, u"heading"_s);
  return label;
}

}  // namespace

GenerateView::GenerateView(GenerationService& service, QWidget* parent)
    : QWidget(parent), service_(service) {
  options_.likeliest = kLikeliest;
  makeFooter();
  auto* row = makeBareLayout<QHBoxLayout>(this, 0);
  row->addWidget(new FittedArea(*makeControls(), false));
  row->addWidget(makeLine(Qt::Vertical));
  row->addWidget(makeText(), 1);
  connect(start_, &QPushButton::clicked, this, &GenerateView::startOrStop);
  connect(copy_, &QToolButton::clicked, this, [this] {
    QApplication::clipboard()->setText(text_->plainText());
  });
  connect(text_, &GeneratedText::readoutChanged, readout_, &ElidedLabel::setText);
  connect(text_, &GeneratedText::tokenChosen, this, &GenerateView::look);
  connect(
      form_, &FieldForm::edited, this, [this](const std::string& path, const FieldValue& value) {
        edit(path, value);
      });
  connect(reading_, &Segmented::chosen, this, [this](int choice) {
    options_.isParallel = choice == 1;
  });
  for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter}) {
    auto* shortcut = new QShortcut(QKeySequence(Qt::CTRL | key), this);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, this, &GenerateView::startOrStop);
  }
  showForm();
  showState();
}

// ---- making ----

QWidget* GenerateView::makeControls() {
  auto* holder = new QWidget(this);
  auto* column = new QVBoxLayout(holder);
  column->setContentsMargins(spacing::kMargin, spacing::kWide, spacing::kMargin, spacing::kWide);
  column->setSpacing(spacing::kGap);
  QLabel* title = makeHeading(u"Prompt"_s, holder);
  prompt_ = new QPlainTextEdit(holder);
  prompt_->setAccessibleName(u"Prompt"_s);
  prompt_->setTabChangesFocus(true);
  title->setBuddy(prompt_);
  form_ = new FieldForm(holder);
  form_->setHelpVisible(false);
  reading_ = new Segmented({u"Recurrent"_s, u"Parallel"_s}, holder);
  reading_->setAccessibleName(u"Reading"_s);
  reading_->setChoiceToolTip(
      0, u"Keep what the network needs of the tokens before: the same time for each token"_s);
  reading_->setChoiceToolTip(
      1, u"Read the whole sequence again for each token: the same text, only slower"_s);
  auto* reading = new QLabel(u"Reading"_s, holder);
  auto* readingRow = new QHBoxLayout;
  readingRow->addWidget(reading);
  readingRow->addStretch();
  readingRow->addWidget(reading_);
  start_ = new QPushButton(holder);
  start_->setObjectName(u"generate"_s);
  problem_ = new QLabel(holder);
  problem_->setObjectName(u"generateProblem"_s);
  problem_->setWordWrap(true);
  clock_ = new GenerationClock(holder);
  column->addWidget(title);
  column->addWidget(prompt_);
  column->addWidget(form_);
  column->addLayout(readingRow);
  column->addWidget(start_);
  column->addWidget(problem_);
  column->addSpacing(spacing::kGap);
  column->addWidget(clock_);
  column->addStretch(1);
  const auto fitToText = [this, holder] {
    holder->setFixedWidth(qRound(kControlsWidth * textScale()));
    prompt_->setFixedHeight(kPromptLines * prompt_->fontMetrics().lineSpacing() +
                            2 * spacing::kGap);
  };
  fitToText();
  onFontChange(*this, fitToText);
  return holder;
}

QWidget* GenerateView::makeText() {
  auto* holder = new QWidget(this);
  auto* column = new QVBoxLayout(holder);
  column->setContentsMargins(spacing::kMargin, spacing::kWide, spacing::kMargin, spacing::kGap);
  column->setSpacing(spacing::kGap);
  text_ = new GeneratedText(holder);
  text_->setPlaceholderText(
      u"The text appears here as the network writes it. Point at a character to see how probable "
      u"it "
      "was, and what else could have stood there. Click it to see what the network looked at."_s);
  copy_ = new QToolButton(holder);
  copy_->setText(u"Copy the text"_s);
  copy_->setObjectName(u"copyText"_s);
  copy_->setProperty(kRole, u"quiet"_s);
  auto* head = new QHBoxLayout;
  head->addWidget(makeHeading(u"Text"_s, holder));
  head->addStretch();
  head->addWidget(copy_);
  column->addLayout(head);
  column->addWidget(text_, 1);
  return holder;
}

void GenerateView::makeFooter() {
  footer_ = new QWidget(this);
  readout_ = new ElidedLabel(footer_);
  readout_->setObjectName(u"generateReadout"_s);
  auto* row = new QHBoxLayout(footer_);
  row->setContentsMargins(spacing::kMargin, spacing::kGap, spacing::kMargin, spacing::kGap);
  row->addWidget(readout_, 1);
  row->addWidget(new ProbabilityLegend(footer_));
}

void GenerateView::showForm() {
  const GenerationOptions initial;
  const SamplingOptions& sampling = options_.sampling;
  FieldRow tokens = rowOf(kTokens,
                          "Tokens",
                          "How many tokens are drawn; of a text, bytes.",
                          options_.tokens,
                          initial.tokens,
                          1,
                          kMostTokens);
  tokens.stepping = Stepping::oneTwoFive;
  FieldRow temperature =
      rowOf(kTemperature,
            "Temperature",
            "0 takes the most probable token, 1 draws as the network says, more is more random.",
            sampling.temperature,
            initial.sampling.temperature,
            0,
            SamplingOptions::highestTemperature);
  temperature.stepping = Stepping::hundredth;
  FieldRow topP = rowOf(kTopP,
                        "Top-p",
                        "Draws from the most probable tokens that together have this probability.",
                        sampling.topP,
                        initial.sampling.topP,
                        0.01,
                        1);
  topP.stepping = Stepping::hundredth;
  FieldRow seed = rowOf(kSeed,
                        "Seed",
                        "The same seed gives the same text.",
                        static_cast<std::int64_t>(sampling.seed),
                        std::int64_t{0},
                        0,
                        std::numeric_limits<double>::infinity());
  seed.isUnsigned = true;
  form_->setSections({{{}, {tokens, temperature, topP, seed}}});
}

// ---- what is chosen ----

void GenerateView::setSource(const InspectionSource& source) {
  const bool isOther = !source.isSameAs(source_);
  source_ = source;
  if (isOther) {
    end();
    bound_.cancel();
    facts_.reset();
    drawn_ = 0;
    clock_->clear();
    problem_->clear();
    const TokenText tokens(source.record.config.data.source,
                           source.record.config.architecture.outputs);
    text_->begin(tokens, {});
    prompt_->setPlaceholderText(
        tokens.isOfBytes()
            ? u"What the network continues. Without a prompt the text begins a line."_s
            : u"Numbers from 0 to %1 with spaces between"_s.arg(
                  source.record.config.architecture.outputs - 1));
  }
  showState();
}

void GenerateView::edit(const std::string& path, const FieldValue& value) {
  SamplingOptions& sampling = options_.sampling;
  if (path == kTokens) options_.tokens = std::get<std::int64_t>(value);
  if (path == kTemperature) sampling.temperature = std::get<double>(value);
  if (path == kTopP) sampling.topP = std::get<double>(value);
  if (path == kSeed) sampling.seed = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
  showForm();
}

// ---- writing ----

void GenerateView::startOrStop() {
  if (isWriting_) {
    writing_.cancel();
    end();
    measureBound();
  } else if (start_->isEnabled()) {
    start();
  }
}

void GenerateView::start() {
  bound_.cancel();
  problem_->clear();
  facts_.reset();
  asked_ = options_.tokens;
  drawn_ = 0;
  isWriting_ = true;
  clock_->begin(options_.isParallel);
  writing_.followNewest(
      service_.generate({.run = source_.checkpoint,
                         .prompt = prompt_->toPlainText().toStdString(),
                         .options = options_}),
      [this](const GenerationNews& news) { take(news); },
      [this](const QString& reason) { fail(reason); });
  showState();
  Q_EMIT writingChanged(true);
}

void GenerateView::look(std::size_t token) {
  const std::vector<std::int64_t> all = text_->tokens();
  const auto length = static_cast<std::size_t>(source_.record.config.architecture.input.width);
  const std::size_t end = token + 1;
  // The token before is the one from which it was predicted.
  if (end < 2 || length < 2) return;
  const std::size_t begin = end > length ? end - length : 0;
  Q_EMIT lookRequested({all.begin() + static_cast<std::ptrdiff_t>(begin),
                        all.begin() + static_cast<std::ptrdiff_t>(end)});
}

void GenerateView::take(const GenerationNews& news) {
  if (news.facts) {
    facts_ = news.facts;
    text_->begin(facts_->text, facts_->prompt);
  }
  text_->add(news.tokens);
  for (const GeneratedToken& token : news.tokens) clock_->add(token);
  drawn_ += std::ssize(news.tokens);
  Q_EMIT statusChanged();
  if (drawn_ < asked_) return;
  end();
  measureBound();
}

void GenerateView::end() {
  if (!isWriting_) return;
  isWriting_ = false;
  writing_.cancel();
  text_->finish();
  showState();
  Q_EMIT writingChanged(false);
  Q_EMIT statusChanged();
}

void GenerateView::fail(const QString& reason) {
  setRole(*problem_, u"error"_s);
  end();
  problem_->setText(reason);
  problem_->show();
}

void GenerateView::measureBound() {
  if (!facts_) return;
  bound_.followNewest(service_.copyBandwidth(facts_->threads),
                      [this, bytes = facts_->weightBytes](double bandwidth) {
                        clock_->setBound(bytes, bandwidth);
                      });
}

void GenerateView::showState() {
  const bool isLive = source_.kind == SourceKind::live;
  start_->setText(isWriting_ ? u"Stop"_s : u"Write"_s);
  start_->setToolTip(isWriting_ ? u"End the text (Ctrl+Return)"_s
                                : u"Let the network continue the prompt (Ctrl+Return)"_s);
  start_->setEnabled(source_.kind == SourceKind::checkpoint);
  setRole(*start_, isWriting_ ? QString() : u"primary"_s);
  copy_->setEnabled(drawn_ > 0);
  if (isLive) {
    setRole(*problem_, u"secondary"_s);
    problem_->setText(
        u"This network is being trained: Train shows what it writes after each epoch. To write "
        "here, choose one of its checkpoints at the top."_s);
  }
  problem_->setVisible(!problem_->text().isEmpty());
}

QString GenerateView::status() const {
  if (!facts_) return {};
  const QString unit = facts_->text.isOfBytes() ? u"byte"_s : u"token"_s;
  return isWriting_ ? u"%1 of %2"_s.arg(countText(drawn_), countedText(asked_, unit))
                    : countedText(drawn_, unit);
}

}  // namespace lambda
