#include "app/experiments/experiment_list.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <QSignalBlocker>

#include "app/experiments/experiment_progress.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/experiments/read_experiment.h"
#include "engine/experiments/shipped_experiments.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/look_changes.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::chrono::seconds kFollowInterval{1};
constexpr int kListWidth = 310;
constexpr int kInset = 6;
constexpr int kIconSide = 32;

SketchKind sketchKindOf(const Experiment& experiment) {
  if (!experiment.variants.empty() || experiment.axes.empty()) return SketchKind::effects;
  return experiment.axes.size() == 1 ? SketchKind::sweep : SketchKind::heatMap;
}

constexpr const char* kDescriptionName = "experiment.json";

constexpr std::uint64_t kLargestFile = 16 << 20;

Experiment experimentIn(const fs::path& file, std::vector<Problem>& ignored) {
  const std::string text = readFile(file, kLargestFile);
  switch (documentKind(text, file.string())) {
    case DocumentKind::network:
      throw Error(file.string(),
                  "this is a network, not an experiment",
                  "“Open” in the menu File shows it in Design.");
    case DocumentKind::run:
      throw Error(file.string(),
                  "this is a run's configuration, not an experiment",
                  "“Open” in the menu File shows it in Design.");
    case DocumentKind::runRecord:
      throw Error(file.string(),
                  "this is the record of a run, not an experiment",
                  "“Open” in the menu File shows its run in Runs.");
    case DocumentKind::experiment:
    case DocumentKind::unknown:
      break;
  }
  return experimentFromJson(text, file.string(), ignored);
}

/// One that has not been run: a shipped one of this name, or that of a file.
ListedExperiment describedOne(const std::string& name, const fs::path& file = {}) {
  ListedExperiment listed;
  listed.name = name;
  listed.file = file;
  try {
    std::vector<Problem> ignored;
    const Experiment experiment =
        file.empty() ? loadShippedExperiment(name) : experimentIn(file, ignored);
    if (!file.empty() && !experiment.name.empty()) listed.name = experiment.name;
    listed.question = experiment.question;
    listed.sketch = sketchKindOf(experiment);
    for (const ExperimentSize& size : experiment.sizes) listed.sizes.push_back(size.name);
    listed.state = countedText(std::ssize(experiment.seeds), u"seed"_s);
    if (!ignored.empty()) {
      listed.state += u"; a part of the file is ignored: "_s +
                      QString::fromStdString(ignored.front().path + ": " + ignored.front().text);
    }
  } catch (const std::exception& error) {
    listed.state = QString::fromUtf8(error.what());
  }
  return listed;
}

ListedExperiment ownOne(const fs::path& folder) {
  ListedExperiment listed;
  listed.folder = folder;
  listed.name = toText(folder.filename()).toStdString();
  try {
    const ExperimentState state = readExperiment(ExperimentFolder::open(folder));
    listed.name = state.experiment.name;
    listed.question = state.experiment.question;
    listed.sketch = sketchKindOf(state.experiment);
    listed.state = runsText(state);
  } catch (const std::exception& error) {
    listed.state = QString::fromUtf8(error.what());
  }
  return listed;
}

std::vector<ListedExperiment> experimentsOf(const std::vector<fs::path>& files,
                                            const fs::path& folder) {
  std::vector<ListedExperiment> all;
  for (const fs::path& file : files) {
    all.push_back(describedOne(toText(file.stem()).toStdString(), file));
  }
  for (const fs::path& own : experimentFoldersIn(folder)) all.push_back(ownOne(own));
  for (const std::string& name : shippedExperimentNames()) all.push_back(describedOne(name));
  return all;
}

QString textOf(const ListedExperiment& one) {
  return QString::fromStdString(one.name + '\n' + one.question + '\n') + one.state;
}

QString headingOf(const ListedExperiment& one) {
  if (one.isDraft) return u"Draft"_s;
  if (!one.theory.empty()) return u"Theory experiments"_s;
  if (!one.file.empty()) return u"Opened files"_s;
  return one.folder.empty() ? u"Shipped experiments"_s : u"Own experiments"_s;
}

fs::path descriptionFileOf(const ListedExperiment& one) {
  return one.folder.empty() ? one.file : one.folder / kDescriptionName;
}

}  // namespace

Experiment descriptionOf(const ListedExperiment& experiment) {
  if (experiment.file.empty()) return loadShippedExperiment(experiment.name);
  std::vector<Problem> ignored;
  return experimentIn(experiment.file, ignored);
}

ExperimentList::ExperimentList(QWidget* parent) : QListWidget(parent) {
  setObjectName(u"experiments"_s);
  setAccessibleName(u"Experiments"_s);
  setWordWrap(true);
  // The heights of items are measured without padding beside the text: with one, a line that wraps
  // would hide the last.
  setStyleSheet(u"QListWidget::item { border: 0px solid transparent; padding: 3px 0px; }"_s);
  setViewportMargins(kInset, 0, kInset, 0);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollMode(ScrollPerPixel);
  setFixedWidth(kListWidth);
  setIconSize(QSize(kIconSide, kIconSide));
  connect(this, &QListWidget::currentRowChanged, this, &ExperimentList::onRowChanged);
  followTimer_.setSingleShot(true);
  followTimer_.setInterval(kFollowInterval);
  connect(&followTimer_, &QTimer::timeout, this, &ExperimentList::follow);
  onPaletteChange(*this, [this] { updateSketches(); });
}

void ExperimentList::setFolder(const fs::path& folder) {
  if (folder_ == folder) return;
  folder_ = folder;
  refresh();
}

void ExperimentList::refresh(const fs::path& place) {
  if (!place.empty()) wanted_ = place;
  isReading_ = true;
  tasks_.runNewest(
      [files = files_, own = folder_] {
        Stamps stamps = stampsOf(files, own);
        return Reading{std::move(stamps), experimentsOf(files, own)};
      },
      [this](Reading reading) { take(std::move(reading)); });
}

ExperimentList::Stamps ExperimentList::stampsOf(const std::vector<fs::path>& files,
                                                const fs::path& folder) {
  std::vector<fs::path> descriptions = files;
  for (const fs::path& own : experimentFoldersIn(folder)) {
    descriptions.push_back(own / kDescriptionName);
  }
  Stamps stamps;
  for (const fs::path& each : descriptions) {
    std::error_code missing;
    stamps[each] = fs::last_write_time(each, missing);
  }
  return stamps;
}

void ExperimentList::follow() {
  if (isReading_) return followTimer_.start();
  following_.runNewest([files = files_, own = folder_] { return stampsOf(files, own); },
                       [this](const Stamps& stamps) {
                         if (stamps != stamps_ && !isReading_) refresh();
                         if (isVisible()) followTimer_.start();
                       });
}

void ExperimentList::take(Reading reading) {
  isReading_ = false;
  const ListedExperiment* before = selected();
  const fs::path file = before ? descriptionFileOf(*before) : fs::path();
  const bool isOtherFile = stamps_.contains(file) && reading.stamps.contains(file) &&
                           stamps_[file] != reading.stamps[file];
  const bool isChanged = isOtherFile && wanted_.empty();
  stamps_ = std::move(reading.stamps);
  show(std::move(reading.experiments));
  const ListedExperiment* now = selected();
  if (isChanged && now) Q_EMIT selectedChanged(*now);
}

void ExperimentList::showEvent(QShowEvent* event) {
  QListWidget::showEvent(event);
  follow();
}

void ExperimentList::hideEvent(QHideEvent* event) {
  followTimer_.stop();
  QListWidget::hideEvent(event);
}

void ExperimentList::openFile(const fs::path& file) {
  std::erase(files_, file);
  files_.insert(files_.begin(), file);
  refresh(file);
}

void ExperimentList::setState(const fs::path& folder, const ExperimentState& state) {
  for (int row = 0; row < count(); ++row) {
    const QVariant index = item(row)->data(Qt::UserRole);
    if (!index.isValid()) continue;
    ListedExperiment& listed = experiments_[index.toULongLong()];
    if (folder.empty() || listed.folder != folder) continue;
    listed.state = runsText(state);
    if (const QString text = textOf(listed); item(row)->text() != text) item(row)->setText(text);
  }
}

const ListedExperiment* ExperimentList::selected() const {
  const QListWidgetItem* item = currentItem();
  if (!item || !item->data(Qt::UserRole).isValid()) return nullptr;
  const std::size_t index = item->data(Qt::UserRole).toULongLong();
  return index < experiments_.size() ? &experiments_[index] : nullptr;
}

void ExperimentList::setTheory(std::vector<ListedExperiment> theory) {
  theory_ = std::move(theory);
  for (int row = 0; row < count(); ++row) {
    const QVariant index = item(row)->data(Qt::UserRole);
    if (!index.isValid()) continue;
    ListedExperiment& shown = experiments_[index.toULongLong()];
    if (shown.theory.empty()) continue;
    const auto changed = std::ranges::find(theory_, shown.theory, &ListedExperiment::theory);
    if (changed == theory_.end() || changed->state == shown.state) continue;
    shown = *changed;
    item(row)->setText(textOf(shown));
  }
}

void ExperimentList::setDraft(const Experiment* draft) {
  const bool wasListed = draft_.has_value();
  if (!draft && !wasListed) return;
  if (!draft) {
    draft_.reset();
  } else {
    draft_ = ListedExperiment{.folder = {},
                              .name = draft->name,
                              .question = draft->question,
                              .sizes = {},
                              .state = u"not created yet"_s,
                              .isDraft = true,
                              .sketch = sketchKindOf(*draft)};
  }
  if (draft && wasListed) {
    // Typing its name must not build the list anew.
    experiments_.front() = *draft_;
    item(1)->setText(textOf(*draft_));
    updateSketches();
    return;
  }
  std::vector<ListedExperiment> others = experiments_;
  std::erase_if(others,
                [](const ListedExperiment& one) { return one.isDraft || !one.theory.empty(); });
  show(std::move(others));
}

void ExperimentList::selectDraft() {
  if (draft_) setCurrentRow(1);
}

void ExperimentList::show(std::vector<ListedExperiment> experiments) {
  const bool isOther = !wanted_.empty();
  const fs::path wanted = std::exchange(wanted_, {});
  const ListedExperiment* selectedOne = selected();
  const std::optional<ListedExperiment> before =
      selectedOne && !isOther ? std::optional(*selectedOne) : std::nullopt;
  const auto isSelected = [&](const ListedExperiment& one) {
    if (isOther) return one.folder == wanted || one.file == wanted;
    if (!before || one.isDraft != before->isDraft) return false;
    if (one.folder != before->folder || one.file != before->file) return false;
    return one.isDraft || !one.folder.empty() || !one.file.empty() || one.name == before->name;
  };
  if (draft_) experiments.insert(experiments.begin(), *draft_);
  experiments_ = std::move(experiments);
  experiments_.insert(experiments_.end(), theory_.begin(), theory_.end());
  {
    const QSignalBlocker blocker(this);
    clear();
    QString heading;
    for (std::size_t i = 0; i < experiments_.size(); ++i) {
      const ListedExperiment& one = experiments_[i];
      if (const QString own = headingOf(one); own != heading) {
        heading = own;
        addHeading(heading);
      }
      auto* item = new QListWidgetItem(textOf(one), this);
      item->setData(Qt::UserRole, QVariant::fromValue<qulonglong>(i));
      if (isSelected(one)) setCurrentItem(item);
    }
  }
  updateSketches();
  if (isOther) onRowChanged();
  if (before && !selected()) Q_EMIT selectedRemoved();
}

void ExperimentList::updateSketches() {
  for (int row = 0; row < count(); ++row) {
    const QVariant index = item(row)->data(Qt::UserRole);
    if (!index.isValid()) continue;
    const ListedExperiment& one = experiments_[index.toULongLong()];
    item(row)->setIcon(sketchOf(one.theory.empty() ? one.sketch : SketchKind::theory, *this));
  }
}

void ExperimentList::addHeading(const QString& text) {
  auto* item = new QListWidgetItem(text, this);
  item->setFlags(Qt::NoItemFlags);
}

void ExperimentList::onRowChanged() {
  if (const ListedExperiment* one = selected()) Q_EMIT chosen(*one);
}

}  // namespace lambda
