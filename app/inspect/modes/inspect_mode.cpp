#include "app/inspect/modes/inspect_mode.h"

namespace lambda {

void InspectMode::begin(const InspectSelection& /*selection*/) {}

void InspectMode::end() {}

bool InspectMode::hasFreeQuery() const {
  return true;
}

}  // namespace lambda
