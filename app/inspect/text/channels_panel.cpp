#include "app/inspect/text/channels_panel.h"

#include <cmath>

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/text/text_words.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

ChannelsPanel::ChannelsPanel(QWidget* parent)
    : TextSidePanel(parent),
      summary_(makeNote()),
      weights_(new HeatmapView),
      rates_(new QWidget),
      decay_(new HeatmapView),
      bonus_(new HeatmapView),
      readout_(makeNote()) {
  weights_->setAccessibleName(u"Weights of every channel"_s);
  weights_->setPlaceholder(u"Nothing to show yet."_s);
  decay_->setAccessibleName(u"Decay of every channel"_s);
  bonus_->setAccessibleName(u"Bonus of every channel"_s);
  for (HeatmapView* view : {weights_, decay_, bonus_}) {
    view->setStretched(true);
    connect(view, &HeatmapView::cellHovered, this, [this](int tile, int row, int /*column*/) {
      readOut(tile < 0 ? -1 : row);
    });
  }
  decay_->setRange(ColorRange{0, 1});
  decay_->setReadoutVisible(false);
  bonus_->setReadoutVisible(false);
  auto* row = makeBareLayout<QHBoxLayout>(rates_, spacing::kWide);
  row->addWidget(withExport(*decay_));
  row->addWidget(withExport(*bonus_));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(spacing::kWide, spacing::kGap, spacing::kGap, spacing::kGap);
  column->setSpacing(spacing::kGap);
  column->addWidget(summary_);
  column->addWidget(withExport(*weights_), 3);
  column->addWidget(rates_, 2);
  column->addWidget(readout_);
  connect(weights_, &HeatmapView::cellActivated, this, [this](int, int, int token) {
    Q_EMIT positionChosen(token);
  });
  ChannelsPanel::show({});
}

void ChannelsPanel::show(const TextState& state) {
  snapshot_ = state.snapshot;
  readOut(-1);
  const bool haveDecays = snapshot_ && !snapshot_->decays.empty();
  rates_->setVisible(haveDecays);
  readout_->setVisible(haveDecays);
  if (!snapshot_ || snapshot_->channelWeights.empty()) {
    summary_->clear();
    for (HeatmapView* view : {weights_, decay_, bonus_}) view->setData({});
    return;
  }
  const Array& all = snapshot_->channelWeights;
  const HeatmapAxis channels{.label = haveDecays ? u"rank"_s : u"channel"_s};
  HeatmapData weights{.array = all,
                      .name = exportStem(*snapshot_, u"channel-weights"_s),
                      .title = u"Weight of token m in every channel"_s,
                      .caption = exportCaption(*snapshot_, u"Weights of every channel"_s),
                      .rows = channels,
                      .columns = {.label = u"m"_s},
                      .map = haveDecays ? ColorMap::viridis : ColorMap::diverging};
  if (!haveDecays) {
    summary_->setText(u"Every channel has a filter of its own."_s);
    weights_->setData(std::move(weights));
    return;
  }
  const std::vector<ChannelDecay>& decays = snapshot_->decays;
  const auto count = static_cast<std::int64_t>(decays.size());
  Array decay{{count, 1}, {}}, bonus{{count, 1}, {}};
  weights.array.values.clear();
  for (const ChannelDecay& each : decays) {
    const auto first = all.values.begin() + each.channel * all.shape[1];
    weights.array.values.insert(weights.array.values.end(), first, first + all.shape[1]);
    decay.values.push_back(static_cast<float>(std::exp(-each.rate)));
    bonus.values.push_back(static_cast<float>(each.bonus));
  }
  weights_->setData(std::move(weights));
  decay_->setData({.array = decay,
                   .name = exportStem(*snapshot_, u"decay"_s),
                   .title = u"Decay e^−w"_s,
                   .caption = exportCaption(*snapshot_, u"Share of a weight left after a token"_s),
                   .rows = channels,
                   .map = ColorMap::viridis});
  bonus_->setData({.array = bonus,
                   .name = exportStem(*snapshot_, u"bonus"_s),
                   .title = u"Bonus u"_s,
                   .caption = exportCaption(*snapshot_, u"Bonus of the present token"_s),
                   .rows = channels});
  summary_->setText(
      u"Channels by falling half-life ln 2 / w: from %1 down to %2 tokens, half of them above %3."_s
          .arg(numberText(decays.front().halfLife),
               numberText(decays.back().halfLife),
               numberText(decays[decays.size() / 2].halfLife)));
}

void ChannelsPanel::readOut(int row) {
  const bool isKnown =
      snapshot_ && row >= 0 && static_cast<std::size_t>(row) < snapshot_->decays.size();
  if (!isKnown) {
    readout_->setText(u"Point at a row to read its channel."_s);
    return;
  }
  const ChannelDecay& decay = snapshot_->decays[static_cast<std::size_t>(row)];
  readout_->setText(
      u"Channel %1: half-life %2 tokens, e^−w %3, u %4."_s.arg(QString::number(decay.channel),
                                                               numberText(decay.halfLife),
                                                               numberText(std::exp(-decay.rate)),
                                                               numberText(decay.bonus)));
}

QString ChannelsPanel::summary() const {
  return summary_->text();
}

QString ChannelsPanel::readout() const {
  return readout_->text();
}

std::vector<const Exportable*> ChannelsPanel::exports() const {
  return {weights_, decay_, bonus_};
}

QString ChannelsPanel::whyEmpty(const TokenSnapshot& snapshot) const {
  return snapshot.channelWeights.empty()
             ? u"In this layer, all channels of a head have the same weights."_s
             : QString();
}

}  // namespace lambda
