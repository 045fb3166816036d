#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/values/architecture/architecture.h"

namespace lambda {

/// The rows of a custom mask: its text, cut at white space.
std::vector<std::string_view> maskRowsOf(const LambdaMixer& mixer);

/// What is wrong with the custom mask of a layer on that map, as a clause; empty if nothing is.
std::string maskFault(const LambdaMixer& mixer, const MapShape& map);

/// The pairs of places on a line of `size` places that are at most `reach` apart, in both orders.
double linePairs(int size, int reach);

/// The pairs of a query and a context position that the layer's mask admits. A mask that does not
/// fit the map gives some number.
double seenPairs(const LambdaMixer& mixer, const MapShape& map);

/// The pairs that the position lambdas of one image sum over. Without a mask, every query counts a
/// whole window, which is at most as large as the map: the FLOPs of the paper's tables 10 and 11
/// follow from this count. With a mask, only pairs inside the map are counted.
double embeddedPairs(const LambdaMixer& mixer, const MapShape& map);

/// Whether a number for each pair of positions would be too much memory: beyond a quarter of a
/// gigabyte.
bool hasTooManyPairs(const MapShape& map);

/// Whether the position lambdas of a local scope can be a convolution of the values (section 3.4).
/// Those of masked and multi-head layers can't.
bool canConvolvePositions(const LambdaMixer& mixer);

/// Whether the layer keeps its position lambdas on the CPU: where its window leaves out nothing of
/// a map that has too many pairs.
bool keepsPositionLambdas(const LambdaMixer& mixer, const MapShape& map);

}  // namespace lambda
