#include "app/runs/compare/config_difference.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/values/config/record_fields.h"
#include "widgets/forms/field_rows.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Settings are named up to this number; of more, only the number is given.
constexpr int kLegendSettings = 3;

/// Place of a block: stage and block, both from 0.
struct BlockPlace {
  int stage = 0;
  int block = 0;

  std::strong_ordering operator<=>(const BlockPlace&) const = default;
};

/// A setting of one run. For a setting within a block, `field` is its path within the block, and
/// `kind` the kind of the block's mixer.
struct Setting {
  FieldRow row;
  std::optional<BlockPlace> place;
  std::string field;
  std::size_t kind = 0;
};

void append(std::vector<Setting>& settings, std::vector<FieldRow> rows) {
  for (FieldRow& row : rows) settings.push_back({std::move(row), {}, {}, {}});
}

/// All settings in the order of the document, with the stages after the other fields of the
/// network.
std::vector<Setting> settingsOf(const RunRecord& run) {
  std::vector<Setting> settings;
  append(settings, rowsOf(run.config));
  const auto end = std::find_if(settings.begin(), settings.end(), [](const Setting& setting) {
    return setting.row.path.starts_with("data.");
  });
  std::vector<Setting> stages;
  for (std::size_t i = 0; i < run.config.architecture.stages.size(); ++i) {
    const Stage& stage = run.config.architecture.stages[i];
    const std::string prefix = "architecture.stages[" + std::to_string(i) + "]";
    append(stages, rowsOf(stage, prefix));
    for (std::size_t j = 0; j < stage.blocks.size(); ++j) {
      const std::string block = prefix + ".blocks[" + std::to_string(j) + "]";
      for (FieldRow& row : rowsOf(stage.blocks[j], block)) {
        std::string field = row.path.substr(block.size() + 1);
        const BlockPlace place{static_cast<int>(i), static_cast<int>(j)};
        stages.push_back({std::move(row), place, std::move(field), stage.blocks[j].mixer.index()});
      }
    }
  }
  settings.insert(
      end, std::make_move_iterator(stages.begin()), std::make_move_iterator(stages.end()));
  append(settings, rowsOf(run.environment, "environment"));
  // These settings differ between any two runs.
  std::erase_if(settings, [](const Setting& setting) {
    return setting.row.path == "name" || setting.row.path == "environment.started" ||
           setting.row.path.starts_with("environment.precisionRates.");
  });
  return settings;
}

/// The value with its unit, unless the label implies it: "4 px", but "64" for a batch size.
QString valueText(const FieldRow& row) {
  const std::string text = textOf(row, row.value);
  const bool isSaid = row.unit.empty() || row.unit == "images" || row.unit == "channels";
  return QString::fromStdString(isSaid || text == row.zeroText ? text : text + " " + row.unit);
}

QString groupOf(const std::string& path) {
  static const std::map<std::string, QString, std::less<>> groups{
      {"architecture", u"Network"_s},
      {"data", u"Data"_s},
      {"recipe", u"Recipe"_s},
      {"device", u"Device"_s},
      {"start", u"Weights at the start"_s},
      {"monitoring", u"Monitoring"_s},
      {"checkpoints", u"Checkpoints"_s},
      {"environment", u"Environment"_s}};
  const auto found = groups.find(path.substr(0, path.find('.')));
  return found == groups.end() ? u"Run"_s : found->second;
}

QString numberList(const std::set<int>& numbers) {
  QStringList texts;
  for (auto i = numbers.begin(); i != numbers.end();) {
    auto last = i;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    texts << (last == i ? QString::number(*i) : u"%1–%2"_s.arg(*i).arg(*last));
    i = std::next(last);
  }
  return texts.join(u", "_s);
}

/// "Stages 2–3" for whole stages, otherwise "Stage 2, blocks 1–3; stage 3, block 1".
QString placesText(const std::set<BlockPlace>& places, const std::set<BlockPlace>& all) {
  std::map<int, std::set<int>> blocks, allBlocks;
  for (const BlockPlace& place : places) blocks[place.stage + 1].insert(place.block + 1);
  for (const BlockPlace& place : all) allBlocks[place.stage + 1].insert(place.block + 1);
  std::set<int> whole;
  QStringList texts;
  for (const auto& [stage, numbers] : blocks) {
    if (numbers == allBlocks[stage]) {
      whole.insert(stage);
    } else {
      texts << (numbers.size() > 1 ? u"stage %1, blocks %2"_s : u"stage %1, block %2"_s)
                   .arg(stage)
                   .arg(numberList(numbers));
    }
  }
  if (!whole.empty()) {
    texts.prepend((whole.size() > 1 ? u"stages %1"_s : u"stage %1"_s).arg(numberList(whole)));
  }
  QString text = texts.join(u"; "_s);
  text[0] = text[0].toUpper();
  return text;
}

/// The name of all blocks that have the field, for example "All lambda layers" for a field of only
/// that kind of mixer.
QString allWith(const std::string& field, const std::set<std::size_t>& kinds) {
  if (!field.starts_with("mixer.") || field == "mixer.kind") return u"All blocks"_s;
  QStringList names;
  for (const std::size_t kind : kinds) {
    names << QString::fromStdString(std::string(kMixerTraits[kind].plural));
  }
  return u"All %1"_s.arg(names.join(u" and "_s));
}

/// "Stem: Width": a setting that several parts of a network have is preceded by its part.
QString labelOf(const FieldRow& row) {
  QString label = QString::fromStdString(row.label);
  static const std::array<std::pair<std::string_view, QString>, 3> parts{
      {{"architecture.input.", u"Input"_s},
       {"architecture.stem.", u"Stem"_s},
       {"architecture.head.", u"Head"_s}}};
  for (const auto& [start, part] : parts) {
    if (row.path.starts_with(start) && label != part) return part + u": "_s + label;
  }
  constexpr std::string_view kStage = "architecture.stages[";
  if (!row.path.starts_with(kStage)) return label;
  int stage = 0;
  std::from_chars(row.path.data() + kStage.size(), row.path.data() + row.path.size(), stage);
  return u"Stage %1: %2"_s.arg(stage + 1).arg(label);
}

/// A row under construction, with the blocks that it stands for.
struct Draft {
  SettingRow row;
  FieldRow field;
  std::string blockField;  ///< Empty for settings outside blocks.
  std::set<BlockPlace> places;
  std::set<std::size_t> kinds;  ///< Kinds of the mixers there.
};

void finishLabels(std::vector<Draft>& drafts) {
  std::map<std::string, std::set<BlockPlace>> all;
  for (const Draft& draft : drafts)
    all[draft.blockField].insert(draft.places.begin(), draft.places.end());
  for (Draft& draft : drafts) {
    if (draft.blockField.empty()) {
      draft.row.label = labelOf(draft.field);
      continue;
    }
    const std::set<BlockPlace>& everywhere = all[draft.blockField];
    const QString where = draft.places == everywhere ? allWith(draft.blockField, draft.kinds)
                                                     : placesText(draft.places, everywhere);
    draft.row.label = where + u": "_s + QString::fromStdString(draft.field.label);
  }
}

std::vector<Draft> draftsOf(const std::vector<const RunRecord*>& runs) {
  std::vector<Draft> drafts;
  std::map<std::string, std::size_t> byPath;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::size_t position = 0;
    for (const Setting& setting : settingsOf(*runs[run])) {
      auto found = byPath.find(setting.row.path);
      if (found == byPath.end()) {
        Draft draft;
        draft.row.path = setting.row.path;
        draft.row.group = groupOf(setting.row.path);
        draft.row.meaning = QString::fromStdString(setting.row.meaning);
        draft.row.values.resize(static_cast<qsizetype>(runs.size()));
        draft.field = setting.row;
        draft.blockField = setting.field;
        if (setting.place) draft.places.insert(*setting.place);
        // Where the earlier runs lack the setting, it is placed behind the setting before it in
        // this run.
        drafts.insert(drafts.begin() + static_cast<std::ptrdiff_t>(position), std::move(draft));
        for (auto& [path, index] : byPath) {
          if (index >= position) ++index;
        }
        found = byPath.emplace(setting.row.path, position).first;
      }
      if (setting.place) drafts[found->second].kinds.insert(setting.kind);
      drafts[found->second].row.values[static_cast<qsizetype>(run)] = valueText(setting.row);
      position = found->second + 1;
    }
  }
  return drafts;
}

/// Merges blocks with the same values of a field into one row, at the place of the first of them.
std::vector<Draft> merged(std::vector<Draft> drafts) {
  std::map<std::pair<std::string, QStringList>, std::size_t> first;
  std::vector<Draft> result;
  for (Draft& draft : drafts) {
    if (draft.blockField.empty()) {
      result.push_back(std::move(draft));
      continue;
    }
    const auto [entry, isNew] =
        first.try_emplace({draft.blockField, draft.row.values}, result.size());
    if (isNew) {
      result.push_back(std::move(draft));
    } else {
      result[entry->second].places.merge(draft.places);
      result[entry->second].kinds.merge(draft.kinds);
    }
  }
  return result;
}

bool isForLegend(const SettingRow& row) {
  static constexpr std::array<std::string_view, 4> kNames{
      "architecture.name", "architecture.description", "parentRun", "experiment"};
  return row.differs && !row.path.starts_with("environment.") &&
         !row.path.starts_with("checkpoints.") && !row.path.starts_with("monitoring.") &&
         std::find(kNames.begin(), kNames.end(), row.path) == kNames.end();
}

/// "batch size 64", "query depth k 16 (stages 3 and 4, lambda layers)": the blocks stand behind the
/// value, so that an elided text keeps what differs.
QString legendPart(const QString& label, const QString& value) {
  const auto lowered = [](QString text) {
    text[0] = text[0].toLower();
    return text;
  };
  const qsizetype colon = label.indexOf(u": "_s);
  if (colon < 0) return lowered(label) + u' ' + value;
  return u"%1 %2 (%3)"_s.arg(lowered(label.mid(colon + 2)), value, lowered(label.left(colon)));
}

/// Whether the pattern already implies the row: it names the kind of each block's mixer, and the
/// kind decides which fields there are.
bool followsFromPattern(const SettingRow& row) {
  return row.path.find(".mixer.kind") != std::string::npos ||
         (row.path.find(".blocks[") != std::string::npos && row.values.contains(QString()));
}

}  // namespace

std::vector<SettingRow> compareRuns(const std::vector<const RunRecord*>& runs) {
  std::vector<Draft> drafts = merged(draftsOf(runs));
  finishLabels(drafts);
  std::vector<SettingRow> rows;
  for (Draft& draft : drafts) {
    const QStringList& values = draft.row.values;
    draft.row.differs = std::any_of(values.begin(), values.end(), [&](const QString& value) {
      return value != values.front();
    });
    rows.push_back(std::move(draft.row));
  }
  return rows;
}

QStringList legendTexts(const std::vector<const RunRecord*>& runs) {
  QStringList texts;
  const bool patternDiffers = std::any_of(runs.begin(), runs.end(), [&](const RunRecord* run) {
    return run->pattern != runs.front()->pattern;
  });
  std::vector<SettingRow> rows = compareRuns(runs);
  // Seeds tell the least.
  std::stable_partition(
      rows.begin(), rows.end(), [](const SettingRow& row) { return row.path != "seed"; });
  for (std::size_t run = 0; run < runs.size(); ++run) {
    QStringList parts;
    if (patternDiffers) parts << QString::fromStdString(runs[run]->pattern);
    int hidden = 0;
    for (const SettingRow& row : rows) {
      const QString& value = row.values[static_cast<qsizetype>(run)];
      if (!isForLegend(row) || value.isEmpty()) continue;
      if (patternDiffers && followsFromPattern(row)) continue;
      if (parts.size() == kLegendSettings) {
        ++hidden;
        continue;
      }
      parts << legendPart(row.label, value);
    }
    if (hidden > 0) parts << u"%1 more"_s.arg(hidden);
    texts << parts.join(u", "_s);
  }
  return texts;
}

}  // namespace lambda
