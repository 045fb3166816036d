#include "app/inspect/panels/prediction_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/panels/panel_parts.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/bar_list.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The predicted and the true class of an image; none of a regression.
std::vector<Bar> barsOf(const Predictions& predictions, std::size_t image) {
  if (!predictions.numbers.empty()) return {};
  const int predicted = predictions.predicted[image], label = predictions.labels[image];
  std::vector<Bar> bars{{.name = className(predictions.classNames, predicted),
                         .value = static_cast<double>(predictions.confidence[image]),
                         .isTrue = predicted == label,
                         .isChosen = true}};
  if (predicted != label) {
    bars.push_back({.name = className(predictions.classNames, label),
                    .value = static_cast<double>(predictions.truthProbability[image]),
                    .isTrue = true});
  }
  return bars;
}

}  // namespace

PredictionPanel::PredictionPanel(QWidget* parent)
    : InspectPanel(parent),
      verdict_(new QLabel),
      details_(makeNote()),
      bars_(new BarList),
      offer_(new QPushButton) {
  verdict_->setWordWrap(true);
  auto* header = new QHBoxLayout;
  header->setSpacing(8);
  header->addWidget(verdict_, 1);
  header->addWidget(makeExportButton(*bars_, *bars_), 0, Qt::AlignTop);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  column->setSpacing(8);
  column->addLayout(header);
  column->addWidget(bars_);
  column->addWidget(details_);
  column->addWidget(offer_, 0, Qt::AlignLeft);
  column->addStretch();
  connect(offer_, &QPushButton::clicked, this, &PredictionPanel::predictionsRequested);
  setOffer(std::nullopt);
  showNone();
}

void PredictionPanel::setVerdict(const PredictionText& words) {
  words_ = words;
  verdict_->setText(words.text);
  setRole(*verdict_, words.role);
}

void PredictionPanel::setOffer(std::optional<Split> split) {
  offer_->setVisible(split.has_value());
  const bool isTest = split == Split::test;
  offer_->setText(isTest ? u"Score the test images"_s : u"Classify the images"_s);
  offer_->setToolTip(isTest ? u"Each scoring of the test set is counted in the run's record."_s
                            : QString());
}

std::vector<const Exportable*> PredictionPanel::exports() const {
  return {bars_};
}

void PredictionPanel::showState(const PanelState& state) {
  setOffer(state.plain && state.plain->isOffered ? std::optional(state.plain->split)
                                                 : std::nullopt);
  if (state.snapshot &&
      !(state.snapshot->probabilities.empty() && state.snapshot->numbers.empty())) {
    showSnapshot(*state.snapshot);
  } else if (state.plain && state.plain->predictions) {
    showPrediction(*state.plain->predictions, state.plain->index);
  } else {
    showNone();
  }
}

void PredictionPanel::showNone() {
  setVerdict({u"No prediction yet."_s, u"secondary"_s});
  bars_->setBars({});
  bars_->setVisible(false);
  details_->setText({});
  details_->setVisible(false);
}

void PredictionPanel::showSnapshot(const InspectionSnapshot& s) {
  std::vector<Bar> bars;
  for (int i = 0; i < static_cast<int>(s.probabilities.size()); ++i) {
    bars.push_back({.name = className(s.classNames, i),
                    .value = static_cast<double>(s.probabilities[static_cast<std::size_t>(i)]),
                    .isTrue = i == s.label,
                    .isChosen = i == s.predicted});
  }
  bars_->setName(exportStem(s, u"prediction"_s));
  bars_->setVisible(!bars.empty());
  bars_->setBars(std::move(bars));
  setVerdict(predictionText(s));
  details_->setText(
      u"%1 after step %2, epoch %3."_s.arg(weightsText(s.weights), countText(s.step)).arg(s.epoch));
  details_->setVisible(true);
}

void PredictionPanel::showPrediction(const Predictions& predictions, int image) {
  const PredictionText words = predictionText(predictions, image);
  if (words.text.isEmpty()) {
    showNone();
    return;
  }
  std::vector<Bar> bars = barsOf(predictions, static_cast<std::size_t>(image));
  bars_->setVisible(!bars.empty());
  bars_->setBars(std::move(bars));
  setVerdict(words);
  details_->setVisible(true);
  details_->setText(u"Weights after step %1, epoch %2."_s.arg(countText(predictions.step))
                        .arg(predictions.epoch));
}

}  // namespace lambda
