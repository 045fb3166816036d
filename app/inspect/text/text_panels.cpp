#include "app/inspect/text/text_panels.h"

namespace lambda {

ContributionKind TextState::shownQuantity() const {
  if (!snapshot || headMapsOf(*snapshot->maps, quantity).empty()) return ContributionKind::total;
  return quantity;
}

Array TextState::map() const {
  if (!snapshot) return {};
  return mapOf(headMapsOf(*snapshot->maps, shownQuantity()), shownQuantity(), head);
}

}  // namespace lambda
