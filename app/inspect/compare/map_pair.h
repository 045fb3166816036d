#pragma once

#include "engine/values/images/array.h"
#include "engine/values/inspection/contribution_maps.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The maps of both sides of a comparison in units that can be compared.
struct MapPair {
  Array left;
  Array right;
  bool areShares = false;  ///< Of the sum of absolute values.
};

bool hasLambdas(const InspectionSnapshot& snapshot);

/// The maps of one quantity, of all heads together: as shares where the layers differ in kind or
/// heads and at least one has no lambdas.
MapPair mapsOf(const InspectionSnapshot& left,
               const InspectionSnapshot& right,
               ContributionKind quantity);

}  // namespace lambda
