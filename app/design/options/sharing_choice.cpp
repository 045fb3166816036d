#include "app/design/options/sharing_choice.h"

#include <algorithm>
#include <set>

#include <QStringList>

#include "engine/values/architecture/shared_tables.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr qsizetype kMostNamed = 1;

/// The selected blocks that have position embeddings.
Selection sharers(const Architecture& architecture, const Selection& blocks) {
  Selection found;
  for (const PartId& part : blocks) {
    if (sharedTableOf(blockOf(architecture, part).mixer)) found.insert(part);
  }
  return found;
}

std::string freeName(const std::vector<SharedTable>& tables) {
  for (int number = 1;; ++number) {
    const std::string name = "shared" + std::to_string(number);
    if (std::ranges::find(tables, name, &SharedTable::name) == tables.end()) return name;
  }
}

QString lowered(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toLower();
  return text;
}

QString namesOf(const Selection& blocks) {
  QStringList names;
  for (const PartId& part : blocks) {
    if (names.size() == kMostNamed) {
      names << u"%1 more"_s.arg(static_cast<qsizetype>(blocks.size()) - kMostNamed);
      break;
    }
    names << lowered(partTitle(part));
  }
  const QString last = names.takeLast();
  return names.isEmpty() ? last : u"%1 and %2"_s.arg(names.join(u", "_s), last);
}

/// Answers which blocks can share a table with all of some others.
class Fitting {
 public:
  explicit Fitting(const Architecture& architecture) : graph_(graphOf(architecture)) {}

  bool canShare(const Selection& a, const Selection& b) const {
    return std::ranges::all_of(a, [&](const PartId& one) {
      return std::ranges::all_of(
          b, [&](const PartId& other) { return canShareTable(mixerAt(one), mixerAt(other)); });
    });
  }

 private:
  const PlacedMixer& mixerAt(const PartId& part) const {
    return *graph_.mixerAt(part.stage, part.block);
  }

  NetworkGraph graph_;
};

Selection blocksOf(const SharedTable& table) {
  Selection blocks;
  for (const auto& [stage, block] : table.blocks) blocks.insert(blockPart(stage, block));
  return blocks;
}

Selection without(const Selection& all, const Selection& some) {
  Selection rest;
  std::ranges::set_difference(all, some, std::inserter(rest, rest.end()));
  return rest;
}

}  // namespace

std::vector<SharingChoice> sharingChoices(const Architecture& architecture,
                                          const Selection& blocks) {
  const Selection mine = sharers(architecture, blocks);
  std::vector<SharingChoice> choices{{u"Own table"_s.toStdString(), {}, {}}};
  if (mine.empty()) return choices;
  const Fitting fitting(architecture);
  const std::vector<SharedTable> tables = sharedTablesOf(architecture);
  for (const SharedTable& table : tables) {
    const Selection others = without(blocksOf(table), mine);
    const bool isMine = others.size() < table.blocks.size();
    const bool fits = fitting.canShare(mine, others);
    if (!isMine && !fits) continue;
    const QString label = others.empty() ? u"One table for these %1 blocks"_s.arg(mine.size())
                                         : u"Shared with %1"_s.arg(namesOf(others));
    choices.push_back(
        {(others.empty() && mine.size() == 1 ? u"A table that no other block uses"_s : label)
             .toStdString(),
         table.name,
         {}});
  }
  const std::string name = freeName(tables);
  if (mine.size() > 1 && fitting.canShare(mine, mine)) {
    choices.push_back(
        {u"New table for these %1 blocks"_s.arg(mine.size()).toStdString(), name, {}});
  }
  for (const PartId& partner : without(sharers(architecture, allBlocks(architecture)), mine)) {
    const bool isFree = sharedTableOf(blockOf(architecture, partner).mixer)->empty();
    if (!isFree || !fitting.canShare(mine, {partner})) continue;
    choices.push_back(
        {u"New table with %1"_s.arg(namesOf({partner})).toStdString(), name, {partner}});
  }
  return choices;
}

void showSharing(FieldRow& row, const Architecture& architecture, const Selection& blocks) {
  const std::vector<SharingChoice> choices = sharingChoices(architecture, blocks);
  const Selection mine = sharers(architecture, blocks);
  Choice choice;
  std::set<std::string> names;
  for (const PartId& part : mine) names.insert(*sharedTableOf(blockOf(architecture, part).mixer));
  for (const SharingChoice& each : choices) choice.names.push_back(each.label);
  row.mixed = names.size() > 1;
  if (names.size() == 1) {
    const auto found = std::ranges::find_if(choices, [&](const SharingChoice& each) {
      return each.name == *names.begin() && each.partners.empty();
    });
    choice.index = static_cast<int>(found - choices.begin());
  }
  row.value = choice;
  choice.index = 0;
  row.initial = choice;
}

std::optional<Architecture> withSharing(const Architecture& architecture,
                                        const Selection& blocks,
                                        int index) {
  const std::vector<SharingChoice> choices = sharingChoices(architecture, blocks);
  if (index < 0 || index >= std::ssize(choices)) return {};
  const SharingChoice& choice = choices[static_cast<std::size_t>(index)];
  Architecture next = architecture;
  Selection all = sharers(architecture, blocks);
  all.insert(choice.partners.begin(), choice.partners.end());
  for (const PartId& part : all) setSharedTable(blockOf(next, part).mixer, choice.name);
  return next;
}

}  // namespace lambda
