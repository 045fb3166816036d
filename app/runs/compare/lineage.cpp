#include "app/runs/compare/lineage.h"

#include <algorithm>
#include <string_view>

namespace lambda {

namespace {

/// Length of the date and time at the start of a run folder's name.
constexpr std::size_t kDateLength = std::string_view("2026-11-21_01-02-23").size();

std::string dateOf(const std::string& folder) {
  return folder.substr(0, kDateLength);
}

const RunSummary* parentNamed(const std::string& name, const std::vector<RunSummary>& library) {
  const RunSummary* sameDate = nullptr;
  int sameDates = 0;
  for (const RunSummary& run : library) {
    if (run.name == name) return &run;
    if (name.size() < kDateLength || dateOf(run.name) != dateOf(name)) continue;
    sameDate = &run;
    ++sameDates;
  }
  return sameDates == 1 ? sameDate : nullptr;
}

}  // namespace

const RunSummary* parentOf(const RunSummary& run, const std::vector<RunSummary>& library) {
  const std::string& parent = run.record.lineage.parentRun;
  const RunSummary* found = parent.empty() ? nullptr : parentNamed(parent, library);
  return found && found->path != run.path ? found : nullptr;
}

std::vector<const RunSummary*> childrenOf(const RunSummary& run,
                                          const std::vector<RunSummary>& library) {
  std::vector<const RunSummary*> children;
  for (const RunSummary& other : library) {
    const RunSummary* parent = parentOf(other, library);
    if (parent && parent->path == run.path) children.push_back(&other);
  }
  return children;
}

}  // namespace lambda
