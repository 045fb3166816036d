#include "app/inspect/compare/comparison.h"

#include <algorithm>
#include <utility>

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/compare/compare_side.h"
#include "app/inspect/contribution_style.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/segmented.h"
#include "app/inspect/source_chooser.h"
#include "app/session/run_content.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The maps of both sides in units that can be compared.
struct MapPair {
  Array left;
  Array right;
  bool areShares = false;
};

bool hasLambdas(const InspectionSnapshot& snapshot) {
  return inspectedAs(snapshot.layer) == InspectedAs::lambdas;
}

MapPair mapsOf(const InspectionSnapshot& left,
               const InspectionSnapshot& right,
               ContributionKind quantity) {
  MapPair maps{mapOf(headMapsOf(left, quantity), quantity, -1),
               mapOf(headMapsOf(right, quantity), quantity, -1),
               !(hasLambdas(left) && hasLambdas(right)) &&
                   (left.layer.kind != right.layer.kind || left.layer.heads != right.layer.heads)};
  // Attention weights add up to the number of heads, and those of a lambda layer to anything.
  if (maps.areShares) maps = {sharesOf(maps.left), sharesOf(maps.right), true};
  return maps;
}

/// The difference of the changes since the start, or of the embeddings where a start is not known.
HeatmapData embeddingDifferenceOf(const InspectionSnapshot& left, const InspectionSnapshot& right) {
  HeatmapData heat = embeddingData(left);
  const EmbeddingTiles &a = left.embeddings, &b = right.embeddings;
  const bool haveChange = !a.change.empty() && !b.change.empty();
  const Array difference =
      haveChange ? differenceOf(a.change, b.change) : differenceOf(a.tiles, b.tiles);
  heat.array.values = difference.values;
  if (difference.empty()) heat.array = {};
  heat.name = exportStem(left, u"embeddings-difference"_s);
  heat.title = haveChange ? u"Embeddings, change"_s : u"Embeddings"_s;
  return heat;
}

/// The weights, layer, image and step of a side that shows a snapshot.
QString sideText(CompareSide& side) {
  return exportCaption(*side.snapshot(), side.feed().source().label);
}

QFrame* makeLine() {
  auto* line = new QFrame;
  line->setFrameShape(QFrame::VLine);
  line->setFrameShadow(QFrame::Plain);
  line->setForegroundRole(QPalette::Mid);
  return line;
}

}  // namespace

Comparison::Comparison(TrainingSession& training, InspectionSession& inspection, QWidget* parent)
    : QWidget(parent),
      left_(new CompareSide(training, inspection)),
      right_(new CompareSide(training, inspection)),
      controls_(new QWidget),
      oneScale_(new QCheckBox(u"One scale"_s)),
      mapDifference_(new HeatmapView),
      lambdaDifference_(new HeatmapView),
      embeddingDifference_(new HeatmapView),
      note_(makeNote()),
      differenceHeader_(new QWidget),
      differenceGap_(new QWidget),
      tasks_(*this) {
  QStringList titles;
  for (const ContributionKind quantity : kContributionKinds) titles << titleOf(quantity);
  quantities_ = new Segmented(titles);
  quantities_->setCurrent(static_cast<int>(ContributionKind::total));
  oneScale_->setChecked(true);
  oneScale_->setToolTip(u"Colours mean the same on both sides"_s);
  auto* controls = new QHBoxLayout(controls_);
  controls->setContentsMargins(0, 0, 0, 0);
  controls->setSpacing(12);
  controls->addWidget(quantities_);
  controls->addWidget(oneScale_);
  auto* title = new QLabel(u"Left minus right"_s);
  title->setProperty(kRole, u"heading"_s);
  auto* difference = new QVBoxLayout;
  difference->setSpacing(8);
  auto* header = new QVBoxLayout(differenceHeader_);
  header->setContentsMargins(0, 0, 0, 0);
  header->addWidget(title);
  header->addWidget(note_);
  header->addStretch();
  difference->addWidget(differenceHeader_);
  difference->addWidget(withExport(*mapDifference_), 5);
  difference->addWidget(differenceGap_);
  difference->addWidget(withExport(*lambdaDifference_), 3);
  difference->addWidget(withExport(*embeddingDifference_), 4);
  auto* sides = new QHBoxLayout;
  sides->setSpacing(16);
  sides->addWidget(left_, 4);
  sides->addWidget(makeLine());
  sides->addWidget(right_, 4);
  sides->addWidget(makeLine());
  sides->addLayout(difference, 3);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 8, 16, 8);
  column->setSpacing(8);
  column->addLayout(sides, 1);
  fitToText();

  connect(quantities_, &Segmented::chosen, this, &Comparison::updateViews);
  connect(oneScale_, &QCheckBox::toggled, this, &Comparison::updateViews);
  for (CompareSide* side : {left_, right_}) {
    connect(&side->chooser(), &SourceChooser::refused, this, &Comparison::refused);
    connect(side, &CompareSide::chosen, this, &Comparison::ask);
    connect(side, &CompareSide::queryChosen, this, &Comparison::setQuery);
    connect(side, &CompareSide::changed, this, &Comparison::updateViews);
  }
}

void Comparison::fitToText() {
  // Pictures of one kind stand in one line.
  differenceHeader_->setFixedHeight(left_->headerHeight());
  differenceGap_->setFixedHeight(left_->verdictHeight());
  mapDifference_->setMinimumHeight(left_->image().minimumHeight());
  lambdaDifference_->setMinimumHeight(left_->lambdaView().minimumHeight());
  embeddingDifference_->setMinimumHeight(left_->embeddingsView().minimumHeight());
}

void Comparison::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) fitToText();
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

std::array<HeatmapView*, 3> Comparison::differences() const {
  return {mapDifference_, lambdaDifference_, embeddingDifference_};
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
  updateDifference();
}

void Comparison::updateDifference() {
  const auto left = left_->snapshot(), right = right_->snapshot();
  if (!left || !right) {
    for (HeatmapView* view : differences()) {
      view->setData({});
      view->setPlaceholder({});
    }
    note_->setVisible(false);
    return;
  }
  const bool isSame = left_->feed().source().isSameAs(right_->feed().source()) &&
                      left->layer == right->layer && left->step == right->step;
  if (isSame) {
    for (HeatmapView* view : differences()) {
      view->setData({});
      view->setPlaceholder({});
    }
    mapDifference_->setPlaceholder(
        u"Both sides are the same. Choose another run, checkpoint or layer on one of them."_s);
    note_->setVisible(false);
    return;
  }
  const ContributionKind quantity = shownQuantity();
  const auto captionOf = [this](const QString& what) {
    return u"%1, left minus right. Left: %2. Right: %3"_s.arg(
        what, sideText(*left_), sideText(*right_));
  };
  const MapPair maps = mapsOf(*left, *right, quantity);
  const Array map = differenceOf(maps.left, maps.right);
  const Array lambda = differenceOf(left->lambdas.total, right->lambdas.total);
  mapDifference_->setPlaceholder(
      u"The maps have different sizes: %1×%2 and %3×%4."_s.arg(left->layer.height)
          .arg(left->layer.width)
          .arg(right->layer.height)
          .arg(right->layer.width));
  mapDifference_->setData(
      {.array = map,
       .name = exportStem(*left, u"difference"_s),
       .title = maps.areShares ? u"%1, share"_s.arg(titleOf(quantity)) : titleOf(quantity),
       .caption = captionOf(titleOf(quantity)),
       .rows = {.label = u"row"_s, .isNumbered = false},
       .columns = {.label = u"column"_s, .isNumbered = false}});
  mapDifference_->setMark(Cell{left->queryRow, left->queryColumn});
  const bool areBothLambdas = hasLambdas(*left) && hasLambdas(*right);
  lambdaDifference_->setPlaceholder(
      !areBothLambdas
          ? QString()
          : u"The lambdas have different sizes: %1×%2 and %3×%4."_s.arg(left->layer.lambdaRows())
                .arg(left->layer.valueDepth)
                .arg(right->layer.lambdaRows())
                .arg(right->layer.valueDepth));
  HeatmapData lambdas = lambdaData(*left, lambda, u"difference"_s, u"λ total"_s);
  lambdas.caption = captionOf(u"Lambda matrix: total"_s);
  lambdaDifference_->setData(std::move(lambdas));
  embeddingDifference_->setPlaceholder(areBothLambdas ? u"The layers have different embeddings."_s
                                                      : QString());
  HeatmapData embeddings = embeddingDifferenceOf(*left, *right);
  embeddings.caption = captionOf(embeddings.title);
  embeddingDifference_->setData(std::move(embeddings));
  QStringList notes;
  if (left->image != right->image) {
    notes << u"The runs have different images with this number: the sides do not show the same "
             "picture."_s;
  }
  if (maps.areShares) {
    notes << u"Layers of different kinds: the values are shares of the sum of absolute values."_s;
  }
  note_->setText(notes.join(u' '));
  note_->setVisible(!notes.isEmpty());
}

}  // namespace lambda
