#include "app/design/mixer_sections.h"

#include <algorithm>
#include <array>

#include "app/design/sharing_choice.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const std::string kPrefix = "block.mixer";

/// "The lambda layer", "The 3 lambda layers"
QString sectionTitleOf(std::size_t kind, std::size_t count) {
  const MixerTraits& traits = kMixerTraits[kind];
  return count == 1 ? u"The %1"_s.arg(QString::fromUtf8(traits.name))
                    : u"The %1 %2"_s.arg(count).arg(QString::fromUtf8(traits.plural));
}

/// Without positions the window and the shared embeddings have no effect.
void disableWithoutPositions(std::vector<FieldRow>& rows) {
  const FieldRow* embedding = findRow(rows, kPrefix + ".embedding");
  if (!embedding || embedding->mixed) return;
  const auto kind = static_cast<PositionEmbedding>(std::get<Choice>(embedding->value).index);
  for (FieldRow& row : rows) {
    if (row.path == kPrefix + ".scope") row.enabled = kind == PositionEmbedding::relative;
    if (row.path == kPrefix + ".sharedEmbeddings") row.enabled = kind != PositionEmbedding::none;
  }
}

using Rows = std::vector<FieldRow>;

/// The rows of each mixer, by kind.
using RowsOfKinds = std::array<std::vector<Rows>, kMixerKindCount>;

RowsOfKinds rowsByKind(const Architecture& architecture, const Selection& blocks) {
  RowsOfKinds rows;
  for (const PartId& part : blocks) {
    const Mixer& mixer = blockOf(architecture, part).mixer;
    rows[mixer.index()].push_back(
        std::visit([](const auto& options) { return rowsOf(options, kPrefix); }, mixer));
  }
  return rows;
}

/// Merges the rows at `path` of all mixers that have it.
FieldRow mergedRow(const RowsOfKinds& kinds, const std::string& path) {
  std::vector<Rows> rows;
  for (const std::vector<Rows>& mixers : kinds) {
    for (const Rows& mixer : mixers) {
      if (const FieldRow* row = findRow(mixer, path)) rows.push_back({*row});
    }
  }
  return mergedRows(rows).front();
}

/// Whether mixers of several kinds have the path.
bool isShared(const RowsOfKinds& kinds, const std::string& path) {
  const auto has = [&](const std::vector<Rows>& mixers) {
    return !mixers.empty() && findRow(mixers.front(), path);
  };
  return std::count_if(kinds.begin(), kinds.end(), has) > 1;
}

}  // namespace

MixerSections mixerSectionsFor(const Architecture& architecture, const Selection& blocks) {
  const RowsOfKinds kinds = rowsByKind(architecture, blocks);
  const bool isOneKind = std::count_if(kinds.begin(), kinds.end(), [](const auto& mixers) {
                           return !mixers.empty();
                         }) == 1;
  MixerSections sections;
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    if (kinds[kind].empty()) continue;
    FormSection section{sectionTitleOf(kind, kinds[kind].size()), {}};
    Rows merged = mergedRows(kinds[kind]);
    disableWithoutPositions(merged);
    for (const FieldRow& row : merged) {
      if (isOneKind) {
        sections.common.push_back(row);
      } else if (!isShared(kinds, row.path)) {
        section.rows.push_back(row);
      } else if (!findRow(sections.common, row.path)) {
        sections.common.push_back(mergedRow(kinds, row.path));
      }
    }
    if (!section.rows.empty()) sections.kinds.push_back(std::move(section));
  }
  const auto showTables = [&](std::vector<FieldRow>& rows) {
    for (FieldRow& row : rows) {
      if (row.path == kSharingPath) showSharing(row, architecture, blocks);
    }
  };
  showTables(sections.common);
  for (FormSection& section : sections.kinds) showTables(section.rows);
  return sections;
}

}  // namespace lambda
