#include "app/train/setup/setup_view.h"

#include <algorithm>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/session/project_document.h"
#include "app/train/data/augmentation_preview.h"
#include "app/train/data/data_panel.h"
#include "app/train/data/sample_images.h"
#include "app/train/setup/plan_card.h"
#include "app/train/setup/recipe_sections.h"
#include "app/train/setup/setup_column.h"
#include "widgets/forms/field_form.h"
#include "widgets/plots/learning_rate_plot.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kSetupGap = 8;
constexpr int kHighestPlot = 180;

QLabel* makeText(QWidget* parent, const QString& role) {
  auto* label = new QLabel(parent);
  label->setProperty(kRole, role);
  label->setWordWrap(true);
  label->setContentsMargins(2 * kSetupGap, 0, 2 * kSetupGap, 0);
  return label;
}

void disable(std::vector<FormSection>& sections) {
  for (FormSection& section : sections) {
    for (FieldRow& row : section.rows) row.enabled = false;
  }
}

}  // namespace

SetupView::SetupView(ProjectDocument& document, QWidget* parent)
    : QWidget(parent), document_(document), samples_(new SampleImages(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(kSetupGap, 0, kSetupGap, 0);
  row->setSpacing(0);
  row->addStretch(1);
  makeDataColumn();
  makeRecipeColumn();
  makeMachineColumn();
  row->addStretch(1);
  for (FieldForm* form : forms_) connectForm(*form);
  connect(&document_, &ProjectDocument::changed, this, &SetupView::refresh);
  connect(data_, &DataPanel::sourceChosen, this, &SetupView::chooseSource);
  connect(data_, &DataPanel::stateChanged, this, [this] {
    if (!run_) document_.setDataset(data_->dataset());
    requestSamples();
    Q_EMIT problemsChanged();
  });
  connect(samples_, &SampleImages::arrived, this, [this] {
    preview_->setSamples(samples_->samples());
  });
  refresh();
}

// ---- making ----

SetupColumn* SetupView::addColumn(const QString& title, QWidget* beside) {
  auto* row = static_cast<QHBoxLayout*>(layout());
  if (row->count() > 1) {
    auto* line = new QWidget(this);
    line->setFixedWidth(1);
    line->setBackgroundRole(QPalette::Mid);
    line->setAutoFillBackground(true);
    row->addWidget(line);
  }
  auto* column = new SetupColumn(title, beside, this);
  row->addWidget(column, 100);
  return column;
}

FieldForm* SetupView::makeForm() {
  auto* form = new FieldForm(this);
  form->setHelpVisible(false);
  return form;
}

void SetupView::makeDataColumn() {
  SetupColumn* column = addColumn(tr("Data"));
  data_ = new DataPanel(DataPanel::realServices(), this);
  data_->setContentsMargins(2 * kSetupGap, 0, 2 * kSetupGap, 0);
  column->add(data_);
  column->add(forms_[0] = makeForm());
  preview_ = new AugmentationPreview(this);
  preview_->setPlaceholder(tr("Training images are shown here as soon as there are any."));
  next_ = new QToolButton(this);
  next_->setText(tr("Next images"));
  next_->setProperty(kRole, u"quiet"_s);
  connect(next_, &QToolButton::clicked, preview_, &AugmentationPreview::showNext);
  seen_ = column->addPicture(tr("What training sees"), *preview_, *preview_, next_, 0);
  column->end();
}

void SetupView::makeRecipeColumn() {
  SetupColumn* column = addColumn(tr("Recipe"));
  column->add(forms_[1] = makeForm());
  learningRate_ = new LearningRatePlot(this);
  updateSizes();
  column->addPicture(tr("Learning rate"), *learningRate_, *learningRate_, nullptr, 4);
  column->end();
}

void SetupView::updateSizes() {
  learningRate_->setMaximumHeight(qRound(kHighestPlot * textScale()));
}

void SetupView::makeMachineColumn() {
  all_ = new QToolButton(this);
  all_->setText(tr("All settings"));
  all_->setCheckable(true);
  all_->setProperty(kRole, u"quiet"_s);
  all_->setToolTip(tr("Also show what is rarely changed"));
  connect(all_, &QToolButton::toggled, this, &SetupView::refresh);
  SetupColumn* column = addColumn(tr("Machine"), all_);
  device_ = makeText(this, u"secondary"_s);
  device_->setObjectName(u"device"_s);
  column->add(device_);
  column->add(forms_[2] = makeForm());
  plan_ = new PlanCard(this);
  connect(plan_, &PlanCard::designRequested, this, &SetupView::designRequested);
  column->addInside(plan_);
  column->end();
}

void SetupView::connectForm(FieldForm& form) {
  connect(&form, &FieldForm::edited, this, &SetupView::edit);
  connect(&form, &FieldForm::fixRequested, this, [this](const Fix& fix) {
    if (!run_) document_.applyFix(fix);
  });
}

// ---- showing ----

void SetupView::setDevice(const QString& sentence, int cores) {
  cores_ = cores;
  device_->setText(sentence);
  refresh();
}

void SetupView::showRun(const RunConfig& config) {
  run_ = config;
  data_->setReadOnly(true);
  refresh();
}

void SetupView::showDocument() {
  run_.reset();
  learningRate_->setPosition(-1);
  data_->setReadOnly(false);
  refresh();
}

void SetupView::setPosition(double epoch) {
  learningRate_->setPosition(epoch);
}

void SetupView::setAllShown(bool all) {
  all_->setChecked(all);
}

bool SetupView::allShown() const {
  return all_->isChecked();
}

void SetupView::refresh() {
  const RunConfig& config = run_ ? *run_ : document_.config();
  data_->setSource(config.data.source);
  Q_EMIT problemsChanged();
  // Design changes the document many times a second during a drag.
  isStale_ = !isVisible();
  if (isStale_) return;
  const std::vector<Problem> problems = run_ ? std::vector<Problem>() : document_.problems();
  RecipeForms content = recipeForms(config, all_->isChecked(), problems, cores_);
  std::vector<FormSection>* sections[] = {&content.data, &content.recipe, &content.machine};
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    if (run_) disable(*sections[i]);
    forms_[i]->setSections(*sections[i]);
    forms_[i]->setProblems(problems);
  }
  preview_->setAugmentation(config.data.augmentation, config.seed);
  learningRate_->setCurve(learningRateCurve(config.recipe), config.recipe.epochs);
  plan_->setPlan(config, data_->dataset(), problems);
}

void SetupView::requestSamples() {
  const bool isReady = data_->state() == DataState::usable || data_->state() == DataState::builtIn;
  // Without images their space is needed for the ways to get some.
  seen_->setVisible(isReady || data_->state() == DataState::checking);
  next_->setEnabled(isReady);
  if (!isReady) {
    preview_->setSamples(nullptr);
    return;
  }
  if (!isVisible()) return;
  samples_->request(data_->resolvedSource());
  if (samples_->samples()) preview_->setSamples(samples_->samples());
}

void SetupView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (isStale_) refresh();
  requestSamples();
}

void SetupView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) updateSizes();
}

// ---- changing ----

void SetupView::edit(const std::string& path, const FieldValue& value, const QString& gesture) {
  if (run_) return;
  RunConfig next = document_.config();
  if (!setField(next, path, value)) return;
  FieldRow row;
  row.path = path;
  row.value = value;
  field_rows::addLook(row);
  const QString text = tr("Set %1 to %2")
                           .arg(QString::fromStdString(row.label).toLower(),
                                QString::fromStdString(textOf(row, value)));
  document_.edit(next, text, gesture);
}

void SetupView::chooseSource(const DataSource& source) {
  if (run_) return;
  RunConfig next = document_.config();
  next.data.source = source;
  document_.edit(next, tr("Set data set to %1").arg(QString::fromStdString(textOf(source))));
}

std::vector<Problem> SetupView::problems() const {
  std::vector<Problem> all = document_.problems();
  const std::vector<Problem> ofData = data_->problems();
  all.insert(all.end(), ofData.begin(), ofData.end());
  return all;
}

RunConfig SetupView::runConfig() const {
  RunConfig config = document_.config();
  config.data.source = data_->resolvedSource();
  return config;
}

bool SetupView::showField(const std::string& path) {
  if (isStale_) return false;
  const int form = formOf(path);
  if (form < 0) return false;
  FieldForm& target = *forms_[static_cast<std::size_t>(form)];
  if (target.focusField(path)) return true;
  setAllShown(true);
  if (target.focusField(path)) return true;
  if (form == 0) data_->setFocus();
  return form == 0;
}

}  // namespace lambda
