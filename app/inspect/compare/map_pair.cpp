#include "app/inspect/compare/map_pair.h"

namespace lambda {

bool hasLambdas(const InspectionSnapshot& snapshot) {
  return inspectedAs(snapshot.layer) == InspectedAs::lambdas;
}

MapPair mapsOf(const InspectionSnapshot& left,
               const InspectionSnapshot& right,
               ContributionKind quantity) {
  MapPair maps{mapOf(headMapsOf(left, quantity), quantity, -1),
               mapOf(headMapsOf(right, quantity), quantity, -1),
               !(hasLambdas(left) && hasLambdas(right)) &&
                   (left.layer.kind != right.layer.kind || left.layer.heads != right.layer.heads)};
  // Attention weights add up to the number of heads, and those of a lambda layer to anything.
  if (maps.areShares) maps = {sharesOf(maps.left), sharesOf(maps.right), true};
  return maps;
}

}  // namespace lambda
