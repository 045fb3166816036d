#include "app/design/options/mixer_sections.h"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "app/design/options/sharing_choice.h"
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

using Rows = std::vector<FieldRow>;

/// The value of a mixer's row, if there is the row and all mixers have that value.
template <class T>
std::optional<T> valueOf(const Rows& rows, const std::string& name) {
  const FieldRow* row = findRow(rows, kPrefix + "." + name);
  if (!row || row->mixed) return std::nullopt;
  if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(std::get<Choice>(row->value).index);
  } else {
    return std::get<T>(row->value);
  }
}

void enable(Rows& rows, const std::string& name, bool enabled) {
  for (FieldRow& row : rows) {
    if (row.path == kPrefix + "." + name) row.enabled = enabled;
  }
}

/// Disables the fields of a lambda layer that other fields leave without effect.
void disableWithoutEffect(Rows& rows) {
  if (const auto embedding = valueOf<PositionEmbedding>(rows, "embedding")) {
    enable(rows, "scope", embedding == PositionEmbedding::relative);
    enable(rows, "sharedEmbeddings", embedding != PositionEmbedding::none);
    enable(rows, "embeddingDeviation", embedding != PositionEmbedding::none);
  }
  if (const auto content = valueOf<bool>(rows, "content")) {
    enable(rows, "keyNormalization", *content);
  }
  if (const auto mask = valueOf<ContextMask>(rows, "mask")) {
    enable(rows, "maskRows", mask == ContextMask::custom);
  }
  const auto queries = valueOf<bool>(rows, "normalizeQueries");
  const auto values = valueOf<bool>(rows, "normalizeValues");
  if (queries && values) enable(rows, "normAxes", *queries || *values);
}

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
    disableWithoutEffect(merged);
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
