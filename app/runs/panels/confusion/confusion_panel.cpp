#include "app/runs/panels/confusion/confusion_panel.h"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/runs/compare/confused_images.h"
#include "app/runs/panels/choice_bar.h"
#include "app/runs/panels/confusion/cell_images.h"
#include "app/runs/run_row.h"
#include "app/runs/run_table_model.h"
#include "app/session/inspection/checkpoint_service.h"
#include "app/session/runs/lacking_images.h"
#include "app/session/studio_settings.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/explanation.h"
#include "widgets/plots/scatter/truth_plot.h"
#include "widgets/tables/confusion_view.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/grip_splitter.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kTextWidth = 520;

const QString kScaleKey = u"confusionScale"_s;
const QString kSplitterKey = u"confusionSplitter"_s;

ExplanationText explanation(const Predictions* predictions) {
  ExplanationText text;
  if (predictions && !predictions->numbers.empty()) {
    text.title = u"How well are the numbers predicted?"_s;
    text.body =
        u"A point for each image: right predictions lie on the dashed line. R² is the share of the "
        "numbers' variance that the predictions explain: 1 is perfect, 0 is reached by always "
        "answering the mean.<br><br>Click a point to inspect its image."_s;
    return text;
  }
  text.title = u"What is predicted as what?"_s;
  text.body =
      u"A row has all images of one class, a column all that were predicted as one. Correct "
      "predictions are on the diagonal. The colour of the others grows with their share of the "
      "row, up to the most "
      "frequent mistake.<br><br>Click a cell to see the images behind it."_s;
  if (predictions) {
    text.numbers = {{u"Images"_s, countText(predictions->labels.size())},
                    {u"Correct"_s, accuracyText(shareOfRight(*predictions))}};
  }
  return text;
}

}  // namespace

ConfusionPanel::ConfusionPanel(const RunsContext& context)
    : runs_(context.runs),
      store_(context.checkpoints.predictions()),
      images_(context.checkpoints.images()),
      splits_(new ChoiceBar({u"Validation images"_s, u"Test images"_s}, u"Images"_s, this)),
      scales_(new ChoiceBar({u"Counts"_s, u"Per cent"_s}, u"Cells"_s, this)),
      summary_(new QLabel(this)),
      again_(new QToolButton(this)),
      pages_(new QStackedWidget(this)) {
  pages_->addWidget(makeMessage());
  pages_->addWidget(makeResult());
  pages_->addWidget(makeNumbers());
  summary_->setProperty(kRole, u"secondary"_s);
  again_->setText(u"Classify again"_s);
  again_->setToolTip(u"With the best weights so far"_s);
  again_->setProperty(kRole, u"quiet"_s);
  auto* row = new FlowLayout(spacing::kGap);
  row->addWidget(splits_);
  row->addWidget(scales_);
  row->addWidget(summary_);
  row->addWidget(again_);
  row->beginRight();
  row->addWidget(makeExplanationButton(*this, [this] { return explanation(shown_.get()); }));
  matrixExport_ = makeExportButton(*view_, *view_);
  row->addWidget(matrixExport_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  column->setSpacing(4);
  column->addLayout(row);
  column->addWidget(pages_, 1);

  connect(splits_, &ChoiceBar::chosen, this, [this] {
    refresh();
    scoreUnasked();
  });
  connect(scales_, &ChoiceBar::chosen, this, [this](int scale) {
    view_->setScale(static_cast<ConfusionScale>(scale));
  });
  connect(&store_, &PredictionStore::changed, this, &ConfusionPanel::refresh);
  connect(view_, &ConfusionView::cellChosen, this, &ConfusionPanel::showImages);
  connect(view_, &ConfusionView::choiceCleared, this, &ConfusionPanel::showImages);
  connect(cellImages_, &CellImages::inspectClicked, this, [this](int image) {
    Q_EMIT inspectImageRequested(run_, split(), image);
  });
  connect(again_, &QToolButton::clicked, this, [this] { store_.ask(run_, split()); });
  onFontChange(*this, [this] { updateSizes(); });
}

QWidget* ConfusionPanel::makeMessage() {
  auto* page = new QWidget(this);
  messageColumn_ = new QWidget(page);
  updateSizes();
  title_ = new QLabel(messageColumn_);
  title_->setTextFormat(Qt::PlainText);
  title_->setWordWrap(true);
  title_->setProperty(kRole, u"heading"_s);
  title_->setAlignment(Qt::AlignHCenter);
  text_ = new QLabel(messageColumn_);
  text_->setTextFormat(Qt::PlainText);
  text_->setProperty(kRole, u"secondary"_s);
  text_->setAlignment(Qt::AlignHCenter);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  progress_ = new QProgressBar(messageColumn_);
  button_ = new QPushButton(messageColumn_);
  auto* column = new QVBoxLayout(messageColumn_);
  column->setSpacing(12);
  column->addWidget(title_);
  column->addWidget(text_);
  column->addWidget(progress_);
  column->addWidget(button_, 0, Qt::AlignHCenter);
  auto* place = new QVBoxLayout(page);
  auto* line = new QHBoxLayout;
  line->addStretch(1);
  line->addWidget(messageColumn_);
  line->addStretch(1);
  place->addStretch(2);
  place->addLayout(line);
  place->addStretch(3);
  connect(button_, &QPushButton::clicked, this, [this] {
    if (store_.entry(run_, split()).isRunning) {
      store_.cancel(run_, split());
    } else {
      store_.ask(run_, split());
    }
  });
  return page;
}

QWidget* ConfusionPanel::makeResult() {
  result_ = new GripSplitter(Qt::Horizontal, this);
  view_ = new ConfusionView(result_);
  cellImages_ = new CellImages(result_);
  result_->addWidget(view_);
  result_->addWidget(cellImages_);
  result_->setStretchFactor(0, 2);
  result_->setStretchFactor(1, 3);
  result_->setStandardSizes({2000, 3000});
  return result_;
}

QWidget* ConfusionPanel::makeNumbers() {
  numbersPage_ = new QWidget(this);
  number_ = new QComboBox(numbersPage_);
  number_->setAccessibleName(u"Number"_s);
  truth_ = new TruthPlot(numbersPage_);
  auto* row = new QHBoxLayout;
  row->addWidget(number_);
  row->addStretch();
  row->addWidget(makeExportButton(*truth_, *truth_));
  auto* column = new QVBoxLayout(numbersPage_);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(row);
  column->addWidget(truth_, 1);
  connect(number_, &QComboBox::currentIndexChanged, this, &ConfusionPanel::showNumbers);
  connect(truth_, &TruthPlot::imageChosen, this, [this](int image) {
    Q_EMIT inspectImageRequested(run_, split(), image);
  });
  return numbersPage_;
}

Split ConfusionPanel::split() const {
  return splits_->current() == 0 ? Split::validation : Split::test;
}

void ConfusionPanel::setCurrentRun(const std::filesystem::path& run) {
  if (run_ == run) return;
  run_ = run;
  view_->setCurrent(std::nullopt);
  refresh();
}

void ConfusionPanel::saveLayout(QSettings& settings) const {
  settings.setValue(kScaleKey, scales_->current());
  settings.setValue(kSplitterKey, result_->saveState());
}

void ConfusionPanel::restoreLayout(QSettings& settings) {
  scales_->setCurrent(settings.value(kScaleKey, 0).toInt());
  view_->setScale(static_cast<ConfusionScale>(scales_->current()));
  result_->restoreLayout(settings.value(kSplitterKey).toByteArray());
}

void ConfusionPanel::showEvent(QShowEvent* event) {
  RunsPanel::showEvent(event);
  refresh();
}

void ConfusionPanel::updateSizes() {
  // A column with a fixed width: wrapped texts know their height only within one.
  messageColumn_->setFixedWidth(qRound(kTextWidth * textScale()));
}

void ConfusionPanel::refresh() {
  if (!isVisible()) return;
  const int index = runs_.indexOf(run_);
  if (index < 0) {
    showMessage(
        u"No run is selected"_s, u"Select a run in the table to see what it confuses."_s, {});
    return;
  }
  const RunRow& row = runs_.row(index);
  if (!row.hasRecord()) {
    showMessage(u"There are no weights"_s,
                row.isImported() ? u"An imported log has only curves."_s
                                 : u"The run's record can't be read, so neither can its network."_s,
                {});
    return;
  }
  const PredictionStore::Entry entry = store_.entry(run_, split());
  if (entry.isRunning) {
    showProgress(entry);
  } else if (!entry.failure.isEmpty()) {
    showFailure(row.run.record, entry.failure);
  } else if (entry.predictions) {
    showPredictions(entry.predictions);
  } else if (isKnownToLack(row.run.record, split())) {
    showLack();
  } else {
    showBeginning();
  }
}

/// Scores the test images that were chosen, where the person does not want to be asked.
void ConfusionPanel::scoreUnasked() {
  const int index = runs_.indexOf(run_);
  if (split() != Split::test || readStudioSettings().asksBeforeTestScore || index < 0) return;
  const PredictionStore::Entry entry = store_.entry(run_, Split::test);
  const bool isUnknown = !entry.isRunning && !entry.predictions && entry.failure.isEmpty();
  const RunRow& row = runs_.row(index);
  const bool mayHaveImages = row.hasRecord() && !isKnownToLack(row.run.record, Split::test);
  if (isUnknown && mayHaveImages) store_.ask(run_, Split::test);
}

void ConfusionPanel::showBeginning() {
  const RunRow& row = runs_.row(runs_.indexOf(run_));
  if (split() == Split::validation) {
    switch (row.run.record.config.architecture.task) {
      case Task::classification:
        return showMessage(u"What does %1 confuse?"_s.arg(row.name()),
                           u"Its best checkpoint classifies every validation image. That takes "
                           "from a few seconds to a minute, in the background."_s,
                           u"Classify the validation images"_s);
      case Task::regression:
        return showMessage(u"How well does %1 predict?"_s.arg(row.name()),
                           u"Its best checkpoint predicts the numbers of every validation image. "
                           "That takes from a few seconds to a minute, in the background."_s,
                           u"Predict the numbers"_s);
      case Task::tokens:
        return showMessage(
            u"There are no images"_s,
            u"%1 predicts tokens of sequences, which this table can't show."_s.arg(row.name()),
            {});
    }
  }
  const int looks = row.run.record.testEvaluations;
  const QString before =
      looks == 0 ? u"This run's test images have not been scored yet."_s
                 : u"This run's test images have been scored %1."_s.arg(timesText(looks));
  showMessage(
      u"This scores the test set"_s,
      before + u' ' +
          u"Each scoring is counted in the run's record. Changes that follow from it fit the "
          "network to the test set, and its score no longer holds for new images. "
          "Choose by the validation images instead."_s,
      u"Score the test images"_s);
}

void ConfusionPanel::showLack() {
  showMessage(
      split() == Split::test ? u"There are no test images"_s : u"There are no validation images"_s,
      lackingText(split()),
      {});
}

/// Classifying also fails where there are no images, and trying again would not change that.
void ConfusionPanel::showFailure(const RunRecord& record, const QString& reason) {
  const ImagesPointer images =
      images_.images(record.config.data, split(), *this, [this] { refresh(); });
  if (images && images->count() == 0) return showLack();
  showMessage(u"Could not classify the images"_s, reason, u"Try again"_s);
}

void ConfusionPanel::showMessage(const QString& title, const QString& text, const QString& button) {
  shown_.reset();
  summary_->clear();
  again_->hide();
  title_->setText(title);
  text_->setText(text);
  progress_->hide();
  button_->setText(button);
  button_->setVisible(!button.isEmpty());
  pages_->setCurrentIndex(0);
}

void ConfusionPanel::showProgress(const PredictionStore::Entry& entry) {
  const bool isReading = entry.total == 0;
  showMessage(u"Classifying …"_s,
              isReading ? u"Reading the weights and the images"_s
                        : u"%1 of %2 images"_s.arg(countText(entry.done), countText(entry.total)),
              u"Cancel"_s);
  progress_->setRange(0, static_cast<int>(entry.total));
  progress_->setValue(static_cast<int>(entry.done));
  progress_->show();
}

void ConfusionPanel::showPredictions(const std::shared_ptr<const Predictions>& predictions) {
  const bool areNumbers = !predictions->numbers.empty();
  pages_->setCurrentIndex(areNumbers ? 2 : 1);
  scales_->setVisible(!areNumbers);
  matrixExport_->setVisible(!areNumbers);
  // A repeated scoring of the test set must be requested like the first one.
  const RunRecord& record = runs_.row(runs_.indexOf(run_)).run.record;
  again_->setVisible(split() == Split::validation && record.epochsDone > predictions->epoch);
  if (shown_ == predictions) return;
  shown_ = predictions;
  if (areNumbers) {
    const QSignalBlocker blocker(number_);
    number_->clear();
    for (const NumberColumn& column : predictions->numbers) {
      number_->addItem(QString::fromStdString(column.name));
    }
    number_->setVisible(number_->count() > 1);
    return showNumbers();
  }
  const RunRow& row = runs_.row(runs_.indexOf(run_));
  QStringList names;
  for (const std::string& name : predictions->classNames) names << QString::fromStdString(name);
  const QString what = split() == Split::test ? u"test images"_s : u"validation images"_s;
  summary_->setText(
      u"%1 of %2 images correct, epoch %3"_s
          .arg(accuracyText(shareOfRight(*predictions)), countText(predictions->labels.size()))
          .arg(predictions->epoch));
  view_->setMatrix(
      confusionOf(*predictions),
      names,
      u"%1, %2, epoch %3"_s.arg(row.name(), what, QString::number(predictions->epoch)));
  showImages();
}

void ConfusionPanel::showNumbers() {
  if (!shown_ || number_->currentIndex() < 0) return;
  const NumberColumn& column = shown_->numbers[static_cast<std::size_t>(number_->currentIndex())];
  summary_->setText(u"%1, R² %2 over %3 images, epoch %4"_s
                        .arg(QString::fromStdString(column.name),
                             numberText(r2Of(column), 4),
                             countText(column.truth.size()))
                        .arg(shown_->epoch));
  truth_->setNumbers(column);
}

void ConfusionPanel::showImages() {
  const int index = runs_.indexOf(run_);
  if (!shown_ || index < 0) return;
  const std::optional<Cell> cell = view_->current();
  const ImagesPointer images = images_.images(
      runs_.row(index).run.record.config.data,
      split(),
      *this,
      [this] { showImages(); },
      [this, predictions = shown_](const QString& reason) {
        if (predictions == shown_) cellImages_->setProblem(reason);
      });
  cellImages_->setContent(shown_, images, cell, cell ? view_->sentenceFor(*cell) : QString());
}

}  // namespace lambda
