#include "app/inspect/compare/comparison.h"

#include <utility>

#include <QCheckBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/inspect/choosers/segmented.h"
#include "app/inspect/choosers/source_chooser.h"
#include "app/inspect/compare/compare_side.h"
#include "app/inspect/compare/difference_column.h"
#include "app/inspect/compare/map_pair.h"
#include "app/inspect/contribution_style.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/session/runs/run_content.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

Comparison::Comparison(TrainingSession& training, CheckpointService& checkpoints, QWidget* parent)
    : QWidget(parent),
      left_(new CompareSide(training, checkpoints)),
      right_(new CompareSide(training, checkpoints)),
      controls_(new QWidget),
      oneScale_(new QCheckBox(u"One scale"_s)),
      difference_(new DifferenceColumn),
      tasks_(*this) {
  QStringList titles;
  for (const ContributionKind quantity : kContributionKinds) titles << titleOf(quantity);
  quantities_ = new Segmented(titles);
  quantities_->setCurrent(static_cast<int>(ContributionKind::total));
  oneScale_->setChecked(true);
  oneScale_->setToolTip(u"Colours mean the same on both sides"_s);
  auto* controls = makeBareLayout<QHBoxLayout>(controls_, 12);
  controls->addWidget(quantities_);
  controls->addWidget(oneScale_);
  auto* sides = new QHBoxLayout;
  sides->setSpacing(16);
  sides->addWidget(left_, 4);
  sides->addWidget(makeLine(Qt::Vertical));
  sides->addWidget(right_, 4);
  sides->addWidget(makeLine(Qt::Vertical));
  sides->addWidget(difference_, 3);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 8, 16, 8);
  column->setSpacing(8);
  column->addLayout(sides, 1);
  difference_->alignWith(*left_);

  connect(quantities_, &Segmented::chosen, this, &Comparison::updateViews);
  connect(oneScale_, &QCheckBox::toggled, this, &Comparison::updateViews);
  for (CompareSide* side : {left_, right_}) {
    connect(&side->chooser(), &SourceChooser::refused, this, &Comparison::refused);
    connect(side, &CompareSide::chosen, this, &Comparison::ask);
    connect(side, &CompareSide::queryChosen, this, &Comparison::setQuery);
    connect(side, &CompareSide::changed, this, &Comparison::updateViews);
  }
  onFontChange(*this, [this] { difference_->alignWith(*left_); });
}

void Comparison::setRuns(const std::vector<RunSummary>& runs) {
  left_->chooser().setRuns(runs);
  right_->chooser().setRuns(runs);
}

void Comparison::setLive(const std::optional<InspectionSource>& live) {
  left_->chooser().setLive(live);
  right_->chooser().setLive(live);
}

void Comparison::begin(const InspectionSource& source,
                       const std::vector<std::filesystem::path>& checked,
                       const std::string& layer) {
  Start start{.kind = source.kind, .run = source.run, .checked = {}};
  if (checked.size() == 2) start.checked = checked;
  const auto hasSource = [](CompareSide* side) {
    return side->feed().source().kind != SourceKind::none;
  };
  if (start != start_ || !hasSource(left_) || !hasSource(right_)) {
    start_ = start;
    choose(start, source, layer);
  }
  for (CompareSide* side : {left_, right_}) side->setLayer(layer);
  ask();
}

void Comparison::choose(const Start& start,
                        const InspectionSource& source,
                        const std::string& layer) {
  const auto find = [start] {
    Found found{.own = checkpointsOf(start.run), .checked = {}};
    for (const std::filesystem::path& run : start.checked) {
      // A run without a checkpoint can't be compared.
      if (!checkpointsOf(run).empty()) found.checked.push_back(run);
    }
    return found;
  };
  tasks_.runNewest(
      find, [this, source, layer](const Found& found) { chooseAmong(found, source, layer); });
}

void Comparison::chooseAmong(const Found& found,
                             const InspectionSource& source,
                             const std::string& layer) {
  const auto showLayer = [this, layer](CompareSide* side) {
    return [this, side, layer] {
      side->setLayer(layer);
      ask();
    };
  };
  if (found.checked.size() == 2) {
    left_->chooser().showRun(found.checked[0], showLayer(left_));
    right_->chooser().showRun(found.checked[1], showLayer(right_));
    return;
  }
  if (source.kind == SourceKind::none) return;
  const auto [first, last] = firstAndLastOf(found.own);
  if (!first.empty()) left_->chooser().showRun(first, showLayer(left_));
  if (source.kind == SourceKind::live) {
    if (first.empty() && left_->chooser().showLive()) showLayer(left_)();
    if (right_->chooser().showLive()) showLayer(right_)();
  } else {
    right_->chooser().showRun(last.empty() ? source.checkpoint : last, showLayer(right_));
  }
}

void Comparison::setImage(const InspectionRequest& image) {
  image_ = image;
  ask();
}

void Comparison::setQuery(double rowShare, double columnShare) {
  rowShare_ = rowShare;
  columnShare_ = columnShare;
  ask();
}

void Comparison::setActive(bool active) {
  left_->feed().setActive(active);
  right_->feed().setActive(active);
}

bool Comparison::isOneScale() const {
  return oneScale_->isChecked();
}

void Comparison::setOneScale(bool one) {
  oneScale_->setChecked(one);
}

void Comparison::ask() {
  left_->ask(image_, rowShare_, columnShare_);
  right_->ask(image_, rowShare_, columnShare_);
}

/// The chosen quantity, or the total where a side does not have it.
ContributionKind Comparison::shownQuantity() const {
  const ContributionKind chosen =
      kContributionKinds[static_cast<std::size_t>(quantities_->current())];
  return haveMaps(chosen) ? chosen : ContributionKind::total;
}

bool Comparison::haveMaps(ContributionKind quantity) const {
  const auto left = left_->snapshot(), right = right_->snapshot();
  return !left || !right ||
         (!headMapsOf(*left, quantity).empty() && !headMapsOf(*right, quantity).empty());
}

void Comparison::updateViews() {
  for (std::size_t i = 0; i < kContributionKinds.size(); ++i) {
    quantities_->setChoiceEnabled(
        static_cast<int>(i),
        kContributionKinds[i] == ContributionKind::total || haveMaps(kContributionKinds[i]));
  }
  const ContributionKind quantity = shownQuantity();
  quantities_->setCurrent(static_cast<int>(quantity));
  CompareSide::Scales scales;
  const auto left = left_->snapshot(), right = right_->snapshot();
  if (oneScale_->isChecked() && left && right) {
    const MapPair maps = mapsOf(*left, *right, quantity);
    scales.areShares = maps.areShares;
    scales.map = commonRange({&maps.left, &maps.right});
    scales.lambda = commonRange({&left->lambdas.total, &right->lambdas.total});
    const Array leftTiles = embeddingData(*left).array, rightTiles = embeddingData(*right).array;
    scales.embeddings = commonRange({&leftTiles, &rightTiles});
  }
  left_->show(quantity, scales);
  right_->show(quantity, scales);
  difference_->show(*left_, *right_, quantity);
}

}  // namespace lambda
