#pragma once

#include "app/inspect/text/text_panels.h"

class QLabel;

namespace lambda {

class HeatmapView;

/// The weights of the tokens at the chosen one in every channel, where each channel has its own:
/// those of RWKV by falling half-life, with decay and bonus.
class ChannelsPanel : public TextSidePanel {
  Q_OBJECT

 public:
  explicit ChannelsPanel(QWidget* parent = nullptr);

  HeatmapView& weights() { return *weights_; }

  HeatmapView& decay() { return *decay_; }

  HeatmapView& bonus() { return *bonus_; }

  /// "Half-lives from 0.21 to 310 tokens, half of them above 4.5."
  QString summary() const;

  /// "Channel 17: half-life 45 tokens, e^−w 0.985, u −0.3."
  QString readout() const;

  void show(const TextState& state) override;
  std::vector<const Exportable*> exports() const override;
  QString whyEmpty(const TokenSnapshot& snapshot) const override;

 private:
  void readOut(int row);

  TokensPointer snapshot_;
  QLabel* summary_;
  HeatmapView* weights_;
  QWidget* rates_;
  HeatmapView* decay_;
  HeatmapView* bonus_;
  QLabel* readout_;
};

}  // namespace lambda
