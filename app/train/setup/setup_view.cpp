#include "app/train/setup/setup_view.h"

#include <algorithm>
#include <utility>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QToolButton>

#include "app/session/documents/project_document.h"
#include "app/train/data/augmentation_preview.h"
#include "app/train/data/data_panel.h"
#include "app/train/data/sample_images.h"
#include "app/train/setup/change_bar.h"
#include "app/train/setup/plan_card.h"
#include "app/train/setup/recipe_sections.h"
#include "app/train/setup/setup_column.h"
#include "app/train/weights/weights_panel.h"
#include "engine/values/config/validate.h"
#include "widgets/forms/field_form.h"
#include "widgets/plots/lines/learning_rate_plot.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kHighestPlot = 180;

QLabel* makeText(QWidget* parent, const QString& role) {
  auto* label = new QLabel(parent);
  label->setProperty(kRole, role);
  label->setWordWrap(true);
  label->setContentsMargins(spacing::kMargin, 0, spacing::kMargin, 0);
  return label;
}

}  // namespace

SetupView::SetupView(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      change_(new ChangeBar(this)),
      samples_(new SampleImages(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(spacing::kGap, 0, spacing::kGap, 0);
  column->setSpacing(0);
  auto* above = new QHBoxLayout;
  above->setContentsMargins(spacing::kGap, 0, spacing::kGap, 0);
  above->addWidget(change_);
  makeChoice();
  column->addWidget(choice_);
  column->addLayout(above);
  row_ = new QHBoxLayout;
  row_->setSpacing(0);
  column->addLayout(row_, 1);
  row_->addStretch(1);
  makeDataColumn();
  makeRecipeColumn();
  makeMachineColumn();
  row_->addStretch(1);
  connect(change_, &ChangeBar::applyRequested, this, [this] {
    change_->setWaiting(true);
    Q_EMIT changeRequested(run_->prepared());
  });
  connect(change_, &ChangeBar::discardRequested, this, [this] {
    run_->discard();
    refresh();
  });
  for (FieldForm* form : forms_) connectForm(*form);
  connect(&document_, &ProjectDocument::changed, this, &SetupView::refresh);
  connect(data_, &DataPanel::sourceChosen, this, &SetupView::chooseSource);
  connect(data_, &DataPanel::stateChanged, this, [this] {
    if (!showsRun()) document_.setDataset(data_->dataset());
    requestSamples();
    Q_EMIT problemsChanged();
  });
  connect(samples_, &SampleImages::arrived, this, [this] {
    preview_->setSamples(samples_->samples());
  });
  refresh();
  onFontChange(*this, [this] { updateSizes(); });
}

// ---- making ----

void SetupView::makeChoice() {
  choice_ = new QWidget(this);
  choice_->hide();
  tabs_ = new QTabBar(choice_);
  tabs_->setObjectName(u"shownSettings"_s);
  tabs_->setAccessibleName(u"Shown settings"_s);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->addTab({});
  tabs_->addTab(u"Next run"_s);
  auto* queue = new QPushButton(u"Then train this"_s, choice_);
  queue->setObjectName(u"queue"_s);
  queue->setToolTip(u"Train the network of Design with these settings after the present run"_s);
  queue->hide();
  auto* row = new QHBoxLayout(choice_);
  row->setContentsMargins(spacing::kGap, 0, spacing::kGap, 0);
  row->addWidget(tabs_);
  row->addStretch();
  row->addWidget(queue);
  connect(queue, &QPushButton::clicked, this, &SetupView::queueRequested);
  connect(tabs_, &QTabBar::currentChanged, this, [this, queue] {
    queue->setVisible(tabs_->currentIndex() == 1);
    if (!showsRun()) learningRate_->setPosition(-1);
    data_->setReadOnly(showsRun());
    refresh();
  });
}

SetupColumn* SetupView::addColumn(const QString& title, QWidget* beside) {
  if (row_->count() > 1) {
    auto* line = new QWidget(this);
    line->setFixedWidth(1);
    line->setBackgroundRole(QPalette::Mid);
    line->setAutoFillBackground(true);
    row_->addWidget(line);
  }
  auto* column = new SetupColumn(title, beside, this);
  row_->addWidget(column, 100);
  return column;
}

FieldForm* SetupView::makeForm() {
  auto* form = new FieldForm(this);
  form->setHelpVisible(false);
  return form;
}

void SetupView::makeDataColumn() {
  SetupColumn* column = columns_[0] = addColumn(u"Data"_s);
  data_ = new DataPanel(DataPanel::realServices(), this);
  data_->setContentsMargins(spacing::kMargin, 0, spacing::kMargin, 0);
  column->add(data_);
  column->add(forms_[0] = makeForm());
  preview_ = new AugmentationPreview(this);
  preview_->setPlaceholder(u"Training images are shown here as soon as there are any."_s);
  next_ = new QToolButton(this);
  next_->setText(u"Next images"_s);
  next_->setProperty(kRole, u"quiet"_s);
  connect(next_, &QToolButton::clicked, preview_, &AugmentationPreview::showNext);
  seen_ = column->addPicture(u"What training sees"_s, *preview_, *preview_, next_, 0);
  column->end();
}

void SetupView::makeRecipeColumn() {
  SetupColumn* column = columns_[1] = addColumn(u"Recipe"_s);
  column->add(forms_[1] = makeForm());
  learningRate_ = new LearningRatePlot(this);
  updateSizes();
  column->addPicture(u"Learning rate"_s, *learningRate_, *learningRate_, nullptr, 4);
  column->end();
}

void SetupView::updateSizes() {
  learningRate_->setMaximumHeight(qRound(kHighestPlot * textScale()));
}

void SetupView::makeMachineColumn() {
  all_ = new QToolButton(this);
  all_->setText(u"All settings"_s);
  all_->setCheckable(true);
  all_->setProperty(kRole, u"quiet"_s);
  all_->setToolTip(u"Also show what is rarely changed"_s);
  connect(all_, &QToolButton::toggled, this, &SetupView::refresh);
  SetupColumn* column = columns_[2] = addColumn(u"Machine"_s, all_);
  device_ = makeText(this, u"secondary"_s);
  device_->setObjectName(u"device"_s);
  column->add(device_);
  column->add(forms_[2] = makeForm());
  weights_ = new WeightsPanel(this);
  connect(weights_, &WeightsPanel::fileChosen, this, &SetupView::chooseWeights);
  column->addInside(weights_);
  plan_ = new PlanCard(this);
  connect(plan_, &PlanCard::designRequested, this, &SetupView::designRequested);
  column->addInside(plan_);
  column->end();
}

void SetupView::connectForm(FieldForm& form) {
  connect(&form, &FieldForm::edited, this, &SetupView::edit);
  connect(&form, &FieldForm::varyRequested, this, &SetupView::varyRequested);
  connect(&form, &FieldForm::fixRequested, this, [this](const Fix& fix) {
    if (!showsRun()) document_.applyFix(fix);
  });
}

// ---- showing ----

void SetupView::setDevice(const QString& sentence, const Machine& machine) {
  machine_ = machine;
  device_->setText(sentence);
  refresh();
}

void SetupView::showRun(const RunConfig& config,
                        const std::vector<RunChange>& changes,
                        int batchesPerEpoch) {
  if (!run_) run_.emplace();
  run_->setRun(config, changes, batchesPerEpoch);
  tabs_->setTabText(0, run_->name());
  choice_->show();
  data_->setReadOnly(showsRun());
  refresh();
}

void SetupView::showChangeAnswer(const QString& refusal) {
  if (!showsRun()) return;
  if (refusal.isEmpty()) {
    showRunState();
  } else {
    change_->setRefusal(refusal);
  }
}

void SetupView::showDocument() {
  run_.reset();
  choice_->hide();
  learningRate_->setPosition(-1);
  data_->setReadOnly(false);
  refresh();
}

void SetupView::setPosition(double epoch, int runningEpoch) {
  if (!run_) return;
  const int before = run_->runningEpoch();
  run_->setPosition(epoch, runningEpoch);
  if (!showsRun()) return;
  learningRate_->setPosition(epoch);
  if (run_->runningEpoch() != before) showRunState();
}

void SetupView::setAllShown(bool all) {
  all_->setChecked(all);
}

bool SetupView::allShown() const {
  return all_->isChecked();
}

bool SetupView::isPreparing() const {
  return isVisible() && tabs_->currentIndex() == 1;
}

void SetupView::endPreparing() {
  tabs_->setCurrentIndex(0);
}

bool SetupView::showsRun() const {
  return run_ && tabs_->currentIndex() == 0;
}

/// Shows the settings that are fixed during a training, and the change that is prepared.
void SetupView::showRunState() {
  if (!showsRun()) {
    for (SetupColumn* column : columns_) column->setNote({});
    change_->hide();
    return;
  }
  const QString name = run_->name();
  columns_[0]->setNote(u"Fixed while %1 trains."_s.arg(name));
  columns_[1]->setNote(
      u"Fixed while %1 trains, except its epochs and the learning rate factor."_s.arg(name));
  columns_[2]->setNote(u"Fixed while %1 trains, except its checkpoints."_s.arg(name));
  change_->setRequest(run_->prepared(), run_->config(), run_->epoch(), run_->runningEpoch());
}

void SetupView::refresh() {
  const RunConfig config = showsRun() ? run_->shown() : document_.runConfig();
  data_->setSource(config.data.source);
  Q_EMIT problemsChanged();
  // Design changes the document many times a second during a drag.
  isStale_ = !isVisible();
  if (isStale_) return;
  const std::vector<Problem> problems = showsRun() ? std::vector<Problem>() : document_.problems();
  const RecipeForms content =
      recipeForms(config, all_->isChecked(), problems, machine_, showsRun());
  const std::vector<FormSection>* sections[] = {&content.data, &content.recipe, &content.machine};
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    forms_[i]->setSections(*sections[i]);
    forms_[i]->setProblems(problems);
    forms_[i]->setVariable(!showsRun());
  }
  weights_->setReadOnly(showsRun());
  weights_->setFile(config.start.weights);
  if (showsRun()) {
    askedStart_.reset();
  } else {
    requestWeightsOutcome(config);
  }
  preview_->setAugmentation(config.data.augmentation, config.seed);
  const auto recipes = showsRun() ? run_->recipes() : std::vector{std::pair{0.0, config.recipe}};
  learningRate_->setCurve(learningRateCurve(recipes), config.recipe.epochs);
  showRunState();
  plan_->setPlan(config, data_->dataset(), problems);
  plan_->setUnderWay(showsRun());
}

void SetupView::requestSamples() {
  const DataState state = data_->state();
  const bool areImages = !traitsOf(data_->resolvedSource()).isSequences;
  const bool isReady = areImages && (state == DataState::usable || state == DataState::builtIn);
  // Without images their space is needed for the ways to get some; sequences are not augmented.
  seen_->setVisible(areImages && state != DataState::missing && state != DataState::damaged);
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

// ---- changing ----

void SetupView::edit(const std::string& path, const FieldValue& value, const QString& gesture) {
  if (showsRun()) {
    if (run_->prepare(path, value)) refresh();
    return;
  }
  RunConfig next = document_.config();
  if (!setField(next, path, value)) return;
  if (path == "data.pseudoLabels") next.data.pseudoLabelsSha256.clear();
  if (path.starts_with("data.source.")) followSource(next.data, document_.config().data.source);
  const std::vector<FieldRow> rows = rowsOf(next);
  const FieldRow& row = *findRow(rows, path);
  const QString text = u"Set %1 to %2"_s.arg(QString::fromStdString(row.label).toLower(),
                                             QString::fromStdString(textOf(row, value)));
  document_.edit(next, text, gesture);
}

/// Lets the number of validation examples, which sequences have of their own, follow other data.
/// The one that was chosen for images comes back with images.
void SetupView::followSource(DataConfig& data, const DataSource& before) {
  const bool wereSequences = traitsOf(before).isSequences;
  const bool areSequences = traitsOf(data.source).isSequences;
  const std::optional<DatasetInfo>& known = data_->dataset();
  if (!wereSequences && areSequences) {
    imageValidation_ = std::exchange(data.validationCount, DataConfig().validationCount);
  } else if (wereSequences && !areSequences) {
    data.validationCount = imageValidation_;
  } else if (areSequences && known && data.validationCount == known->validationCount) {
    data.validationCount = DataConfig().validationCount;
  }
}

void SetupView::chooseSource(const DataSource& source) {
  if (showsRun()) return;
  RunConfig next = document_.config();
  next.data.source = source;
  followSource(next.data, document_.config().data.source);
  document_.edit(next, u"Set data set to %1"_s.arg(QString::fromStdString(textOf(source))));
}

void SetupView::chooseWeights(const std::filesystem::path& file) {
  if (showsRun()) return;
  RunConfig next = document_.config();
  next.start.weights = file.string();
  next.start.sha256.clear();
  document_.edit(next, file.empty() ? u"Remove weights"_s : u"Choose weights"_s);
}

void SetupView::requestWeightsOutcome(const RunConfig& config) {
  if (config.start.weights.empty() || hasErrors(validate(config.architecture))) {
    askedStart_.reset();
    if (!config.start.weights.empty()) {
      weights_->setFailure(u"The network has errors: they are shown in Design."_s);
    }
    return;
  }
  const auto& dataset = data_->dataset();
  StartedNetwork start{config.start.weights,
                       config.architecture,
                       dataset ? dataset->classNames : std::vector<std::string>()};
  if (askedStart_ == start) return;
  askedStart_ = std::move(start);
  Q_EMIT weightsOutcomeRequested(config, askedStart_->classNames);
}

void SetupView::setWeightsOutcome(const WeightTransfer& outcome) {
  if (askedStart_) weights_->setOutcome(outcome);
}

void SetupView::setWeightsFailure(const QString& reason) {
  if (askedStart_) weights_->setFailure(reason);
}

std::vector<Problem> SetupView::problems() const {
  std::vector<Problem> all = document_.problems();
  const std::vector<Problem> ofData = data_->problems();
  all.insert(all.end(), ofData.begin(), ofData.end());
  return all;
}

RunConfig SetupView::runConfig() const {
  RunConfig config = document_.runConfig();
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
