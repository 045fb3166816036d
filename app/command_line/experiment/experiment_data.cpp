#include "app/command_line/experiment/experiment_data.h"

#include <optional>
#include <set>
#include <utility>

#include "app/command_line/command.h"
#include "engine/data/sources/data_sources.h"
#include "engine/values/config/validate.h"

namespace lambda {

void requireData(const ExperimentPlan& plan, const std::vector<PlannedRun>& runs) {
  std::set<std::size_t> judged;
  std::optional<std::pair<DataSource, DatasetInfo>> probed;
  for (const PlannedRun& run : runs) {
    if (!judged.insert(run.variant).second) continue;
    const RunConfig config = plan.configOf(run);
    const DataSource& source = config.data.source;
    if (!probed || probed->first != source) probed = {source, probeDataset(source)};
    std::vector<Problem> problems = validate(config, probed->second);
    if (hasErrors(problems)) {
      throw InvalidConfiguration("variant " + plan.variants[run.variant].name, std::move(problems));
    }
  }
}

}  // namespace lambda
