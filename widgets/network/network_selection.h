#pragma once

#include <optional>

#include <QtCore/Qt>

#include "widgets/network/drawing/network_painter.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// The selected parts of a network, and the part with the keyboard focus: what a press or a key
/// selects next.
class NetworkSelection {
 public:
  /// What is to be selected, and the part that gets the focus.
  struct Step {
    Selection parts;
    PartId current;
  };

  const Selection& parts() const { return parts_; }

  /// The part with the keyboard focus.
  const std::optional<PartId>& current() const { return current_; }

  /// The operation with the keyboard focus, within that part.
  const std::optional<OperationMark>& operation() const { return operation_; }

  /// Selects parts, and no operation. Returns whether other parts were selected.
  bool select(Selection parts, std::optional<PartId> current);

  void setCurrent(const PartId& part) { current_ = part; }

  /// The first part of a range, which Shift extends.
  void setAnchor(std::optional<PartId> part) { anchor_ = part; }

  void setOperation(std::optional<OperationMark> operation) { operation_ = operation; }

  /// Forgets what the network lacks. Returns whether that was selected.
  bool keepExisting(const Architecture& architecture);

  /// A press on a part: Ctrl toggles it, Shift extends the range to it.
  Step press(const Architecture& architecture, const PartId& part, Qt::KeyboardModifiers modifiers);

  /// A step with an arrow key, Home or End: Ctrl moves only the focus, Shift extends the range.
  Step walk(const Architecture& architecture, int key, Qt::KeyboardModifiers modifiers);

 private:
  Selection rangeTo(const Architecture& architecture, const PartId& part) const;

  Selection parts_;
  std::optional<PartId> current_;
  std::optional<PartId> anchor_;
  std::optional<OperationMark> operation_;
};

/// One step in the picture: up and down within a column, from its header to its last block; left
/// and right to the same line of the next column.
PartId neighbourOf(const Architecture& architecture, const PartId& part, int key);

}  // namespace lambda
