#pragma once

#include "app/inspect/text/text_panels.h"
#include "widgets/pictures/explanation.h"

class QLabel;

namespace lambda {

class HeatmapView;

/// The contributions of all tokens to all tokens. A click on a row chooses its token.
class TokenMapPanel : public TextSidePanel {
  Q_OBJECT

 public:
  explicit TokenMapPanel(QWidget* parent = nullptr);

  HeatmapView& map() { return *map_; }

  void show(const TextState& state) override;
  std::vector<const Exportable*> exports() const override;

 private:
  ExplanationText explanation() const;

  TextState state_;
  QLabel* note_;
  HeatmapView* map_;
};

}  // namespace lambda
