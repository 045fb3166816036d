#include "app/studio/welcome/welcome_page.h"

#include <algorithm>

#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/session/documents/project_document.h"
#include "app/session/missing_files.h"
#include "app/studio/welcome/lambda_figure.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kListed = 5;
constexpr int kContentWidth = 1040;
constexpr double kNameWidth = 180;           ///< Width of a run's name in a text, at text size 1.
constexpr double kFigureWidthShare = 0.42;   ///< Of the page.
constexpr double kFigureHeightShare = 0.36;  ///< Of the page.

QLabel* makeLabel(const QString& text, const QString& role, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  if (!role.isEmpty()) label->setProperty(kRole, role);
  label->setWordWrap(true);
  return label;
}

struct Card {
  QFrame* frame;
  QLabel* text;
  QPushButton* button;
};

Card makeCard(const QString& title, const QString& words, const QString& action, bool isPrimary) {
  auto* frame = new QFrame;
  frame->setProperty(kRole, u"card"_s);
  auto* layout = new QVBoxLayout(frame);
  layout->setContentsMargins(20, 18, 20, 18);
  layout->setSpacing(8);
  layout->addWidget(makeLabel(title, u"heading"_s, frame));
  QLabel* text = makeLabel(words, u"secondary"_s, frame);
  layout->addWidget(text);
  layout->addStretch();
  auto* button = new QPushButton(action, frame);
  if (isPrimary) button->setProperty(kRole, u"primary"_s);
  button->setMinimumHeight(qRound(34 * textScale()));
  layout->addSpacing(6);
  layout->addWidget(button, 0, Qt::AlignLeft);
  return {frame, text, button};
}

/// A row of a list: the name at the left, the description below it.
QPushButton* makeRow(const QString& title, const QString& detail, QWidget* parent) {
  auto* row = new QPushButton(parent);
  row->setProperty(kRole, u"quiet"_s);
  row->setCursor(Qt::PointingHandCursor);
  auto* layout = new QVBoxLayout(row);
  layout->setContentsMargins(10, 6, 10, 6);
  layout->setSpacing(1);
  for (const QString& text : {title, detail}) {
    auto* label = new ElidedLabel(row);
    label->setText(text);
    label->setAttribute(Qt::WA_TransparentForMouseEvents);
    if (layout->count() > 0) label->setProperty(kRole, u"secondary"_s);
    layout->addWidget(label);
  }
  row->setToolTip(title + u'\n' + detail);
  row->setAccessibleName(title + u", "_s + detail);
  row->setMinimumHeight(layout->sizeHint().height());
  return row;
}

void clear(QLayout& layout) {
  while (QLayoutItem* item = layout.takeAt(0)) {
    if (item->widget()) {
      item->widget()->hide();
      item->widget()->deleteLater();
    }
    delete item;
  }
}

QString describe(const RunRecord& record) {
  QStringList parts{QString::fromStdString(record.pattern)};
  if (record.bestValidationScore) {
    parts << u"validation %1"_s.arg(scoreText(*record.bestValidationScore, record.scoredBy));
  }
  if (record.testScore) parts << u"test %1"_s.arg(scoreText(*record.testScore, record.scoredBy));
  parts << countedText(record.epochsDone, u"epoch"_s);
  return parts.join(u" · "_s);
}

}  // namespace

WelcomePage::WelcomePage(QWidget* parent) : QWidget(parent) {
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  auto* outer = makeBareLayout<QVBoxLayout>(this);
  outer->addWidget(scroll);
  auto* ground = new QWidget;
  auto* centred = new QHBoxLayout(ground);
  content_ = new QWidget;
  QWidget* content = content_;
  centred->addStretch(1);
  centred->addWidget(content, 100);
  centred->addStretch(1);
  scroll->setWidget(ground);

  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(24, 32, 24, 32);
  layout->setSpacing(28);

  auto* head = new QHBoxLayout;
  head->setSpacing(32);
  auto* words = new QVBoxLayout;
  words->setSpacing(10);
  words->addStretch();
  words->addWidget(makeLabel(u"Lambda Studio"_s, u"title"_s, content));
  words->addWidget(
      makeLabel(u"Put a network together, train it, and inspect what its layers have learnt."_s,
                u"heading"_s,
                content));
  words->addWidget(makeLabel(
      u"A lambda layer lets every pixel see all others without attention: it sums the "
      "context into a small matrix and applies it to each pixel's query. There is no softmax "
      "between them, so what you see here is the layer's own arithmetic and not a guess."_s,
      u"secondary"_s,
      content));
  words->addStretch();
  head->addLayout(words, 1);
  figure_ = new LambdaFigure(content);
  head->addWidget(figure_);
  layout->addLayout(head);

  auto* cards = new QHBoxLayout;
  cards->setSpacing(16);
  const Card train = makeCard(u"1   Train a network"_s, QString(), QString(), true);
  const Card inspect = makeCard(u"2   Inspect it"_s, QString(), u"Inspect its lambdas"_s, false);
  const Card design = makeCard(u"3   Build your own"_s,
                               u"Turn the convolutions of a ResNet into lambda layers and back "
                               "with a click, and see at once what "
                               "that costs. Templates for CIFAR-10 and ImageNet are there."_s,
                               u"Open the designer"_s,
                               false);
  for (const Card& card : {train, inspect, design}) cards->addWidget(card.frame, 1);
  train_ = train.button;
  trainText_ = train.text;
  inspect_ = inspect.button;
  inspectText_ = inspect.text;
  layout->addLayout(cards);

  auto* lists = new QHBoxLayout;
  lists->setSpacing(32);
  const auto addList = [&](const QString& title) {
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    column->addWidget(makeLabel(title, u"heading"_s, content));
    auto* rows = new QVBoxLayout;
    rows->setSpacing(0);
    column->addLayout(rows);
    column->addStretch();
    lists->addLayout(column, 1);
    return rows;
  };
  runs_ = addList(u"Recent runs"_s);
  files_ = addList(u"Recent files"_s);
  layout->addLayout(lists);
  hint_ = makeLabel({}, u"secondary"_s, content);
  layout->addWidget(hint_);
  layout->addStretch();

  connect(train_, &QPushButton::clicked, this, [this] {
    if (isTraining_) {
      Q_EMIT watchRequested();
    } else {
      Q_EMIT quickstartRequested();
    }
  });
  connect(inspect_, &QPushButton::clicked, this, [this] {
    if (isTraining_) {
      Q_EMIT inspectLiveRequested();
    } else {
      Q_EMIT inspectRequested(newestRun_);
    }
  });
  connect(design.button, &QPushButton::clicked, this, &WelcomePage::designRequested);
  setRuns({});
  setRecentFiles({});
  fitFigure();
  onChange(*this, {QEvent::FontChange, QEvent::StyleChange}, [this] { fitFigure(); });
}

void WelcomePage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitFigure();
}

void WelcomePage::fitFigure() {
  if (!figure_) return;
  content_->setMaximumWidth(qRound(kContentWidth * textScale()));
  figure_->fitInto(QSizeF(kFigureWidthShare * std::min(width(), content_->maximumWidth()),
                          kFigureHeightShare * height())
                       .toSize());
}

void WelcomePage::setHint(const QString& text) {
  hint_->setText(text);
}

void WelcomePage::setTraining(bool isTraining) {
  isTraining_ = isTraining;
  updateCards();
}

void WelcomePage::setRuns(const std::vector<RunSummary>& runs) {
  std::vector<const RunSummary*> newest;
  for (const RunSummary& run : runs) {
    if (run.problem.empty()) newest.push_back(&run);
  }
  std::sort(newest.begin(), newest.end(), [](const RunSummary* a, const RunSummary* b) {
    return a->record.environment.started > b->record.environment.started;
  });
  clear(*runs_);
  for (std::size_t i = 0; i < std::min<std::size_t>(kListed, newest.size()); ++i) {
    const RunSummary& run = *newest[i];
    QPushButton* row = makeRow(shownName(run), describe(run.record), this);
    connect(row, &QPushButton::clicked, this, [this, path = run.path] {
      Q_EMIT inspectRequested(path);
    });
    runs_->addWidget(row);
  }
  if (newest.empty())
    runs_->addWidget(makeLabel(u"None yet. What you train appears here."_s, u"secondary"_s, this));
  newestRun_ = newest.empty() ? std::filesystem::path() : newest.front()->path;
  newestRunName_ = newest.empty() ? QString() : shownName(*newest.front());
  updateCards();
}

void WelcomePage::setRecentFiles(const QStringList& paths) {
  clear(*files_);
  for (const QString& path : paths.mid(0, kListed)) {
    const QFileInfo file(path);
    QPushButton* row = makeRow(documentNameOf(path), file.absolutePath(), this);
    row->setToolTip(path);
    connect(row, &QPushButton::clicked, this, [this, path] { Q_EMIT fileRequested(path); });
    files_->addWidget(row);
  }
  recent_.runNewest([files = paths.mid(0, kListed)] { return missingOf(files); },
                    [this](const QStringList& missing) {
                      for (QPushButton* row : findChildren<QPushButton*>()) {
                        if (missing.contains(row->toolTip())) row->setEnabled(false);
                      }
                    });
  if (paths.isEmpty()) {
    files_->addWidget(makeLabel(
        u"None yet. Networks that you save appear here; drop a file anywhere to open it."_s,
        u"secondary"_s,
        this));
  }
  auto* open = new QPushButton(u"Open a file …"_s, this);
  connect(open, &QPushButton::clicked, this, &WelcomePage::openRequested);
  files_->addSpacing(6);
  files_->addWidget(open, 0, Qt::AlignLeft);
}

void WelcomePage::updateCards() {
  train_->setText(isTraining_ ? u"Watch the training"_s : u"Train the quickstart"_s);
  trainText_->setText(
      isTraining_
          ? u"A training is under way. Curves, lambda matrices and position embeddings move "
            "as it learns."_s
          : u"A small network with two lambda layers learns where a dot lies relative to a "
            "shape. About a minute on this machine; no data set, no GPU."_s);
  const bool canInspect = isTraining_ || !newestRun_.empty();
  inspect_->setEnabled(canInspect);
  if (isTraining_) {
    inspectText_->setText(
        u"Click a pixel of an image and see what every other pixel adds to its output, in the "
        "network that is being trained."_s);
  } else if (canInspect) {
    inspectText_->setText(
        u"Click a pixel of an image and see what every other pixel adds to its output, in %1."_s
            .arg(fontMetrics().elidedText(
                newestRunName_, Qt::ElideMiddle, qRound(kNameWidth * textScale()))));
  } else {
    inspectText_->setText(
        u"Click a pixel of an image and see what every other pixel adds to its output. Train a "
        "network first."_s);
  }
}

}  // namespace lambda
