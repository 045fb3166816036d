#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/architecture/graph.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// Collects the problems of the mixers of one network, block by block in network order.
class MixerCheck {
 public:
  explicit MixerCheck(std::vector<Problem>& problems) : problems_(problems) {}

  void check(const PlacedMixer& place);

  void add(Severity severity,
           const std::string& path,
           std::string text,
           std::optional<Fix> fix = {});

  /// "architecture.stages[0].blocks[1].mixer"
  static std::string pathOf(const PlacedMixer& place);

  /// "Set h to 4"; `value` is JSON.
  static Fix setTo(const std::string& what, const std::string& path, const std::string& value);

  /// Reports a window without a centre, in the field "kernelSize".
  void requireCentre(int kernelSize, const PlacedMixer& place);

  /// Reports heads, in the field "h", that do not divide the width.
  void requireHeads(int heads, const PlacedMixer& place);

  /// Reports heads, in the field "h", that do not divide the width into even depths.
  void requireEvenHeads(int heads, const PlacedMixer& place);

  /// Reports groups, in the field "groups", that do not divide the channels before and after.
  void requireGroups(int groups, const PlacedMixer& place);

  /// Reports a window, in the field "scope", without a centre or beyond the map.
  void requireWindow(int scope, const PlacedMixer& place);

  /// Warns of a map of one position, where there is no context to sum.
  void requireContext(const PlacedMixer& place);

  /// Warns of attention weights that take much memory for every image.
  void requireWeights(double weights, const PlacedMixer& place);

  /// The first block that shares a table of embeddings of that name; `block` itself if no earlier
  /// one does.
  const PlacedMixer& firstOfTable(const std::string& name, const PlacedMixer& place);

 private:
  std::vector<Problem>& problems_;
  std::map<std::string, PlacedMixer> firstOfTables_;
};

/// "8x8"
std::string sizeText(const MapShape& map);

}  // namespace lambda
