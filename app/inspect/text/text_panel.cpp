#include "app/inspect/text/text_panel.h"

#include <algorithm>

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/choosers/segmented.h"
#include "app/inspect/contribution_style.h"
#include "app/inspect/panels/contribution_facts.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/text/text_words.h"
#include "widgets/equations/equation_view.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/bar_list.h"
#include "widgets/pictures/colored_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/fitted_area.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::size_t kMostBars = 6;
constexpr int kScaleWidth = 240;
constexpr int kLeastTextHeight = 96;

/// The most probable tokens, the most probable one first.
std::vector<std::size_t> mostProbable(const std::vector<float>& probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::size_t count = std::min(kMostBars, order.size());
  std::partial_sort(
      order.begin(),
      order.begin() + static_cast<std::ptrdiff_t>(count),
      order.end(),
      [&](std::size_t a, std::size_t b) {
        return probabilities[a] != probabilities[b] ? probabilities[a] > probabilities[b] : a < b;
      });
  order.resize(count);
  return order;
}

std::int64_t targetOf(const TokenSnapshot& snapshot) {
  return snapshot.targets[static_cast<std::size_t>(snapshot.position)];
}

}  // namespace

TextPanel::TextPanel(QWidget* parent)
    : Panel(parent),
      heads_(new QComboBox),
      sentence_(makeNote()),
      equation_(new EquationView),
      text_(new ColoredText),
      scale_(new ColoredTextScale),
      facts_(new ContributionFacts),
      next_(new BarList) {
  QStringList titles;
  for (const ContributionKind quantity : kContributionKinds) titles << titleOf(quantity);
  quantities_ = new Segmented(titles);
  quantities_->setAccessibleName(u"Map of contributions"_s);
  const QString tips[] = {u"The part of a weight that comes from what the token is"_s,
                          u"The part of a weight that comes from how far the token is"_s,
                          u"The weight of each token"_s,
                          u"How much each token changes the output"_s};
  for (int i = 0; i < 4; ++i) quantities_->setChoiceToolTip(i, tips[i]);
  heads_->setAccessibleName(u"Head"_s);
  heads_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  heads_->setMinimumContentsLength(8);
  heads_->setToolTip(u"Which head's contributions"_s);

  auto* controls = new FlowLayout(spacing::kGap);
  controls->addWidget(quantities_);
  controls->addWidget(heads_);
  controls->beginRight();
  auto* buttons = new QWidget;
  auto* buttonRow = makeBareLayout<QHBoxLayout>(buttons, 0);
  buttonRow->addWidget(makeExplanationButton(*this, [this] { return explanation(); }));
  buttonRow->addWidget(makeExportButton(*text_, *text_));
  controls->addWidget(buttons);

  auto* page = new QWidget;
  auto* pageColumn = makeBareLayout<QVBoxLayout>(page, 0);
  pageColumn->setContentsMargins(spacing::kTight, 0, spacing::kTight, 0);
  pageColumn->addWidget(text_);
  pageColumn->addStretch();
  textArea_ = new FittedArea(*page, false);
  textArea_->setMinimumHeight(kLeastTextHeight);
  scale_->setFixedWidth(kScaleWidth);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(spacing::kWide, spacing::kGap, spacing::kWide, spacing::kGap);
  column->setSpacing(spacing::kGap);
  column->addLayout(controls);
  column->addWidget(equation_);
  column->addWidget(textArea_, 1);
  column->addWidget(scale_);
  column->addWidget(facts_);
  column->addWidget(makeLine(Qt::Horizontal));
  column->addWidget(sentence_);
  column->addWidget(next_);
  next_->setAccessibleName(u"Probabilities of the next token"_s);
  next_->setName(u"next-token"_s);

  connect(quantities_, &Segmented::chosen, this, [this](int choice) {
    Q_EMIT quantityChosen(kContributionKinds[static_cast<std::size_t>(choice)]);
  });
  connect(heads_, &QComboBox::activated, this, [this](int index) { Q_EMIT headChosen(index - 1); });
  connect(text_, &ColoredText::tokenChosen, this, &TextPanel::positionChosen);
  connect(text_, &ColoredText::chosenMoved, this, [this](const QRectF& cell) {
    const QPoint at = text_->mapTo(textArea_->widget(), cell.center().toPoint());
    textArea_->ensureVisible(at.x(), at.y(), 0, qRound(cell.height()));
  });
  makeActions();
  show({});
}

void TextPanel::makeActions() {
  for (std::size_t i = 0; i < kContributionKinds.size(); ++i) {
    QAction* action =
        makePageAction(*this,
                       u"Colour the text by %1"_s.arg(titleOf(kContributionKinds[i]).toLower()),
                       QKeySequence(),
                       u"Show these contributions"_s);
    connect(action, &QAction::triggered, this, [this, i] {
      Q_EMIT quantityChosen(kContributionKinds[i]);
    });
    actions_ << action;
  }
}

QList<QAction*> TextPanel::panelActions() const {
  return actions_;
}

QString TextPanel::sentence() const {
  return sentence_->text();
}

std::vector<const Exportable*> TextPanel::exports() const {
  return {text_, next_};
}

void TextPanel::showHeads(int heads) {
  if (heads_->count() != heads + 1) {
    heads_->clear();
    heads_->addItem(u"All heads"_s);
    for (int head = 0; head < heads; ++head) heads_->addItem(u"Head %1"_s.arg(head));
  }
  heads_->setCurrentIndex(state_.head + 1);
  heads_->setVisible(heads > 1);
}

void TextPanel::show(const TextState& state) {
  state_ = state;
  const TokenSnapshot* s = state.snapshot.get();
  const ContributionKind quantity = state.shownQuantity();
  quantities_->setCurrent(static_cast<int>(quantity));
  for (const ContributionKind each : kContributionKinds) {
    quantities_->setChoiceEnabled(static_cast<int>(each), s && !headMapsOf(*s->maps, each).empty());
  }
  scale_->setVisible(s != nullptr);
  equation_->setVisible(s != nullptr);
  showHeads(s ? s->layer.heads : 0);
  if (!s) {
    text_->setTokens({});
    facts_->setSnapshot(nullptr);
    showNext();
    return;
  }
  equation_->setEquation(textEquation(quantity, s->layer));
  const Array map = state.map();
  const auto first = map.values.begin() + s->position * map.shape[1];
  const std::vector<float> row(first, first + s->position + 1);
  const ColorRange range = rangeOf(quantity, {{static_cast<std::int64_t>(row.size())}, row});
  text_->setTokens(shownTokens(*s));
  text_->setValues({.values = row,
                    .map = colorMapOf(quantity),
                    .range = range,
                    .quantity = textSymbol(quantity, s->layer)});
  text_->setChosen(s->position);
  text_->setExport(exportStem(*s, u"text-"_s + fileStemOf(quantity)),
                   exportCaption(*s,
                                 u"Contributions (%1) of the tokens to the output at token %2"_s
                                     .arg(titleOf(quantity).toLower())
                                     .arg(s->position)));
  scale_->setValues(colorMapOf(quantity), range);
  facts_->setResidual(s->residual);
  showNext();
}

/// Shows the probabilities of what follows the chosen token.
void TextPanel::showNext() {
  const TokenSnapshot* s = state_.snapshot.get();
  if (!s) {
    sentence_->setText(u"Nothing to show yet."_s);
    next_->setBars({});
    next_->setVisible(false);
    return;
  }
  std::vector<std::size_t> shown = mostProbable(s->probabilities);
  const std::size_t best = shown.front();
  const std::int64_t target = targetOf(*s);
  const auto truth = static_cast<std::size_t>(target);
  const auto name = [&](std::size_t token) {
    return tokenName(static_cast<std::int64_t>(token), s->areBytes);
  };
  const auto probability = [&](std::size_t token) {
    return static_cast<double>(s->probabilities[token]);
  };
  QString text = u"After token %1, %2, the network expects %3."_s.arg(
      QString::number(s->position),
      tokenName(s->tokens[static_cast<std::size_t>(s->position)], s->areBytes),
      name(best));
  if (target >= 0) {
    text += truth == best ? u" It is right."_s
                          : u" What follows, %1, had %2."_s.arg(name(truth),
                                                                percentText(probability(truth), 2));
    if (std::ranges::find(shown, truth) == shown.end()) shown.push_back(truth);
  }
  sentence_->setText(text);
  std::vector<Bar> bars;
  for (const std::size_t token : shown) {
    bars.push_back({.name = name(token),
                    .value = probability(token),
                    .isTrue = target >= 0 && token == truth,
                    .isChosen = token == best});
  }
  next_->setVisible(true);
  next_->setBars(std::move(bars));
}

ExplanationText TextPanel::explanation() const {
  ExplanationText text{
      .title = u"Contributions of tokens"_s,
      .formula = {},
      .body =
          u"Click a token n, or go there with the arrow keys: the colours say with which weight "
          "every token before it enters the layer's output there, red positive, blue negative. "
          "Effect is the length of the vector that a token adds. This is the layer's own "
          "arithmetic: the sum of these vectors is the output. Later tokens have no colour, "
          "because the layer does not see them."_s,
      .numbers = {}};
  if (const TokenSnapshot* s = state_.snapshot.get()) {
    text.numbers.emplace_back(u"Token n"_s, QString::number(s->position));
    text.numbers.emplace_back(u"Tokens of the text"_s,
                              countText(static_cast<qint64>(s->tokens.size())));
    text.numbers.emplace_back(u"Sum − y, at most"_s, numberText(s->residual.absolute));
  }
  return text;
}

void TextPanel::saveLayout(QSettings& settings) const {
  settings.setValue(u"equation"_s, equation_->isOpen());
}

void TextPanel::restoreLayout(QSettings& settings) {
  equation_->setOpen(settings.value(u"equation"_s, true).toBool());
}

}  // namespace lambda
