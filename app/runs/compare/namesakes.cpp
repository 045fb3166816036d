#include "app/runs/compare/namesakes.h"

#include <algorithm>
#include <map>

#include "app/runs/compare/config_difference.h"

namespace lambda {

namespace {

/// If more configurations than this share a name, only their architectures are compared: comparing
/// all settings would be slow, and nobody reads that many differences.
constexpr std::size_t kMostCompared = 24;

/// The rows of one name with one configuration.
struct SameRuns {
  const RunRecord* record = nullptr;
  std::vector<std::size_t> rows;
};

std::vector<SameRuns> withoutRepetitions(const std::vector<RunRow>& rows,
                                         const std::vector<std::size_t>& group) {
  std::vector<SameRuns> kinds;
  for (const std::size_t row : group) {
    const RunRecord& record = rows[row].run.record;
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const SameRuns& same) {
      return same.record->config == record.config;
    });
    if (known != kinds.end()) {
      known->rows.push_back(row);
    } else if (kinds.size() == kMostCompared) {
      return {};
    } else {
      kinds.push_back({&record, {row}});
    }
  }
  return kinds;
}

/// The architectures, if they differ.
void addPatterns(const std::vector<RunRow>& rows,
                 const std::vector<std::size_t>& group,
                 QStringList& texts) {
  const auto patternOf = [&](std::size_t row) -> const std::string& {
    return rows[row].run.record.pattern;
  };
  const bool areEqual = std::all_of(group.begin(), group.end(), [&](std::size_t row) {
    return patternOf(row) == patternOf(group.front());
  });
  if (areEqual) return;
  for (const std::size_t row : group) {
    texts[static_cast<qsizetype>(row)] = QString::fromStdString(patternOf(row));
  }
}

}  // namespace

QStringList differencesOfNamesakes(const std::vector<RunRow>& rows) {
  QStringList texts(static_cast<qsizetype>(rows.size()));
  std::map<QString, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].hasRecord()) groups[rows[i].name()].push_back(i);
  }
  for (const auto& [name, group] : groups) {
    if (group.size() == 1) continue;
    const std::vector<SameRuns> kinds = withoutRepetitions(rows, group);
    if (kinds.empty()) {
      addPatterns(rows, group, texts);
      continue;
    }
    std::vector<const RunRecord*> records;
    for (const SameRuns& same : kinds) records.push_back(same.record);
    const QStringList differences = legendTexts(records);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      for (const std::size_t row : kinds[kind].rows) {
        texts[static_cast<qsizetype>(row)] = differences[static_cast<qsizetype>(kind)];
      }
    }
  }
  return texts;
}

}  // namespace lambda
