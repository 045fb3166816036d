#include "app/studio/settings/training_section.h"

#include <utility>

#include <QGridLayout>
#include <QSignalBlocker>
#include <QSpinBox>

#include "app/studio/preferences.h"
#include "app/studio/settings/section_parts.h"
#include "widgets/forms/field_form.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The fields of a configuration whose defaults a person can choose.
bool isOffered(const std::string& path) {
  return path == "device.threads" || path.starts_with("checkpoints.") ||
         path.starts_with("monitoring.");
}

std::vector<FieldRow> offeredRows(const RunConfig& config) {
  std::vector<FieldRow> rows = rowsOf(config);
  std::erase_if(rows, [](const FieldRow& row) { return !isOffered(row.path); });
  return rows;
}

std::vector<FormSection> offeredSections(const RunConfig& config) {
  std::vector<FormSection> sections{{u"Machine"_s, {}}, {u"Recording"_s, {}}};
  for (FieldRow& row : offeredRows(config))
    sections[row.path.starts_with("device.") ? 0 : 1].rows.push_back(std::move(row));
  return sections;
}

/// "checkpoints.keepBest=false"
std::string overrideOf(const FieldRow& row) {
  std::string value;
  if (const auto* on = std::get_if<bool>(&row.value)) {
    value = *on ? "true" : "false";
  } else {
    value = textOf(row, row.value);
  }
  return row.path + "=" + value;
}

}  // namespace

TrainingSection::TrainingSection(Preferences& preferences, QWidget* parent)
    : QWidget(parent),
      preferences_(preferences),
      form_(new FieldForm),
      files_(new QSpinBox),
      inspections_(new QSpinBox) {
  QVBoxLayout* column = makeColumn(*this);
  addHeading(*column, u"New runs"_s);
  column->addWidget(form_);
  addNote(*column,
          u"Templates, the quickstart and the network at the next start begin with these "
          u"settings. The open network and saved files keep their own; change those in "
          u"Train."_s);
  column->addSpacing(12);
  makeThreads();
  column->addStretch();
  connect(
      form_, &FieldForm::edited, this, [this](const std::string& path, const FieldValue& value) {
        if (setField(defaults_, path, value)) store();
      });
  connect(&preferences_, &Preferences::settingsChanged, this, &TrainingSection::showSettings);
  showSettings();
}

void TrainingSection::makeThreads() {
  auto* column = static_cast<QVBoxLayout*>(layout());
  addHeading(*column, u"Threads of the studio itself"_s);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(16);
  grid->setColumnStretch(2, 1);
  const auto add = [&](QSpinBox* box, const QString& name) {
    const int row = grid->rowCount();
    auto* label = new QLabel(name);
    label->setBuddy(box);
    box->setRange(1, kMostOwnThreads);
    box->setAccessibleName(name);
    grid->addWidget(label, row, 0);
    grid->addWidget(box, row, 1);
    connect(box, &QSpinBox::valueChanged, this, &TrainingSection::store);
  };
  add(files_, u"Reading and writing files"_s);
  add(inspections_, u"Inspecting checkpoints"_s);
  column->addLayout(grid);
  addNote(*column,
          u"They have a lower priority than a training. The number for files changes at "
          u"once, the one for inspections with the next checkpoint that is opened."_s);
}

void TrainingSection::showSettings() {
  defaults_ = withRunDefaults(RunConfig());
  form_->setSections(offeredSections(defaults_));
  const QSignalBlocker files(files_), inspections(inspections_);
  files_->setValue(preferences_.settings().fileThreads);
  inspections_->setValue(preferences_.settings().inspectionThreads);
}

void TrainingSection::store() {
  StudioSettings settings = preferences_.settings();
  settings.runDefaults.clear();
  for (const FieldRow& row : offeredRows(defaults_)) {
    if (row.value != row.initial) settings.runDefaults.push_back(overrideOf(row));
  }
  settings.fileThreads = files_->value();
  settings.inspectionThreads = inspections_->value();
  preferences_.setSettings(settings);
}

}  // namespace lambda
