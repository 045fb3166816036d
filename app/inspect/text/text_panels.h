#pragma once

#include <vector>

#include "app/session/inspection/checkpoint_service.h"
#include "app/session/panel.h"
#include "engine/values/inspection/contribution_maps.h"

namespace lambda {

class Exportable;

/// What all panels for a network of tokens show.
struct TextState {
  TokensPointer snapshot = nullptr;  ///< Null = there is none.
  /// The chosen map; a layer that lacks it shows the total.
  ContributionKind quantity = ContributionKind::total;
  int head = -1;  ///< -1 = all heads together.

  /// The map that is shown.
  ContributionKind shownQuantity() const;
  /// The map [n, m] of that quantity and head; empty without a snapshot.
  Array map() const;
};

/// A panel beside the text.
class TextSidePanel : public Panel {
  Q_OBJECT

 public:
  using Panel::Panel;

  virtual void show(const TextState& state) = 0;

  /// The pictures that can be exported, with different names.
  virtual std::vector<const Exportable*> exports() const = 0;

  /// Why it has nothing to show for this layer; empty where it has.
  virtual QString whyEmpty(const TokenSnapshot& /*snapshot*/) const { return {}; }

 Q_SIGNALS:
  /// A person has chosen another token.
  void positionChosen(int token);
};

}  // namespace lambda
