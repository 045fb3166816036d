#pragma once

#include <optional>

#include <QPointF>
#include <QRectF>

#include "widgets/network/drawing/network_layout.h"

namespace lambda {

/// What lies under a point of a network's picture.
struct NetworkHit {
  enum class Kind { nothing, part, addBlock, removeBlock, addStage, chevron, operation };

  Kind kind = Kind::nothing;
  PartId part;        ///< The part itself; for a button that adds, the part to add behind.
  int operation = 0;  ///< The index of an operation within its opened block.

  bool operator==(const NetworkHit&) const = default;
};

/// Finds what lies at a point of the header.
NetworkHit hitInHeader(const NetworkLayout& layout, const QPointF& point);

/// Finds what lies at a point of the body. The buttons on a block are found only where they are
/// shown.
NetworkHit hitInBody(const NetworkLayout& layout,
                     const QPointF& point,
                     const std::optional<PartId>& withButtons,
                     double scale);

/// The blocks that a rectangle of the body touches.
Selection blocksIn(const NetworkLayout& layout, const QRectF& rectangle);

/// The blocks that a line in the body crosses, for two positions of a fast pointer.
Selection blocksAlong(const NetworkLayout& layout, const QPointF& from, const QPointF& to);

}  // namespace lambda
