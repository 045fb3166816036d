#include "app/train/setup/recipe_sections.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "engine/values/config/schedule.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Chooses rows of the whole configuration.
class Chooser {
 public:
  Chooser(const RunConfig& config, bool all, const std::vector<Problem>& problems)
      : all_(all), problems_(problems) {
    const auto add = [this](std::vector<FieldRow> rows) {
      rows_.insert(rows_.end(), rows.begin(), rows.end());
    };
    add(rowsOf(config.data, "data"));
    add(rowsOf(config.recipe, "recipe"));
    add(rowsOf(config.start, "start"));
    add(rowsOf(config.device, "device"));
    add(rowsOf(config.checkpoints, "checkpoints"));
    add(rowsOf(config.monitoring, "monitoring"));
    // The name and the seed are fields of the configuration itself, beside the network.
    RunConfig alone;
    alone.name = config.name;
    alone.seed = config.seed;
    for (FieldRow& row : rowsOf(alone)) {
      if (row.path == "name" || row.path == "seed") rows_.push_back(std::move(row));
    }
  }

  /// Adds a row that is always shown, unless another setting makes it meaningless.
  Chooser& common(std::string_view path, bool isWanted = true) {
    const FieldRow* row = findRow(rows_, path);
    const auto isOfRow = [&](const Problem& problem) { return problem.path == path; };
    if (row && ((isWanted && row->applies) || std::ranges::any_of(problems_, isOfRow)))
      chosen_.push_back(*row);
    return *this;
  }

  /// Adds a row that is shown only among all settings, or where it has a problem.
  Chooser& rare(std::string_view path) { return common(path, all_); }

  /// Adds the rows inside a value; those that are not named in `always` are rare.
  Chooser& inside(const std::string& value, const std::set<std::string>& always) {
    for (const FieldRow& row : rows_) {
      if (row.path.starts_with(value + "."))
        common(row.path, all_ || always.contains(row.path.substr(value.size() + 1)));
    }
    return *this;
  }

  FormSection section(const QString& title) {
    FormSection result{title, std::move(chosen_)};
    chosen_ = {};
    return result;
  }

  bool showsAll() const { return all_; }

  FieldRow* last() { return chosen_.empty() ? nullptr : &chosen_.back(); }

 private:
  bool all_;
  const std::vector<Problem>& problems_;
  std::vector<FieldRow> rows_;
  std::vector<FieldRow> chosen_;
};

/// Whether the data panel has the field: the kind of data and its place.
bool isOfPanel(const std::string& path) {
  return path == "data.source.kind" || path == "data.source.path";
}

std::vector<FormSection> dataSections(Chooser& choose, const DataConfig& data) {
  std::vector<FormSection> sections;
  const bool isSequences = traitsOf(data.source).isSequences;
  const bool isBuiltIn = pathOf(data.source) == nullptr && !isSequences;
  for (const FieldRow& row : rowsOf(data, "data")) {
    if (!row.path.starts_with("data.source.") || isOfPanel(row.path)) continue;
    isBuiltIn ? choose.rare(row.path) : choose.common(row.path);
  }
  // Sequences have a validation set of their own, and are not augmented.
  choose.common("data.validationCount", choose.showsAll() || !isSequences)
      .rare("data.splitSeed")
      .rare("data.labelledPerClass")
      .rare("data.pseudoLabels")
      .rare("data.pseudoLabelThreshold");
  sections.push_back(choose.section({}));
  choose.inside("data.augmentation",
                isSequences ? std::set<std::string>{}
                            : std::set<std::string>{"cropPadding", "horizontalFlip", "cutoutSize"});
  sections.push_back(choose.section(u"Augmentation"_s));
  return sections;
}

std::vector<FormSection> recipeSections(Chooser& choose, const Recipe& recipe, bool trains) {
  std::vector<FormSection> sections;
  choose.rare("name")
      .common("recipe.epochs")
      .common("recipe.learningRateFactor",
              trains || choose.showsAll() || recipe.learningRateFactor != 1)
      .common("recipe.batchSize")
      .rare("recipe.lastBatch")
      .rare("recipe.rateScaling")
      .rare("recipe.rateBatchSize")
      .common("recipe.labelSmoothing", choose.showsAll() || recipe.labelSmoothing > 0)
      .common("recipe.emaDecay", choose.showsAll() || recipe.emaDecay > 0)
      .rare("recipe.flipAveraging")
      .rare("recipe.shiftAveraging")
      .rare("recipe.precision")
      .rare("recipe.channelsLast")
      .rare("recipe.synchronizedNorm")
      .common("seed")
      .common("monitoring.histograms");
  sections.push_back(choose.section({}));
  choose.inside("recipe.optimizer",
                {"kind", "learningRate", "muonLearningRate", "momentum", "weightDecay"});
  sections.push_back(choose.section(u"Optimiser"_s));
  choose.common("recipe.schedule.kind")
      .common("recipe.schedule.warmupEpochs")
      .common("recipe.schedule.peakFraction")
      .common("recipe.schedule.stepEpochs")
      .common("recipe.schedule.stepFactor")
      .rare("recipe.schedule.finalFactor");
  sections.push_back(choose.section(u"Schedule"_s));
  return sections;
}

/// Shows the number of a GPU as a choice among the machine's, unless it has no such GPU.
void nameGpus(FieldRow& row, const std::vector<std::string>& gpus) {
  const auto number = std::get<std::int64_t>(row.value);
  if (number < 0 || number >= static_cast<std::int64_t>(gpus.size())) return;
  Choice choice;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    choice.names.push_back(std::to_string(i) + ": " + gpus[i]);
  }
  row.initial = choice;
  choice.index = static_cast<int>(number);
  row.value = choice;
}

std::vector<FormSection> machineSections(Chooser& choose,
                                         const DeviceConfig& config,
                                         const StartConfig& start,
                                         const Machine& machine,
                                         bool trains) {
  std::vector<FormSection> sections;
  choose.common("device.kind");
  choose.common("device.index", machine.gpus.size() > 1 || config.index != 0);
  if (choose.last()->path == "device.index") nameGpus(*choose.last(), machine.gpus);
  choose.common("device.threads");
  if (FieldRow* threads = choose.last(); threads && machine.cores > 0) {
    threads->zeroText = u"all %1 cores"_s.arg(machine.cores).toStdString();
  }
  choose.common("device.yieldsToOthers").rare("device.cudaGraphs").rare("device.overlapsGradients");
  sections.push_back(choose.section({}));
  choose.common("checkpoints.keepBest")
      .rare("checkpoints.bestBy")
      .common("checkpoints.everyEpochs")
      .common("checkpoints.keepEpochs", trains || choose.showsAll())
      .common("checkpoints.everyMinutes", trains || choose.showsAll())
      .rare("checkpoints.keepInitial");
  sections.push_back(choose.section(u"Checkpoints"_s));
  const bool finetunes = choose.showsAll() || start != StartConfig{};
  choose.common("start.frozenStages", finetunes)
      .common("start.backboneRate", finetunes)
      .rare("start.pairedDraws");
  if (finetunes) sections.push_back(choose.section(u"Fine-tuning"_s));
  return sections;
}

bool canChangeWhileTraining(const std::string& path) {
  return path == "recipe.epochs" || path == "recipe.learningRateFactor" ||
         (path.starts_with("checkpoints.") && path != "checkpoints.keepInitial" &&
          path != "checkpoints.bestBy");
}

}  // namespace

RecipeForms recipeForms(const RunConfig& config,
                        bool all,
                        const std::vector<Problem>& problems,
                        const Machine& machine,
                        bool trains) {
  Chooser choose(config, all, problems);
  RecipeForms forms;
  forms.data = dataSections(choose, config.data);
  forms.recipe = recipeSections(choose, config.recipe, trains);
  forms.machine = machineSections(choose, config.device, config.start, machine, trains);
  if (!trains) return forms;
  for (auto* sections : {&forms.data, &forms.recipe, &forms.machine}) {
    for (FormSection& section : *sections) {
      for (FieldRow& row : section.rows) row.enabled = canChangeWhileTraining(row.path);
    }
  }
  return forms;
}

int formOf(const std::string& path) {
  if (path.starts_with("data")) return 0;
  if (path.starts_with("recipe") || path.starts_with("monitoring") || path == "seed" ||
      path == "name") {
    return 1;
  }
  if (path.starts_with("device") || path.starts_with("checkpoints") || path.starts_with("start")) {
    return 2;
  }
  return -1;
}

std::vector<std::pair<double, double>> learningRateCurve(
    const std::vector<std::pair<double, Recipe>>& recipes) {
  constexpr int kPlaces = 600;
  const int epochs = std::max(recipes.back().second.epochs, 1);
  std::vector<std::pair<double, double>> curve;
  curve.reserve(kPlaces + 1 + 2 * recipes.size());
  auto next = recipes.begin() + 1;
  for (int i = 0; i <= kPlaces; ++i) {
    const double epoch = static_cast<double>(epochs) * i / kPlaces;
    for (; next != recipes.end() && next->first <= epoch; ++next) {
      curve.emplace_back(next->first, learningRateAt((next - 1)->second, next->first));
      curve.emplace_back(next->first, learningRateAt(next->second, next->first));
    }
    curve.emplace_back(epoch, learningRateAt((next - 1)->second, epoch));
  }
  return curve;
}

}  // namespace lambda
