#include "widgets/network/network_selection.h"

#include <algorithm>
#include <utility>

namespace lambda {

bool NetworkSelection::select(Selection parts, std::optional<PartId> current) {
  current_ = current;
  operation_.reset();
  const bool areOthers = parts != parts_;
  parts_ = std::move(parts);
  return areOthers;
}

bool NetworkSelection::keepExisting(const Architecture& architecture) {
  for (std::optional<PartId>* part : {&current_, &anchor_}) {
    if (*part && !contains(architecture, **part)) part->reset();
  }
  const Selection left = existing(architecture, parts_);
  return std::exchange(parts_, left) != left;
}

NetworkSelection::Step NetworkSelection::press(const Architecture& architecture,
                                               const PartId& part,
                                               Qt::KeyboardModifiers modifiers) {
  if (modifiers & Qt::ShiftModifier && anchor_) return {rangeTo(architecture, part), part};
  anchor_ = part;
  if (!(modifiers & Qt::ControlModifier)) return {{part}, part};
  Selection next = parts_;
  if (!next.erase(part)) next.insert(part);
  return {next, part};
}

NetworkSelection::Step NetworkSelection::walk(const Architecture& architecture,
                                              int key,
                                              Qt::KeyboardModifiers modifiers) {
  const PartId from = current_.value_or(kInputPart);
  const PartId to = current_ ? neighbourOf(architecture, from, key) : from;
  if (modifiers & Qt::ControlModifier) return {parts_, to};
  if (modifiers & Qt::ShiftModifier) {
    if (!anchor_) anchor_ = from;
    return {rangeTo(architecture, to), to};
  }
  anchor_ = to;
  return {{to}, to};
}

/// All parts of the anchor's kind between it and `part`.
Selection NetworkSelection::rangeTo(const Architecture& architecture, const PartId& part) const {
  const PartId anchor = anchor_.value_or(part);
  const auto [first, last] = std::minmax(anchor, part);
  Selection range{part};
  if (anchor.kind == PartKind::stage) {
    for (int stage = 0; stage < std::ssize(architecture.stages); ++stage) {
      const PartId id = stagePart(stage);
      if (first <= id && id <= last) range.insert(id);
    }
    return range;
  }
  for (const PartId& block : allBlocks(architecture)) {
    if (first <= block && block <= last) range.insert(block);
  }
  return range;
}

PartId neighbourOf(const Architecture& architecture, const PartId& part, int key) {
  const int stages = static_cast<int>(architecture.stages.size());
  const auto blocksIn = [&](int stage) {
    return static_cast<int>(architecture.stages[static_cast<std::size_t>(stage)].blocks.size());
  };
  if (key == Qt::Key_Home) return kInputPart;
  if (key == Qt::Key_End) return kHeadPart;
  if (key == Qt::Key_Up || key == Qt::Key_Down) {
    if (part.stage < 0) return part;
    const int line = part.block + (key == Qt::Key_Up ? -1 : 1);
    if (line < 0) return stagePart(part.stage);
    return line < blocksIn(part.stage) ? blockPart(part.stage, line) : part;
  }
  const int step = key == Qt::Key_Left ? -1 : 1;
  int stage = part.stage + step;
  if (part.kind == PartKind::input) return step > 0 ? kStemPart : part;
  if (part.kind == PartKind::stem) {
    if (step < 0) return kInputPart;
    stage = 0;
  }
  if (part.kind == PartKind::head) {
    if (step > 0) return part;
    stage = stages - 1;
  }
  if (stage < 0) return kStemPart;
  if (stage >= stages) return kHeadPart;
  const int line = std::min(part.block, blocksIn(stage) - 1);
  return line < 0 ? stagePart(stage) : blockPart(stage, line);
}

}  // namespace lambda
