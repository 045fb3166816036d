#include "app/inspect/panels/keys_panel.h"

#include <algorithm>
#include <cmath>

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/panels/panel_parts.h"
#include "widgets/equations/equation_view.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kDeadShare = 0.99;
constexpr double kCollapsedPositions = 1.5;

int positionsOf(const KeyRegions& keys) {
  return keys.regions.shape.size() == 4
             ? static_cast<int>(keys.regions.shape[2] * keys.regions.shape[3])
             : 0;
}

Equation keysEquation(const InspectableLayer& layer) {
  return {.formulas = {u"\\bar{K} = \\text{softmax}_m(K) \\in \\R^{m \\times k}"_s,
                       u"\\lambda^c = \\bar{K}^T V = \\sum_m \\bar{k}_m v_m^T"_s},
          .number = u"(1)"_s,
          .source = u"Equation 1 of the paper"_s,
          .explanation =
              u"Each tile is one of the k channels of the normalised keys: a share of every "
              "position m, bright where the channel gathers its values from."_s,
          .letters = layer.queryDepth > 0 ? lettersOf(layer) : QString()};
}

}  // namespace

KeySlotState stateOf(float entropy, int positions) {
  const auto value = static_cast<double>(entropy);
  if (positions > 1 && value >= kDeadShare * std::log(static_cast<double>(positions))) {
    return KeySlotState::dead;
  }
  return value < std::log(kCollapsedPositions) ? KeySlotState::collapsed : KeySlotState::alive;
}

KeysPanel::KeysPanel(QWidget* parent)
    : InspectPanel(parent), summary_(makeNote()), regions_(new HeatmapView) {
  regions_->setScalePerTile(true);
  auto* header = new QHBoxLayout;
  header->setSpacing(8);
  header->addWidget(summary_, 1);
  header->addWidget(
      makeExplanationButton(*this, [this] { return explanation(); }), 0, Qt::AlignTop);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 8, 8);
  column->setSpacing(8);
  equation_ = addEquation(keysEquation({}));
  column->addWidget(equation_);
  column->addLayout(header);
  column->addWidget(withExport(*regions_), 1);
  showState({});
}

std::vector<const Exportable*> KeysPanel::exports() const {
  return {regions_};
}

void KeysPanel::showState(const PanelState& state) {
  snapshot_ = state.snapshot;
  if (snapshot_) equation_->setEquation(keysEquation(snapshot_->layer));
  const int positions = snapshot_ ? positionsOf(snapshot_->keys) : 0;
  if (positions == 0) {
    regions_->setPlaceholder(!snapshot_                  ? u"Nothing to show yet."_s
                             : !snapshot_->layer.content ? u"This layer has no content lambda, "
                                                           "and so no keys."_s
                                                         : u"Snapshots of an epoch keep no "
                                                           "keys."_s);
    regions_->setData({});
    summary_->setText({});
    return;
  }
  const KeyRegions& keys = snapshot_->keys;
  HeatmapData heat{
      .array = keys.regions,
      .name = exportStem(*snapshot_, u"keys"_s),
      .caption = exportCaption(*snapshot_, u"Weights of all pixels in each key region"_s),
      .rows = {.label = u"row"_s, .isNumbered = false},
      .columns = {.label = u"column"_s, .isNumbered = false},
      .map = ColorMap::viridis};
  int dead = 0, collapsed = 0;
  for (std::size_t slot = 0; slot < keys.entropy.size(); ++slot) {
    const KeySlotState kind = stateOf(keys.entropy[slot], positions);
    dead += kind == KeySlotState::dead;
    collapsed += kind == KeySlotState::collapsed;
    const QString size = kind == KeySlotState::dead ? u"dead"_s
                         : kind == KeySlotState::collapsed
                             ? u"1 position"_s
                             : numberText(std::exp(static_cast<double>(keys.entropy[slot])), 2);
    heat.captions << slotName(snapshot_->layer, static_cast<int>(slot)) +
                         (snapshot_->layer.intraDepth > 1 ? u"\n"_s : u" · "_s) + size;
  }
  regions_->setData(std::move(heat));
  regions_->setBackdrop(snapshot_->image);
  regions_->setMark(Cell{snapshot_->queryRow, snapshot_->queryColumn});
  const auto slotCount = static_cast<int>(keys.entropy.size());
  QString text =
      u"One tile per slot, with its effective number of the %1 positions."_s.arg(positions);
  if (dead > 0) text += u' ' + u"Dead (everywhere alike): %1 of %2."_s.arg(dead).arg(slotCount);
  if (collapsed > 0) {
    text += u' ' + u"Collapsed to one position: %1 of %2."_s.arg(collapsed).arg(slotCount);
  }
  summary_->setText(text);
}

QString KeysPanel::summary() const {
  return summary_->text();
}

ExplanationText KeysPanel::explanation() const {
  ExplanationText text{
      .title = u"Keys as soft regions"_s,
      .formula = {},
      .body =
          u"Each row of the content lambda is a weighted mean of the values. The weights are "
          "a region of the image that sums to 1: bright is where the slot gathers from. "
          "exp(entropy) is its number of positions. A slot with equal weights everywhere "
          "selects nothing; one with a single position has no context."_s,
      .numbers = {}};
  const int positions = snapshot_ ? positionsOf(snapshot_->keys) : 0;
  if (positions == 0) return text;
  const InspectableLayer& layer = snapshot_->layer;
  const std::vector<float>& entropy = snapshot_->keys.entropy;
  const auto [least, most] = std::minmax_element(entropy.begin(), entropy.end());
  text.numbers = {
      {u"Slots"_s, QString::number(layer.lambdaRows() * layer.intraDepth)},
      {u"Smallest region"_s,
       u"%1 positions"_s.arg(numberText(std::exp(static_cast<double>(*least)), 2))},
      {u"Largest region"_s,
       u"%1 of %2"_s.arg(numberText(std::exp(static_cast<double>(*most)), 2)).arg(positions)}};
  return text;
}

}  // namespace lambda
