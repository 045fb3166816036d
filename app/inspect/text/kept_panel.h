#pragma once

#include <array>

#include "app/inspect/text/text_panels.h"

class QLabel;

namespace lambda {

class HeatmapView;

/// What the layer keeps of the tokens up to the chosen one: the state from which it reads on.
class KeptPanel : public TextSidePanel {
  Q_OBJECT

 public:
  explicit KeptPanel(QWidget* parent = nullptr);

  /// The picture of a part, by its index in TokenSnapshot::kept.
  HeatmapView& picture(std::size_t part) { return *pictures_[part]; }

  void show(const TextState& state) override;
  std::vector<const Exportable*> exports() const override;
  QString whyEmpty(const TokenSnapshot& snapshot) const override;

 private:
  static constexpr std::size_t kMost = 3;  // parts of a layer

  QLabel* title_;
  std::array<QLabel*, kMost> notes_;
  std::array<QWidget*, kMost> frames_;
  std::array<HeatmapView*, kMost> pictures_;
};

}  // namespace lambda
