#include "app/design/options/selection_form.h"

#include <algorithm>

#include "app/design/options/mixer_sections.h"
#include "app/design/options/sharing_choice.h"
#include "app/design/problems/problem_groups.h"
#include "engine/values/architecture/graph.h"
#include "engine/values/config/fields.h"
#include "engine/values/config/settings.h"
#include "widgets/network/parts/architecture_edits.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr const char* kBlock = "block";
constexpr const char* kStage = "stage";
const std::string kCountPath = "stage.blocks";
const std::string kMixerPrefix = "block.mixer.";

FieldRow rowAt(const std::vector<FieldRow>& rows, const std::string& path) {
  const FieldRow* row = findRow(rows, path);
  return row ? *row : FieldRow{};
}

std::vector<FieldRow> networkRows(const Architecture& architecture) {
  const std::vector<FieldRow> all = rowsOf(architecture, "architecture");
  std::vector<FieldRow> rows;
  for (const char* name :
       {"name", "description", "family", "activation", "normStatistics", "zeroInitResidual"}) {
    rows.push_back(rowAt(all, std::string("architecture.") + name));
  }
  return rows;
}

std::vector<FieldRow> inputRows(const Architecture& architecture) {
  return rowsOf(architecture.input, "architecture.input");
}

std::vector<FieldRow> stemRows(const Architecture& architecture) {
  std::vector<FieldRow> rows = rowsOf(architecture.stem, "architecture.stem");
  std::erase_if(rows, [](const FieldRow& row) { return !row.applies; });
  return rows;
}

std::string outputsPath(const Architecture& architecture) {
  return std::string("architecture.") + traitsOf(architecture.task).outputs;
}

/// What the network learns, and the number of its outputs.
std::vector<FieldRow> taskRows(const Architecture& architecture) {
  const std::vector<FieldRow> rows = rowsOf(architecture, "architecture");
  return {rowAt(rows, "architecture.task"), rowAt(rows, outputsPath(architecture))};
}

std::vector<FieldRow> headRows(const Architecture& architecture) {
  std::vector<FieldRow> rows = rowsOf(architecture.head, "architecture.head");
  const std::vector<FieldRow> task = taskRows(architecture);
  rows.insert(rows.begin(), task.begin(), task.end());
  return rows;
}

FieldRow countRow(const Stage& stage) {
  FieldRow row;
  row.path = kCountPath;
  row.label = u"Blocks"_s.toStdString();
  row.meaning = u"the number of blocks; they are added and removed at the end"_s.toStdString();
  row.hint = fieldAt("architecture.stages[*].blocks")->hint;
  row.value = static_cast<std::int64_t>(stage.blocks.size());
  row.initial = std::int64_t{1};
  row.min = 0;
  row.max = kMostBlocks;
  return row;
}

std::vector<FieldRow> stageRows(const Architecture& architecture, const Selection& stages) {
  std::vector<std::vector<FieldRow>> rows;
  for (const PartId& part : stages) {
    const Stage& stage = architecture.stages.at(static_cast<std::size_t>(part.stage));
    rows.push_back(rowsOf(stage, kStage));
    rows.back().push_back(countRow(stage));
  }
  return mergedRows(rows);
}

std::vector<FieldRow> blockRows(const Architecture& architecture,
                                const std::vector<FieldRow>& merged,
                                bool canDoWithoutShortcut) {
  const FieldRow squeeze = rowAt(merged, "block.squeezeExcitation");
  const bool squeezes = squeeze.mixed || squeeze.value == FieldValue(true);
  std::vector<FieldRow> rows;
  for (const FieldRow& row : merged) {
    if (row.path.starts_with(kMixerPrefix)) continue;
    const std::string_view option = std::string_view(row.path).substr(row.path.rfind('.') + 1);
    if (!hasOption(architecture.family, option)) continue;
    if (option == "residual" && !canDoWithoutShortcut) continue;  // It has one anyway.
    rows.push_back(row);
    if (row.path.starts_with("block.squeeze") && row.path != squeeze.path) {
      rows.back().enabled = squeezes;
    }
  }
  return rows;
}

void addBlockSections(std::vector<FormSection>& sections,
                      const Architecture& architecture,
                      const Selection& blocks,
                      const QString& title) {
  std::vector<std::vector<FieldRow>> all;
  bool canDoWithoutShortcut = false;
  for (const PartId& part : blocks) {
    const Block& block = blockOf(architecture, part);
    all.push_back(rowsOf(block, kBlock));
    canDoWithoutShortcut |= !traitsOf(block.mixer).needsShortcut;
  }
  const std::vector<FieldRow> merged = mergedRows(all);
  const MixerSections mixers = mixerSectionsFor(architecture, blocks);
  FormSection common{title, {rowAt(merged, kMixerKindPath)}};
  common.rows.front().isPicked = true;
  common.rows.insert(common.rows.end(), mixers.common.begin(), mixers.common.end());
  const std::vector<FieldRow> others = blockRows(architecture, merged, canDoWithoutShortcut);
  common.rows.insert(common.rows.end(), others.begin(), others.end());
  sections.push_back(common);
  sections.insert(sections.end(), mixers.kinds.begin(), mixers.kinds.end());
}

Selection stagesOf(const Selection& selection) {
  Selection stages;
  for (const PartId& part : selection) {
    if (part.kind == PartKind::stage) stages.insert(part);
  }
  return stages;
}

bool setInBlocks(Architecture& architecture,
                 const Selection& blocks,
                 const std::string& field,
                 const FieldValue& value) {
  bool isSet = false;
  for (const PartId& part : blocks) isSet |= setField(blockOf(architecture, part), field, value);
  return isSet;
}

bool setInStages(Architecture& architecture,
                 const Selection& stages,
                 const std::string& field,
                 const FieldValue& value) {
  bool isSet = false;
  for (const PartId& part : stages) {
    if (field == "blocks") {
      const auto* count = std::get_if<std::int64_t>(&value);
      if (!count) return false;
      architecture = withBlockCount(architecture, part.stage, static_cast<int>(*count));
      isSet = true;
    } else {
      isSet |= setField(architecture.stages.at(static_cast<std::size_t>(part.stage)), field, value);
    }
  }
  return isSet;
}

bool startsWith(const std::string& path, const std::string& name) {
  return path.starts_with(name + ".");
}

}  // namespace

std::vector<FormSection> sectionsFor(const Architecture& architecture, const Selection& selection) {
  const Selection parts = existing(architecture, selection);
  std::vector<FormSection> sections;
  if (parts.empty()) sections.push_back({u"Network"_s, networkRows(architecture)});
  if (parts.contains(kInputPart)) {
    std::vector<FieldRow> rows = inputRows(architecture);
    // The row stands in the head's section where that is shown too.
    if (!parts.contains(kHeadPart)) {
      const std::vector<FieldRow> task = taskRows(architecture);
      rows.insert(rows.end(), task.begin(), task.end());
    }
    sections.push_back({u"Input"_s, rows});
  }
  if (parts.contains(kStemPart)) sections.push_back({u"Stem"_s, stemRows(architecture)});
  const Selection stages = stagesOf(parts);
  if (!stages.empty()) {
    sections.push_back({countedText(static_cast<int>(stages.size()), u"Stage"_s, u"%1 stages"_s),
                        stageRows(architecture, stages)});
  }
  if (const Selection blocks = blocksOf(architecture, parts); !blocks.empty()) {
    const int count = static_cast<int>(blocks.size());
    addBlockSections(sections,
                     architecture,
                     blocks,
                     stages.empty() ? countedText(count, u"Block"_s, u"%1 blocks"_s)
                                    : countedText(count, u"Its block"_s, u"Its %1 blocks"_s));
  }
  if (parts.contains(kHeadPart)) sections.push_back({u"Head"_s, headRows(architecture)});
  // The panel shows the first title, unless there are several kinds of parts.
  const bool isOneThing = parts.size() <= 1 || blocksOf(architecture, parts).size() == parts.size();
  if (isOneThing) sections.front().title.clear();
  return sections;
}

std::optional<Architecture> withField(const Architecture& architecture,
                                      const Selection& selection,
                                      const std::string& path,
                                      const FieldValue& value,
                                      const MixerMemory& memory,
                                      QStringList* fittings) {
  Architecture next = architecture;
  bool isSet = false;
  if (path == kMixerKindPath) {
    const auto* kind = std::get_if<Choice>(&value);
    if (!kind || kind->index < 0 || kind->index >= std::ssize(kMixerKinds)) return {};
    return withMixer(
        architecture, selection, static_cast<std::size_t>(kind->index), memory, fittings);
  }
  if (path == kSharingPath) {
    const auto* choice = std::get_if<Choice>(&value);
    if (!choice) return {};
    return withSharing(architecture, blocksOf(architecture, selection), choice->index);
  }
  if (startsWith(path, kBlock)) {
    isSet = setInBlocks(next, blocksOf(architecture, selection), path.substr(6), value);
  } else if (startsWith(path, kStage)) {
    isSet = setInStages(next, stagesOf(existing(architecture, selection)), path.substr(6), value);
  } else if (startsWith(path, "architecture")) {
    isSet = setField(next, std::string_view(path).substr(13), value);
  }
  if (!isSet) return {};
  return next;
}

std::optional<std::string> variedPathOf(const Architecture& architecture,
                                        const Selection& selection,
                                        const FieldRow& row) {
  if (row.path == kCountPath) return {};
  if (startsWith(row.path, kBlock)) {
    const Selection blocks = blocksOf(architecture, selection);
    // A mixer is given by its name; fields of one kind are left alone in blocks of other kinds.
    const std::string field = row.path == kMixerKindPath ? "mixer" : row.path.substr(6);
    if (blocks.size() == 1) return pathOf(*blocks.begin()) + "." + field;
    const Selection all = allBlocks(architecture);
    const bool isOfAll = std::ranges::all_of(all, [&](const PartId& part) {
      return blocks.contains(part) ||
             !findRow(rowsOf(blockOf(architecture, part), kBlock), row.path);
    });
    if (!isOfAll) return {};
    return "architecture.stages[*].blocks[*]." + field;
  }
  if (startsWith(row.path, kStage)) {
    const Selection stages = stagesOf(existing(architecture, selection));
    const std::string field = row.path.substr(6);
    if (stages.size() == 1) return pathOf(*stages.begin()) + "." + field;
    if (stages.size() != architecture.stages.size()) return {};
    return "architecture.stages[*]." + field;
  }
  return row.path;
}

std::string rowPathOf(const std::string& path) {
  const std::optional<PartId> part = partAt(path);
  if (!part || (part->kind != PartKind::block && part->kind != PartKind::stage)) return path;
  const std::string prefix = part->kind == PartKind::block ? kBlock : kStage;
  return prefix + path.substr(pathOf(*part).size());
}

std::vector<Problem> problemsOf(const std::vector<Problem>& problems,
                                const Architecture& architecture,
                                const Selection& selection) {
  const Selection parts = existing(architecture, selection);
  const Selection blocks = blocksOf(architecture, parts);
  std::vector<Problem> shown;
  for (const Problem& problem : problems) {
    const std::optional<PartId> part = partAt(problem.path);
    const bool isOfNetwork = !part && problem.path.starts_with("architecture.");
    const bool isShown =
        part ? parts.contains(*part) || blocks.contains(*part) ||
                   (problem.path == outputsPath(architecture) && parts.contains(kInputPart))
             : isOfNetwork && parts.empty();
    if (!isShown) continue;
    Problem local = problem;
    local.path = rowPathOf(problem.path);
    // A finding that several blocks have is shown once.
    const bool isKnown = std::any_of(shown.begin(), shown.end(), [&](const Problem& other) {
      return areOfOneKind(other, local);
    });
    if (!isKnown) shown.push_back(local);
  }
  return shown;
}

}  // namespace lambda
