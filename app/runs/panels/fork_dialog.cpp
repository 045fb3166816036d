#include "app/runs/panels/fork_dialog.h"

#include <algorithm>
#include <string>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/runs/run_actions.h"
#include "app/runs/run_row.h"
#include "engine/formats/json/config_override.h"
#include "engine/runtime/error.h"
#include "engine/values/config/validate.h"
#include "widgets/forms/field_form.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kSize(520, 640);
constexpr int kEpochsRole = Qt::UserRole + 1;
const std::string kEpochsPath = "recipe.epochs";

std::vector<FieldRow> ownRows(const RunConfig& config) {
  std::vector<FieldRow> rows = rowsOf(config);
  std::erase_if(rows, [](const FieldRow& row) { return row.path != "name" && row.path != "seed"; });
  return rows;
}

/// All settings of a fork that have an effect: everything but the network.
std::vector<FormSection> sectionsOf(const RunConfig& config) {
  std::vector<FormSection> sections{
      {u"Run"_s, ownRows(config)},
      {u"Recipe"_s, rowsOf(config.recipe, "recipe")},
      {u"Augmentation"_s, rowsOf(config.data.augmentation, "data.augmentation")},
      {u"Device"_s, rowsOf(config.device, "device")}};
  for (FormSection& section : sections)
    std::erase_if(section.rows, [](const FieldRow& row) { return !row.applies; });
  return sections;
}

/// Whether a form with these sections shows the problem beside one of its fields.
bool isShownBy(const std::vector<FormSection>& sections, const Problem& problem) {
  return std::any_of(sections.begin(), sections.end(), [&](const FormSection& section) {
    return std::any_of(section.rows.begin(), section.rows.end(), [&](const FieldRow& row) {
      return row.path == problem.path || row.path.starts_with(problem.path + ".");
    });
  });
}

QString checkpointText(const CheckpointFile& file) {
  const std::string stem = file.path.stem().string();
  QString name = QString::fromStdString(stem);
  if (stem == "last") name = u"Last"_s;
  if (stem == "best") name = u"Best validation accuracy"_s;
  if (stem.starts_with("epoch-")) name = u"End of epoch"_s;
  if (file.epochsDone) {
    name = stem.starts_with("epoch-") ? u"End of epoch %1"_s.arg(*file.epochsDone)
                                      : u"%1, after epoch %2"_s.arg(name).arg(*file.epochsDone);
  }
  return u"%1 (%2)"_s.arg(name, bytesText(file.bytes));
}

std::string forkName(const RunConfig& config) {
  const std::string& name = config.name.empty() ? config.architecture.name : config.name;
  return name.empty() ? "fork" : name + "-fork";
}

}  // namespace

ForkDialog::ForkDialog(const RunSummary& run, QWidget* parent)
    : QDialog(parent),
      run_(run.path),
      config_(run.record.config),
      runEpochs_(config_.recipe.epochs),
      epochsDone_(run.record.epochsDone),
      checkpoints_(new QComboBox(this)),
      form_(new FieldForm),
      problem_(new QLabel(this)),
      fork_(new QPushButton(this)) {
  setName(rowOf(run).name());
  resize((kSize * textScale()).boundedTo(screen()->availableSize()));
  config_.name = forkName(config_);
  auto* text = new QLabel(
      u"Starts a new run from a checkpoint of this one. The network stays, everything else may "
      "change. The old run is left alone; the new one notes where it comes from."_s,
      this);
  text->setWordWrap(true);
  text->setProperty(kRole, u"secondary"_s);
  checkpoints_->setAccessibleName(u"Checkpoint"_s);
  auto* from = new QFormLayout;
  from->addRow(u"From"_s, checkpoints_);
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(form_);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_->setProperty(kRole, u"error"_s);
  fork_->setProperty(kRole, u"primary"_s);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->button(QDialogButtonBox::Cancel)->setIcon({});
  buttons->addButton(fork_, QDialogButtonBox::AcceptRole);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  column->addWidget(text);
  column->addLayout(from);
  column->addWidget(scroll, 1);
  column->addWidget(problem_);
  column->addWidget(buttons);

  connect(
      form_, &FieldForm::edited, this, [this](const std::string& path, const FieldValue& value) {
        edit(path, value);
      });
  connect(form_, &FieldForm::fixRequested, this, &ForkDialog::fix);
  connect(checkpoints_, &QComboBox::currentIndexChanged, this, &ForkDialog::followCheckpoint);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, &ForkDialog::start);
  followCheckpoint();
}

void ForkDialog::setCheckpoints(const RunFiles& files, const std::filesystem::path& preferred) {
  const QString before = checkpoints_->currentData().toString();
  const QString chosen = before.isEmpty() ? toText(preferred) : before;
  {
    const QSignalBlocker blocker(checkpoints_);
    checkpoints_->clear();
    for (const CheckpointFile& file : files.checkpoints) {
      if (file.bytes == 0) continue;
      checkpoints_->addItem(checkpointText(file), toText(file.path));
      const int added = checkpoints_->count() - 1;
      if (file.epochsDone) checkpoints_->setItemData(added, *file.epochsDone, kEpochsRole);
      if (toText(file.path) == chosen) checkpoints_->setCurrentIndex(added);
    }
  }
  followCheckpoint();
}

void ForkDialog::followRun(const std::filesystem::path& run) {
  for (int i = 0; i < checkpoints_->count(); ++i) {
    const std::filesystem::path file = toPath(checkpoints_->itemData(i).toString());
    checkpoints_->setItemData(i, toText(run / file.lexically_relative(run_)));
  }
  run_ = run;
}

void ForkDialog::setName(const QString& name) {
  setWindowTitle(u"Fork %1"_s.arg(name));
}

void ForkDialog::showRefusal(const QString& reason) {
  isStarting_ = false;
  refusal_ = u"Could not start the fork: %1"_s.arg(reason);
  updateState();
}

void ForkDialog::edit(const std::string& path, const FieldValue& value) {
  setField(config_, path, value);
  if (path == kEpochsPath) areEpochsEdited_ = true;
  refresh();
}

void ForkDialog::fix(const Fix& fix) {
  try {
    applyFix(config_, fix);
  } catch (const Error& error) {
    return showRefusal(QString::fromStdString(error.what()));
  }
  refresh();
}

void ForkDialog::start() {
  isStarting_ = true;
  refusal_.clear();
  updateState();
  Q_EMIT forkRequested(toPath(checkpoints_->currentData().toString()), config_);
}

void ForkDialog::followCheckpoint() {
  const QVariant epochs = checkpoints_->currentData(kEpochsRole);
  if (epochs.isValid()) epochsDone_ = epochs.toInt();
  if (!areEpochsEdited_) {
    config_.recipe.epochs = runEpochs_ > epochsDone_ ? runEpochs_ : epochsDone_ + kMoreEpochs;
  }
  refresh();
}

std::vector<Problem> ForkDialog::problems() const {
  std::vector<Problem> problems = validate(config_);
  if (config_.recipe.epochs > epochsDone_) return problems;
  const int enough = epochsDone_ + kMoreEpochs;
  problems.push_back(
      {kEpochsPath,
       Severity::error,
       u"The checkpoint has done %1 already. Train for more epochs than that."_s
           .arg(countedText(epochsDone_, u"epoch"_s))
           .toStdString(),
       Fix{u"Set %1 epochs"_s.arg(enough).toStdString(), kEpochsPath, std::to_string(enough)}});
  return problems;
}

QString ForkDialog::textOfHidden(const std::vector<Problem>& problems) const {
  const std::vector<FormSection> sections = sectionsOf(config_);
  QStringList texts;
  for (const Problem& problem : problems) {
    if (problem.severity == Severity::error && !isShownBy(sections, problem)) {
      texts << QString::fromStdString(problem.text);
    }
  }
  return texts.join(u'\n');
}

void ForkDialog::refresh() {
  refusal_.clear();
  form_->setSections(sectionsOf(config_));
  form_->setProblems(problems());
  updateState();
}

void ForkDialog::updateState() {
  const std::vector<Problem> found = problems();
  const bool hasCheckpoint = checkpoints_->count() > 0;
  const bool isSound = !hasErrors(found);
  problem_->setText(refusal_.isEmpty() ? textOfHidden(found) : refusal_);
  problem_->setVisible(!problem_->text().isEmpty());
  form_->setEnabled(!isStarting_);
  checkpoints_->setEnabled(!isStarting_);
  fork_->setText(isStarting_ ? u"Starting …"_s : u"Start the fork"_s);
  fork_->setEnabled(hasCheckpoint && isSound && !isStarting_);
  fork_->setToolTip(!hasCheckpoint ? u"This run has no checkpoint to start from"_s
                    : !isSound     ? u"Fix the marked problems first"_s
                                   : QString());
}

}  // namespace lambda
