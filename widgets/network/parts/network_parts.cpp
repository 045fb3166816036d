#include "widgets/network/parts/network_parts.h"

#include <charconv>
#include <tuple>

namespace lambda {

namespace {

constexpr std::string_view kRoot = "architecture.";

/// Reads and removes the number between `opening` and "]" at the start of `text`; -1 where there is
/// none.
int takeIndex(std::string_view& text, std::string_view opening) {
  if (!text.starts_with(opening)) return -1;
  const std::size_t close = text.find(']');
  if (close == std::string_view::npos) return -1;
  int index = -1;
  const char* end = text.data() + close;
  const auto parsed = std::from_chars(text.data() + opening.size(), end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end || index < 0) return -1;
  text.remove_prefix(close + 1);
  return index;
}

bool leadsInto(std::string_view path, std::string_view name) {
  return path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '.');
}

}  // namespace

std::strong_ordering PartId::operator<=>(const PartId& other) const {
  // Stages and blocks lie between the stem and the head.
  const auto rank = [](PartKind of) {
    switch (of) {
      case PartKind::input:
        return 0;
      case PartKind::stem:
        return 1;
      case PartKind::stage:
      case PartKind::block:
        return 2;
      case PartKind::head:
        return 3;
    }
    return 0;
  };
  const auto key = [&](const PartId& part) {
    return std::tuple(rank(part.kind), part.stage, part.block);
  };
  return key(*this) <=> key(other);
}

bool contains(const Architecture& architecture, const PartId& part) {
  if (part.kind != PartKind::stage && part.kind != PartKind::block) return true;
  if (part.stage < 0 || part.stage >= std::ssize(architecture.stages)) return false;
  const Stage& stage = architecture.stages[static_cast<std::size_t>(part.stage)];
  return part.kind == PartKind::stage || (part.block >= 0 && part.block < std::ssize(stage.blocks));
}

Selection existing(const Architecture& architecture, const Selection& selection) {
  Selection found;
  for (const PartId& part : selection) {
    if (contains(architecture, part)) found.insert(part);
  }
  return found;
}

Selection allBlocks(const Architecture& architecture) {
  Selection blocks;
  for (int stage = 0; stage < std::ssize(architecture.stages); ++stage) {
    blocks.merge(blocksOf(architecture, {stagePart(stage)}));
  }
  return blocks;
}

Selection blocksOf(const Architecture& architecture, const Selection& selection) {
  Selection blocks;
  for (const PartId& part : existing(architecture, selection)) {
    if (part.kind == PartKind::block) blocks.insert(part);
    if (part.kind != PartKind::stage) continue;
    const Stage& stage = architecture.stages[static_cast<std::size_t>(part.stage)];
    for (int block = 0; block < std::ssize(stage.blocks); ++block) {
      blocks.insert(blockPart(part.stage, block));
    }
  }
  return blocks;
}

const Block& blockOf(const Architecture& architecture, const PartId& part) {
  return architecture.stages.at(static_cast<std::size_t>(part.stage))
      .blocks.at(static_cast<std::size_t>(part.block));
}

Block& blockOf(Architecture& architecture, const PartId& part) {
  return architecture.stages.at(static_cast<std::size_t>(part.stage))
      .blocks.at(static_cast<std::size_t>(part.block));
}

std::string pathOf(const PartId& part) {
  std::string path(kRoot);
  switch (part.kind) {
    case PartKind::input:
      return path + "input";
    case PartKind::stem:
      return path + "stem";
    case PartKind::head:
      return path + "head";
    case PartKind::stage:
      return path + "stages[" + std::to_string(part.stage) + "]";
    case PartKind::block:
      return path + "stages[" + std::to_string(part.stage) + "].blocks[" +
             std::to_string(part.block) + "]";
  }
  return path;
}

std::optional<PartId> partAt(std::string_view path) {
  if (!path.starts_with(kRoot)) return {};
  path.remove_prefix(kRoot.size());
  if (leadsInto(path, "input")) return kInputPart;
  if (leadsInto(path, "stem")) return kStemPart;
  if (leadsInto(path, "head") || leadsInto(path, "task")) return kHeadPart;
  for (std::size_t task = 0; task < kNamesOf<Task>.names.size(); ++task) {
    if (leadsInto(path, traitsOf(static_cast<Task>(task)).outputs)) return kHeadPart;
  }
  const int stage = takeIndex(path, "stages[");
  if (stage < 0) return {};
  const int block = takeIndex(path, ".blocks[");
  return block < 0 ? stagePart(stage) : blockPart(stage, block);
}

}  // namespace lambda
