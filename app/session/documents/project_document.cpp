#include "app/session/documents/project_document.h"

#include <algorithm>
#include <filesystem>

#include <QFileInfo>
#include <QUndoCommand>

#include "app/session/machine_memory.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/config_override.h"
#include "engine/formats/json/presets.h"
#include "engine/runtime/error.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/validate.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Any positive number: Qt asks commands to merge only where their ids agree.
constexpr int kGestureId = 1;

/// Far larger than any network that a person describes.
constexpr std::uint64_t kLargestDocument = 16 << 20;

/// The configuration with the number of validation examples that its data has, where the data has
/// its own and nobody has chosen another number.
RunConfig withOwnValidation(RunConfig config, const std::optional<DatasetInfo>& dataset) {
  const std::optional<DatasetInfo> known = dataset ? dataset : announcedInfo(config.data.source);
  const bool isChosen = config.data.validationCount != DataConfig().validationCount;
  if (known && known->validationCount > 0 && !isChosen) {
    config.data.validationCount = static_cast<int>(known->validationCount);
  }
  return config;
}

/// The problems of a configuration on this machine.
std::vector<Problem> problemsOf(const RunConfig& document,
                                const std::optional<DatasetInfo>& dataset) {
  const RunConfig config = withOwnValidation(document, dataset);
  std::vector<Problem> problems = validate(config, dataset);
  // The costs of an invalid network are not known, and a GPU has its own memory.
  if (hasErrors(problems) || config.device.kind == DeviceKind::cuda) return problems;
  const long long machine = machineMemory();
  const long long needed = trainingBytes(costOf(config.architecture), config.recipe);
  if (machine == 0 || needed <= machine) return problems;
  const QString text =
      u"Training needs about %1 of memory, and this machine has %2. Make the batches "
      "smaller, or use fewer blocks or less width; for a GPU with enough memory, choose CUDA "
      "as the "
      "device"_s.arg(bytesText(needed), bytesText(machine));
  problems.push_back({"recipe.batchSize", Severity::error, text.toStdString(), std::nullopt});
  return problems;
}

/// What a file holds.
struct ReadDocument {
  std::variant<Architecture, RunConfig> content;
  QStringList ignored;
  QString problem;  ///< Why it can't be read; empty where it can.
};

ReadDocument documentIn(const QString& path) {
  ReadDocument read;
  std::vector<Problem> ignored;
  try {
    const std::string text = readFile(toPath(path), kLargestDocument);
    read.content = documentFromJson(text, path.toStdString(), ignored);
  } catch (const Error& error) {
    read.problem = QString::fromStdString(error.what());
  }
  for (const Problem& problem : ignored) {
    read.ignored << QString::fromStdString(problem.path + ": " + problem.text);
  }
  return read;
}

/// The kind of an existing file; `unknown` also where it can't be read.
DocumentKind kindOf(const QString& path) {
  try {
    return documentKind(readFile(toPath(path), kLargestDocument), path.toStdString());
  } catch (const Error&) {
    return DocumentKind::unknown;
  }
}

/// Why saving must not replace a file; empty where it may.
QString reasonToKeep(const QString& path, const QString& ownPath) {
  const QFileInfo file(path);
  if (!file.isFile() || file.size() == 0) return {};
  QString content;
  switch (kindOf(path)) {
    case DocumentKind::network:
    case DocumentKind::run:
      return {};
    case DocumentKind::experiment:
      content = u"it is an experiment"_s;
      break;
    case DocumentKind::runRecord:
      content = u"it is the record of a run"_s;
      break;
    case DocumentKind::unknown:
      // A damaged file is mended by saving the network that it had.
      if (file.absoluteFilePath() == ownPath) return {};
      content = u"it is not a network or a run's configuration"_s;
      break;
  }
  return content + u", and saving would destroy it\n  choose another name"_s;
}

/// Whether the name in a file is that of the file, of a preset or of the network, so that no person
/// has chosen it for runs.
bool isInherited(const RunConfig& config, const QString& path) {
  const std::vector<std::string> presets = presetNames();
  return config.name == documentNameOf(path).toStdString() ||
         config.name == config.architecture.name ||
         std::ranges::find(presets, config.name) != presets.end();
}

}  // namespace

class ProjectDocument::Change : public QUndoCommand {
 public:
  Change(ProjectDocument& document, RunConfig after, const QString& text, const QString& gesture)
      : QUndoCommand(text),
        document_(document),
        before_(document.config_),
        after_(std::move(after)),
        gesture_(gesture) {}

  void undo() override { document_.set(before_); }

  void redo() override { document_.set(after_); }

  int id() const override { return gesture_.isEmpty() ? -1 : kGestureId; }

  bool mergeWith(const QUndoCommand* later) override {
    const auto* change = dynamic_cast<const Change*>(later);
    if (!change || change->gesture_ != gesture_) return false;
    after_ = change->after_;
    setText(change->text());
    setObsolete(after_ == before_);
    return true;
  }

 private:
  ProjectDocument& document_;
  RunConfig before_;
  RunConfig after_;
  QString gesture_;
};

ProjectDocument::ProjectDocument(QObject* parent) : QObject(parent) {
  connect(&undoStack_, &QUndoStack::cleanChanged, this, &ProjectDocument::titleChanged);
  problems_ = problemsOf(config_, dataset_);
}

ProjectDocument::~ProjectDocument() {
  // A destroyed undo stack clears itself, which would look like a saved document.
  undoStack_.disconnect(this);
}

QString documentNameOf(const QString& path) {
  return toText(documentName(toPath(path)));
}

QString ProjectDocument::title() const {
  if (!path_.isEmpty()) return documentNameOf(path_);
  const std::string& name = config_.name.empty() ? config_.architecture.name : config_.name;
  return name.empty() ? u"Untitled"_s : QString::fromStdString(name);
}

RunConfig ProjectDocument::runConfig() const {
  return withOwnValidation(namedFor(path_), dataset_);
}

RunConfig ProjectDocument::namedFor(const QString& path) const {
  RunConfig config = config_;
  const bool hasOwnName = !config.name.empty() && config.name != inheritedName_;
  if (!path.isEmpty() && !hasOwnName) config.name = documentNameOf(path).toStdString();
  return config;
}

void ProjectDocument::edit(const RunConfig& next, const QString& text, const QString& gesture) {
  if (next == config_) return;
  undoStack_.push(new Change(*this, next, text, gesture));
}

QString ProjectDocument::applyFix(const Fix& fix) {
  return applyFixes({fix}, QString::fromStdString(fix.label));
}

QString ProjectDocument::applyFixes(const std::vector<Fix>& fixes, const QString& text) {
  RunConfig next = config_;
  try {
    for (const Fix& fix : fixes) lambda::applyFix(next, fix);
  } catch (const Error& error) {
    return QString::fromStdString(error.what());
  }
  edit(next, text);
  return {};
}

void ProjectDocument::startFrom(const RunConfig& config) {
  path_.clear();
  ignored_.clear();
  inheritedName_ = config.name;
  savedConfig_ = config;
  undoStack_.clear();
  set(config);
  Q_EMIT titleChanged();
}

QString ProjectDocument::open(const QString& path) {
  ReadDocument read = documentIn(path);
  if (!read.problem.isEmpty()) return read.problem;
  RunConfig config = config_;
  if (const auto* run = std::get_if<RunConfig>(&read.content)) {
    config = *run;
  } else {
    config.architecture = std::get<Architecture>(read.content);
    config.name = config.architecture.name;
  }
  startFrom(config);
  path_ = QFileInfo(path).absoluteFilePath();
  ignored_ = std::move(read.ignored);
  if (!isInherited(config, path_)) inheritedName_.clear();
  Q_EMIT titleChanged();
  return {};
}

QString ProjectDocument::problemOf(const QString& path) {
  return documentIn(path).problem;
}

QString ProjectDocument::saveAs(const QString& path) {
  if (const QString reason = reasonToKeep(path, path_); !reason.isEmpty()) return reason;
  try {
    writeFileDurably(toPath(path), toJson(namedFor(path)));
  } catch (const Error& error) {
    return QString::fromStdString(error.what());
  }
  path_ = QFileInfo(path).absoluteFilePath();
  ignored_.clear();
  savedConfig_ = config_;
  undoStack_.setClean();
  Q_EMIT changed();
  Q_EMIT titleChanged();
  return {};
}

void ProjectDocument::recover(const RunConfig& saved,
                              const RunConfig& config,
                              const QString& path) {
  startFrom(saved);
  path_ = path;
  if (!path_.isEmpty()) ignored_ = documentIn(path_).ignored;
  if (!isInherited(saved, path_)) inheritedName_.clear();
  if (saved == config) undoStack_.resetClean();
  edit(config, u"Restore unsaved changes"_s);
  Q_EMIT titleChanged();
}

void ProjectDocument::setDataset(const std::optional<DatasetInfo>& dataset) {
  if (dataset == dataset_) return;
  dataset_ = dataset;
  problems_ = problemsOf(config_, dataset_);
  Q_EMIT changed();
}

void ProjectDocument::set(const RunConfig& config) {
  if (config.data.source != config_.data.source) dataset_.reset();
  config_ = config;
  problems_ = problemsOf(config_, dataset_);
  Q_EMIT changed();
}

}  // namespace lambda
