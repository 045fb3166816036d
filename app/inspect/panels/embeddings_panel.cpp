#include "app/inspect/panels/embeddings_panel.h"

#include <algorithm>
#include <cmath>

#include <QCheckBox>
#include <QHBoxLayout>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/choosers/segmented.h"
#include "app/inspect/panels/panel_parts.h"
#include "widgets/equations/equation_view.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kChange = 0;
constexpr int kNow = 1;

/// The tiles of [k, u, rows, columns] in the given `order` as [k u, rows, columns].
Array reordered(const Array& tiles, const std::vector<int>& order) {
  Array sorted{{tiles.shape[0] * tiles.shape[1], tiles.shape[2], tiles.shape[3]}, {}};
  sorted.values.reserve(tiles.values.size());
  const std::int64_t cells = tiles.shape[2] * tiles.shape[3];
  for (const int tile : order) {
    const auto first = tiles.values.begin() + tile * cells;
    sorted.values.insert(sorted.values.end(), first, first + cells);
  }
  return sorted;
}

std::vector<float> normsOf(const Array& tiles) {
  std::vector<float> norms;
  const auto cells = static_cast<std::size_t>(tiles.shape[2] * tiles.shape[3]);
  for (std::size_t first = 0; first < tiles.values.size(); first += cells) {
    double squares = 0;
    for (std::size_t i = first; i < first + cells; ++i) {
      squares += static_cast<double>(tiles.values[i]) * tiles.values[i];
    }
    norms.push_back(static_cast<float>(std::sqrt(squares)));
  }
  return norms;
}

std::vector<int> orderOf(const std::vector<float>& norms, bool sorted) {
  std::vector<int> order(norms.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  if (sorted) {
    std::stable_sort(order.begin(), order.end(), [&norms](int a, int b) {
      return norms[static_cast<std::size_t>(a)] > norms[static_cast<std::size_t>(b)];
    });
  }
  return order;
}

Equation embeddingsEquation(const InspectableLayer& layer) {
  const bool isAbsolute = layer.embedding == PositionEmbedding::absolute;
  return {.formulas = {u"\\lambda_n^p = E_n^T V = \\sum_m e_{nm} v_m^T"_s,
                       isAbsolute ? u"E \\in \\R^{n \\times m \\times k}"_s
                                  : u"e_{nm} = E_{m-n} \\in \\R^k"_s},
          .number = u"(1)"_s,
          .source = u"Equation 1 of the paper"_s,
          .explanation = isAbsolute ? u"Each tile shows for one of the k query channels how much "
                                      "the value at each position m counts for the framed n, "
                                      "whatever the image contains."_s
                                    : u"Each tile shows for one of the k query channels how much "
                                      "the value at each offset m − n counts, whatever the "
                                      "image contains."_s,
          .letters = layer.queryDepth > 0 ? lettersOf(layer) : QString()};
}

}  // namespace

EmbeddingsPanel::EmbeddingsPanel(QWidget* parent)
    : InspectPanel(parent),
      kind_(new Segmented({u"Change"_s, u"Now"_s})),
      sorted_(new QCheckBox(u"By norm"_s)),
      perTile_(new QCheckBox(u"Scale per tile"_s)),
      tiles_(new HeatmapView),
      patterns_(new HeatmapView) {
  kind_->setAccessibleName(u"Embeddings as they are or as change"_s);
  kind_->setChoiceToolTip(kNow, u"The embeddings as they are, with the initial noise"_s);
  kind_->setChoiceToolTip(kChange, u"What training has changed: now minus before the first step"_s);
  sorted_->setChecked(true);
  sorted_->setToolTip(u"Tiles from the greatest norm to the smallest"_s);
  perTile_->setToolTip(u"Each tile in the whole range of colours"_s);
  patterns_->setTilesPerRow(kPrincipalPatterns);
  patterns_->setColorBarVisible(false);
  patterns_->setReadoutVisible(false);
  auto* header = new QHBoxLayout;
  header->setSpacing(12);
  header->addWidget(kind_);
  header->addWidget(sorted_);
  header->addWidget(perTile_);
  header->addStretch();
  header->addWidget(makeExplanationButton(*this, [this] { return explanation(); }));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 8, 8);
  column->setSpacing(8);
  equation_ = addEquation(embeddingsEquation({}));
  column->addLayout(header);
  column->addWidget(equation_);
  column->addWidget(withExport(*tiles_), 8);
  column->addWidget(withExport(*patterns_), 2);
  connect(kind_, &Segmented::chosen, this, [this](int kind) { setShowsChange(kind == kChange); });
  connect(sorted_, &QCheckBox::toggled, this, &EmbeddingsPanel::updateViews);
  connect(perTile_, &QCheckBox::toggled, this, [this](bool on) { tiles_->setScalePerTile(on); });
  updateViews();
}

void EmbeddingsPanel::showState(const PanelState& state) {
  snapshot_ = state.snapshot;
  if (snapshot_) equation_->setEquation(embeddingsEquation(snapshot_->layer));
  scales_ = state.scales;
  updateViews();
}

std::vector<const Exportable*> EmbeddingsPanel::exports() const {
  return {tiles_, patterns_};
}

void EmbeddingsPanel::saveLayout(QSettings& settings) const {
  InspectPanel::saveLayout(settings);
  settings.setValue(u"change"_s, prefersChange_);
  settings.setValue(u"sorted"_s, sorted_->isChecked());
  settings.setValue(u"scalePerTile"_s, perTile_->isChecked());
}

void EmbeddingsPanel::restoreLayout(QSettings& settings) {
  InspectPanel::restoreLayout(settings);
  setShowsChange(settings.value(u"change"_s, true).toBool());
  sorted_->setChecked(settings.value(u"sorted"_s, true).toBool());
  perTile_->setChecked(settings.value(u"scalePerTile"_s, false).toBool());
}

bool EmbeddingsPanel::showsChange() const {
  return prefersChange_ && knowsChange();
}

void EmbeddingsPanel::setShowsChange(bool change) {
  prefersChange_ = change;
  updateViews();
}

void EmbeddingsPanel::setSorted(bool sorted) {
  sorted_->setChecked(sorted);
}

bool EmbeddingsPanel::knowsChange() const {
  return snapshot_ && !snapshot_->embeddings.change.empty();
}

const Array& EmbeddingsPanel::source() const {
  static const Array none;
  if (!snapshot_) return none;
  const EmbeddingTiles& embeddings = snapshot_->embeddings;
  return showsChange() ? embeddings.change : embeddings.tiles;
}

const PrincipalPatterns& EmbeddingsPanel::foundPatterns() const {
  const EmbeddingTiles& embeddings = snapshot_->embeddings;
  return showsChange() ? embeddings.changePatterns : embeddings.patterns;
}

void EmbeddingsPanel::updateViews() {
  kind_->setChoiceEnabled(kChange, knowsChange() || !snapshot_);
  kind_->setCurrent(showsChange() || (!snapshot_ && prefersChange_) ? kChange : kNow);
  const Array& shown = source();
  tiles_->setPlaceholder(
      snapshot_
          ? u"This layer has no position embeddings: it knows what is in the image, not where."_s
          : u"Nothing to show yet."_s);
  if (shown.shape.size() != 4 || shown.empty()) {
    tiles_->setData({});
    patterns_->setData({});
    patterns_->setVisible(false);
    return;
  }
  const InspectableLayer& layer = snapshot_->layer;
  const std::vector<float> norms = normsOf(shown);
  const std::vector<int> order = orderOf(norms, sorted_->isChecked());
  HeatmapData heat{
      .array = reordered(shown, order),
      .name = exportStem(*snapshot_, showsChange() ? u"embeddings-change"_s : u"embeddings"_s),
      .title = showsChange()   ? u"Change since the start, with norms"_s
               : knowsChange() ? u"Position embeddings, with norms"_s
                               : u"Position embeddings, with norms; their start is not known"_s,
      .rows = offsetAxis(layer, u"y"_s, shown.shape[2]),
      .columns = offsetAxis(layer, u"x"_s, shown.shape[3])};
  heat.caption = exportCaption(*snapshot_, heat.title);
  for (const int tile : order) {
    heat.captions << slotName(layer, tile) + (layer.intraDepth > 1 ? u"\n"_s : u" · "_s) +
                         numberText(static_cast<double>(norms[static_cast<std::size_t>(tile)]), 2);
  }
  tiles_->setData(std::move(heat));
  const std::optional<double>& scale = showsChange() ? scales_.embeddingChange : scales_.embedding;
  tiles_->setRange(scale ? std::optional(ColorRange{-*scale, *scale}) : std::nullopt);
  const bool isRelative = layer.embedding == PositionEmbedding::relative;
  tiles_->setMark(isRelative ? std::nullopt
                             : std::optional(Cell{snapshot_->queryRow, snapshot_->queryColumn}));
  updatePatterns();
}

void EmbeddingsPanel::updatePatterns() {
  const PrincipalPatterns& found = foundPatterns();
  const bool hasPatterns = !found.share.empty();
  patterns_->setVisible(hasPatterns);
  if (!hasPatterns) return;
  float share = 0;
  HeatmapData heat{.array = found.patterns, .name = exportStem(*snapshot_, u"patterns"_s)};
  heat.rows = offsetAxis(snapshot_->layer, u"y"_s, found.patterns.shape[1]);
  heat.columns = offsetAxis(snapshot_->layer, u"x"_s, found.patterns.shape[2]);
  heat.rows.isNumbered = heat.columns.isNumbered = false;
  for (std::size_t i = 0; i < found.share.size(); ++i) {
    share += found.share[i];
    heat.captions << percentText(static_cast<double>(found.share[i]), 0);
  }
  heat.title = u"Principal patterns: together %1 of all tiles"_s.arg(
      percentText(static_cast<double>(share), 0));
  heat.caption = exportCaption(*snapshot_, heat.title);
  patterns_->setData(std::move(heat));
}

ExplanationText EmbeddingsPanel::explanation() const {
  ExplanationText text{
      .title = u"Position embeddings"_s,
      .formula = {},
      .body =
          u"For each of the k query channels the layer learns how much every neighbour "
          "counts, by its offset from the query alone. The dotted axes meet at offset 0. "
          "The initial noise hides what was learnt: see Change. "
          "The tiles are mixtures of the principal patterns below "
          "(singular value decomposition)."_s,
      .numbers = {}};
  const Array& shown = source();
  if (shown.shape.size() != 4 || shown.empty()) return text;
  text.numbers = {{u"Tiles k × u"_s, u"%1 × %2"_s.arg(shown.shape[0]).arg(shown.shape[1])},
                  {u"Offsets"_s, u"%1 × %2"_s.arg(shown.shape[2]).arg(shown.shape[3])}};
  const std::vector<float> norms = normsOf(shown);
  const auto [least, most] = std::minmax_element(norms.begin(), norms.end());
  text.numbers.emplace_back(
      u"Norms"_s,
      numberText(static_cast<double>(*least)) + u" … "_s + numberText(static_cast<double>(*most)));
  const PrincipalPatterns& found = foundPatterns();
  if (!found.share.empty()) {
    text.numbers.emplace_back(u"Share of the first pattern"_s,
                              percentText(static_cast<double>(found.share.front())));
  }
  return text;
}

}  // namespace lambda
