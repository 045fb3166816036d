#include "app/design/problems/problem_groups.h"

#include <algorithm>
#include <map>

#include <QStringList>

#include "widgets/forms/sentence.h"
#include "widgets/network/parts/network_parts.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr qsizetype kMostPlaces = 4;

/// The text without its numbers: "stages[1].blocks[2]" becomes "stages[].blocks[]".
std::string withoutNumbers(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

QString placeOfPath(const std::string& path) {
  if (const std::optional<PartId> part = partAt(path)) return partTitle(*part);
  if (path.starts_with("architecture")) return u"Network"_s;
  if (path.starts_with("data")) return u"Data"_s;
  if (path.starts_with("recipe")) return u"Recipe"_s;
  if (path.starts_with("checkpoints")) return u"Checkpoints"_s;
  if (path.starts_with("device")) return u"Device"_s;
  return QString::fromStdString(path);
}

/// "1 to 3, 5"
QString rangesText(const std::vector<int>& numbers) {
  QStringList ranges;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    ranges << (last == first ? QString::number(numbers[first])
                             : u"%1 to %2"_s.arg(numbers[first]).arg(numbers[last]));
    first = last + 1;
  }
  return ranges.join(u", "_s);
}

/// "stage 2, blocks 1 to 3; stage 3, block 1"
QString placesText(const ProblemGroup& group) {
  std::map<int, std::vector<int>> blocks;
  for (const Problem& problem : group) {
    const std::optional<PartId> part = partAt(problem.path);
    if (part && part->kind == PartKind::block) blocks[part->stage].push_back(part->block + 1);
  }
  QStringList places;
  for (const auto& [stage, numbers] : blocks) {
    if (places.size() == kMostPlaces) {
      places << u"…"_s;
      break;
    }
    places << (numbers.size() == 1 ? u"stage %1, block %2"_s : u"stage %1, blocks %2"_s)
                  .arg(stage + 1)
                  .arg(rangesText(numbers));
  }
  return places.join(u"; "_s);
}

bool haveOneLabel(const std::vector<Fix>& fixes) {
  return std::ranges::all_of(fixes, [&](const Fix& fix) { return fix.label == fixes[0].label; });
}

}  // namespace

bool areOfOneKind(const Problem& a, const Problem& b) {
  return a.severity == b.severity && withoutNumbers(a.path) == withoutNumbers(b.path) &&
         withoutNumbers(a.text) == withoutNumbers(b.text);
}

std::vector<ProblemGroup> groupsOf(const std::vector<Problem>& problems) {
  std::vector<ProblemGroup> groups;
  for (const Problem& problem : problems) {
    const auto found = std::ranges::find_if(
        groups, [&](const ProblemGroup& group) { return areOfOneKind(group.front(), problem); });
    if (found == groups.end()) {
      groups.push_back({problem});
    } else {
      found->push_back(problem);
    }
  }
  std::ranges::stable_sort(groups, [](const ProblemGroup& a, const ProblemGroup& b) {
    return a.front().severity > b.front().severity;
  });
  return groups;
}

std::vector<Fix> fixesOf(const ProblemGroup& group) {
  std::vector<Fix> fixes;
  for (const Problem& problem : group) {
    if (problem.fix) fixes.push_back(*problem.fix);
  }
  return fixes;
}

QString placeOf(const ProblemGroup& group) {
  if (group.size() == 1) return placeOfPath(group.front().path);
  const QString places = placesText(group);
  if (places.isEmpty()) return u"%1 places"_s.arg(group.size());
  return u"%1 blocks: %2"_s.arg(group.size()).arg(places);
}

QString textOf(const ProblemGroup& group) {
  const std::string& first = group.front().text;
  const bool areEqual =
      std::ranges::all_of(group, [&](const Problem& problem) { return problem.text == first; });
  return areEqual ? sentence(first) : u"For example: %1"_s.arg(QString::fromStdString(first));
}

QString fixTextOf(const ProblemGroup& group) {
  const std::vector<Fix> fixes = fixesOf(group);
  if (fixes.empty()) return {};
  const QString label = QString::fromStdString(fixes.front().label);
  if (fixes.size() == 1) return label;
  return haveOneLabel(fixes) ? u"%1 in all %2"_s.arg(label).arg(fixes.size())
                             : u"Fix all %1"_s.arg(fixes.size());
}

QString stepTextOf(const std::vector<Fix>& fixes) {
  const QString label = QString::fromStdString(fixes.front().label);
  if (fixes.size() == 1) return label;
  return haveOneLabel(fixes) ? u"%1 in %2 places"_s.arg(label).arg(fixes.size())
                             : u"Fix %1 problems of one kind"_s.arg(fixes.size());
}

}  // namespace lambda
