#include "engine/values/config/data_report.h"

#include <algorithm>

namespace lambda {

namespace {

constexpr std::int64_t kUnbalanced = 3;

std::string imagesText(const ClassCount& count) {
  return count.name + " has " + std::to_string(count.train);
}

}  // namespace

std::vector<ClassCount> classCountsOf(const DataReport& report) {
  if (!report.usable || !report.info || report.info->task != Task::classification) return {};
  std::vector<ClassCount> counts(static_cast<std::size_t>(report.info->classes));
  bool areCounted = false;
  for (const DataFileReport& file : report.files) {
    if (file.countPerClass.size() != counts.size()) continue;
    areCounted = true;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      (file.isTest ? counts[i].test : counts[i].train) += file.countPerClass[i];
    }
  }
  if (!areCounted) return {};
  const std::vector<std::string>& names = report.info->classNames;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i].name = i < names.size() ? names[i] : std::to_string(i);
  }
  return counts;
}

std::optional<DataFinding> imbalanceOf(const DataReport& report) {
  const std::vector<ClassCount> counts = classCountsOf(report);
  if (counts.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(
      counts.begin(), counts.end(), [](const ClassCount& a, const ClassCount& b) {
        return a.train < b.train;
      });
  if (most->train < kUnbalanced * std::max<std::int64_t>(1, least->train)) return std::nullopt;
  return DataFinding{Severity::warning,
                     report.source,
                     "the classes are not balanced: " + imagesText(*most) + " training images, " +
                         imagesText(*least),
                     "The accuracy then says little about small classes: look at the confusion "
                     "matrix, or add pictures to them."};
}

}  // namespace lambda
