#include "app/runs/panels/fork_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/runs/path_text.h"
#include "app/runs/run_row.h"
#include "engine/values/config/validate.h"
#include "widgets/forms/field_form.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kSize(520, 640);

std::vector<FieldRow> ownRows(const RunConfig& config) {
  std::vector<FieldRow> rows = rowsOf(config);
  std::erase_if(rows, [](const FieldRow& row) { return row.path != "name" && row.path != "seed"; });
  return rows;
}

/// Whether the chosen optimiser and schedule use the field.
bool isInUse(const FieldRow& row, const Recipe& recipe) {
  const bool momentum = hasMomentum(recipe.optimizer.kind);
  const ScheduleKind schedule = recipe.schedule.kind;
  const std::string name = row.path.substr(row.path.rfind('.') + 1);
  if (name == "muonLearningRate") return recipe.optimizer.kind == OptimizerKind::muon;
  if (name == "momentum" || name == "nesterov") return momentum;
  if (name == "beta1" || name == "beta2" || name == "epsilon") return !momentum;
  if (row.path.starts_with("recipe.optimizer.decayFactors.")) {
    return !recipe.optimizer.decayAllParameters;
  }
  if (name == "stepEpochs" || name == "stepFactor") return schedule == ScheduleKind::step;
  if (name == "peakFraction") return schedule == ScheduleKind::triangular;
  if (name == "warmupEpochs") return schedule != ScheduleKind::triangular;
  if (name == "finalFactor") {
    return schedule != ScheduleKind::constant && schedule != ScheduleKind::step;
  }
  return true;
}

std::vector<FieldRow> recipeRows(const Recipe& recipe) {
  std::vector<FieldRow> rows = rowsOf(recipe, "recipe");
  std::erase_if(rows, [&](const FieldRow& row) { return !isInUse(row, recipe); });
  return rows;
}

QString checkpointText(const CheckpointFile& file) {
  const std::string stem = file.path.stem().string();
  QString name = QString::fromStdString(stem);
  if (stem == "last") name = ForkDialog::tr("Last");
  if (stem == "best") name = ForkDialog::tr("Best validation");
  if (stem.starts_with("epoch-")) {
    name = ForkDialog::tr("End of epoch %1").arg(QString::fromStdString(stem.substr(6)).toInt());
  }
  return ForkDialog::tr("%1 (%2)").arg(name, bytesText(file.bytes));
}

}  // namespace

ForkDialog::ForkDialog(const RunSummary& run, QWidget* parent)
    : QDialog(parent),
      run_(run.path),
      config_(run.record.config),
      checkpoints_(new QComboBox(this)),
      form_(new FieldForm),
      fork_(new QPushButton(tr("Start the fork"), this)) {
  setWindowTitle(tr("Fork %1").arg(rowOf(run).name()));
  resize((kSize * textScale()).boundedTo(screen()->availableSize()));
  config_.name = config_.name + "-fork";
  auto* text = new QLabel(
      tr("Starts a new run from a checkpoint of this one. The network stays, everything else may "
         "change. The old run is left alone; the new one notes where it comes from."),
      this);
  text->setWordWrap(true);
  text->setProperty(kRole, u"secondary"_s);
  checkpoints_->setAccessibleName(tr("Checkpoint"));
  auto* from = new QFormLayout;
  from->addRow(tr("From"), checkpoints_);
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(form_);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
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
  column->addWidget(buttons);

  connect(
      form_, &FieldForm::edited, this, [this](const std::string& path, const FieldValue& value) {
        setField(config_, path, value);
        refresh();
      });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    Q_EMIT forkRequested(toPath(checkpoints_->currentData().toString()), config_);
    accept();
  });
  refresh();
}

void ForkDialog::setCheckpoints(const RunFiles& files, const std::filesystem::path& chosen) {
  checkpoints_->clear();
  for (const CheckpointFile& file : files.checkpoints) {
    if (file.bytes == 0) continue;
    checkpoints_->addItem(checkpointText(file), toText(file.path));
    if (file.path == chosen) checkpoints_->setCurrentIndex(checkpoints_->count() - 1);
  }
  updateButton();
}

void ForkDialog::refresh() {
  form_->setSections({{tr("Run"), ownRows(config_)},
                      {tr("Recipe"), recipeRows(config_.recipe)},
                      {tr("Augmentation"), rowsOf(config_.data.augmentation, "data.augmentation")},
                      {tr("Device"), rowsOf(config_.device, "device")}});
  form_->setProblems(validate(config_));
  updateButton();
}

void ForkDialog::updateButton() {
  const bool hasCheckpoint = checkpoints_->count() > 0;
  const bool isSound = !hasErrors(validate(config_));
  fork_->setEnabled(hasCheckpoint && isSound);
  fork_->setToolTip(!hasCheckpoint ? tr("This run has no checkpoint to start from")
                    : !isSound     ? tr("Fix the marked problems first")
                                   : QString());
}

}  // namespace lambda
