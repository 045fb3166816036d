#include "app/inspect/text/token_map_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/contribution_style.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/text/text_words.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/theme/spacing.h"

using namespace Qt::StringLiterals;

namespace lambda {

TokenMapPanel::TokenMapPanel(QWidget* parent)
    : TextSidePanel(parent), note_(makeNote()), map_(new HeatmapView) {
  map_->setAccessibleName(u"Map of all tokens"_s);
  map_->setPlaceholder(u"Nothing to show yet."_s);
  auto* header = new QHBoxLayout;
  header->setSpacing(spacing::kGap);
  header->addWidget(note_, 1);
  header->addWidget(
      makeExplanationButton(*this, [this] { return explanation(); }), 0, Qt::AlignTop);
  header->addWidget(makeExportButton(*map_, *map_), 0, Qt::AlignTop);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(spacing::kWide, spacing::kGap, spacing::kGap, spacing::kGap);
  column->setSpacing(spacing::kGap);
  column->addLayout(header);
  column->addWidget(map_, 1);
  connect(map_, &HeatmapView::cellActivated, this, [this](int /*tile*/, int row, int /*column*/) {
    Q_EMIT positionChosen(row);
  });
}

void TokenMapPanel::show(const TextState& state) {
  state_ = state;
  const Array map = state.map();
  if (map.empty()) {
    note_->clear();
    map_->setData({});
    return;
  }
  const ContributionKind quantity = state.shownQuantity();
  note_->setText(u"A row for every token n: what the tokens m before it add. A click chooses n."_s);
  map_->setRange(rangeOf(quantity, map));
  map_->setData(
      {.array = map,
       .name = exportStem(*state.snapshot, u"map-"_s + fileStemOf(quantity)),
       .caption = exportCaption(
           *state.snapshot,
           u"%1 of every token m (across) at every token n (down)"_s.arg(titleOf(quantity))),
       .rows = {.label = u"n"_s},
       .columns = {.label = u"m"_s},
       .map = colorMapOf(quantity)});
  map_->setMark(Cell{state.snapshot->position, state.snapshot->position});
}

std::vector<const Exportable*> TokenMapPanel::exports() const {
  return {map_};
}

ExplanationText TokenMapPanel::explanation() const {
  return {.title = u"Tokens by tokens"_s,
          .formula = {},
          .body =
              u"Row n has the colours of the text when token n is chosen. Nothing stands right of "
              "the diagonal: no token sees a later one. A vertical stripe is a token that many "
              "later ones look at, a diagonal a fixed distance."_s,
          .numbers = {}};
}

}  // namespace lambda
