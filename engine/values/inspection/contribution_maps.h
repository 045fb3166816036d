#pragma once

#include <array>
#include <span>
#include <string_view>

#include "engine/values/inspection/inspection.h"
#include "engine/values/inspection/token_inspection.h"

namespace lambda {

/// Maps to show over an image or a text: how much each context position m contributes to the
/// query's output.
enum class ContributionKind {
  content,   ///< q . kbar_m
  position,  ///< q . e_nm
  total,     ///< q . (kbar_m + e_nm) = A_m
  effect,    ///< ||A_m v_m||
};

inline constexpr std::array kContributionKinds{ContributionKind::content,
                                               ContributionKind::position,
                                               ContributionKind::total,
                                               ContributionKind::effect};

/// The maps of all heads [h, H, W], summed over u; empty where the snapshot has none.
Array headMapsOf(const InspectionSnapshot& snapshot, ContributionKind quantity);

/// The maps of all heads [h, n, m]; empty where the layer has none.
const Array& headMapsOf(const TokenMaps& maps, ContributionKind quantity);

/// One head's map [H, W], or of all heads together (`head` -1): their sum; for the effect, which is
/// a norm, the root of the sum of squares, the norm over the channels of all heads. Empty for a
/// head that does not exist.
Array mapOf(const Array& headMaps, ContributionKind quantity, int head);

/// The map as shares of the sum of its absolute values, so that maps of layers of different kinds
/// have one scale. A map of zeros stays as it is.
Array sharesOf(Array map);

/// a - b where both have the same shape, otherwise empty.
Array differenceOf(const Array& a, const Array& b);

/// The root of the sum of squares.
double norm(std::span<const float> values);

}  // namespace lambda
