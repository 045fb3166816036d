#pragma once

#include <QRectF>

class QPainter;

namespace lambda {

struct Colors;
struct MixerColors;

/// What the output of a mixer at one position, the query, depends on, as far as a small picture
/// shows it.
struct QueryView {
  /// The positions whose values reach the query.
  enum class Reach {
    map,
    window,
    rowAndColumn,
    rowBefore,  ///< The last `side` positions of the query's row, which end with the query.
  };

  /// What weighs these values.
  enum class Weights {
    filter,         ///< Learned numbers, the same for every image.
    pairs,          ///< A weight for each pair of query and position, made from the image.
    lambda,         ///< The positions are summed into one matrix before a query meets it.
    channelGates,   ///< A factor for each channel.
    positionGates,  ///< A factor for each position.
  };

  Reach reach = Reach::map;
  int side = 0;  ///< Of the window, in positions; on a whole map it weighs more, 0 = none.
  Weights weights = Weights::filter;
  bool ownChannel = false;  ///< A channel of the output depends on the values of its own alone.
  bool causal = false;      ///< No position after the query, row by row, reaches it.

  bool operator==(const QueryView&) const = default;
};

/// Draws the view into the box: at the left a map with the query framed and the positions that it
/// sees filled, each as strongly as its weight; at the right the channels, or the matrix into which
/// positions are summed. Without text.
void paintQueryView(QPainter& painter,
                    const QRectF& box,
                    const QueryView& view,
                    const MixerColors& mixer,
                    const Colors& colors);

}  // namespace lambda
