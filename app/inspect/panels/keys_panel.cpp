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
          .source = KeysPanel::tr("Equation 1 of the paper"),
          .explanation = KeysPanel::tr(
              "Each tile is one of the k channels of the normalised keys: a share of every "
              "position m, bright where the channel gathers its values from."),
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
    regions_->setPlaceholder(!snapshot_                  ? tr("Nothing to show yet.")
                             : !snapshot_->layer.content ? tr("This layer has no content lambda, "
                                                              "and so no keys.")
                                                         : tr("Snapshots of an epoch keep no "
                                                              "keys."));
    regions_->setData({});
    summary_->setText({});
    return;
  }
  const KeyRegions& keys = snapshot_->keys;
  HeatmapData heat{
      .array = keys.regions,
      .name = exportStem(*snapshot_, u"keys"_s),
      .caption = exportCaption(*snapshot_, tr("Weights of all pixels in each key region")),
      .rows = {.label = tr("row"), .isNumbered = false},
      .columns = {.label = tr("column"), .isNumbered = false},
      .map = ColorMap::viridis};
  int dead = 0, collapsed = 0;
  for (std::size_t slot = 0; slot < keys.entropy.size(); ++slot) {
    const KeySlotState kind = stateOf(keys.entropy[slot], positions);
    dead += kind == KeySlotState::dead;
    collapsed += kind == KeySlotState::collapsed;
    const QString size = kind == KeySlotState::dead ? tr("dead")
                         : kind == KeySlotState::collapsed
                             ? tr("1 position")
                             : numberText(std::exp(static_cast<double>(keys.entropy[slot])), 2);
    heat.captions << slotName(snapshot_->layer, static_cast<int>(slot)) +
                         (snapshot_->layer.intraDepth > 1 ? u"\n"_s : u" · "_s) + size;
  }
  regions_->setData(std::move(heat));
  regions_->setBackdrop(snapshot_->image);
  regions_->setMark(Cell{snapshot_->queryRow, snapshot_->queryColumn});
  const auto slotCount = static_cast<int>(keys.entropy.size());
  QString text =
      tr("One tile per slot, with its effective number of the %1 positions.").arg(positions);
  if (dead > 0) text += u' ' + tr("Dead (everywhere alike): %1 of %2.").arg(dead).arg(slotCount);
  if (collapsed > 0) {
    text += u' ' + tr("Collapsed to one position: %1 of %2.").arg(collapsed).arg(slotCount);
  }
  summary_->setText(text);
}

QString KeysPanel::summary() const {
  return summary_->text();
}

ExplanationText KeysPanel::explanation() const {
  ExplanationText text{
      .title = tr("Keys as soft regions"),
      .formula = {},
      .body = tr("Each row of the content lambda is a weighted mean of the values. The weights are "
                 "a region of the image that sums to 1: bright is where the slot gathers from. "
                 "exp(entropy) is its number of positions. A slot with equal weights everywhere "
                 "selects nothing; one with a single position has no context."),
      .numbers = {}};
  const int positions = snapshot_ ? positionsOf(snapshot_->keys) : 0;
  if (positions == 0) return text;
  const std::vector<float>& entropy = snapshot_->keys.entropy;
  const auto [least, most] = std::minmax_element(entropy.begin(), entropy.end());
  text.numbers = {
      {tr("Slots k × u"),
       u"%1 × %2"_s.arg(snapshot_->layer.queryDepth).arg(snapshot_->layer.intraDepth)},
      {tr("Smallest region"),
       tr("%1 positions").arg(numberText(std::exp(static_cast<double>(*least)), 2))},
      {tr("Largest region"),
       tr("%1 of %2").arg(numberText(std::exp(static_cast<double>(*most)), 2)).arg(positions)}};
  return text;
}

}  // namespace lambda
