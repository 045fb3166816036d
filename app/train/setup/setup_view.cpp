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
#include "app/train/setup/change_bar.h"
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

QString nameOfRun(const RunConfig& config) {
  return QString::fromStdString(config.name.empty() ? config.architecture.name : config.name);
}

}  // namespace

SetupView::SetupView(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      change_(new ChangeBar(this)),
      samples_(new SampleImages(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kSetupGap, 0, kSetupGap, 0);
  column->setSpacing(0);
  auto* above = new QHBoxLayout;
  above->setContentsMargins(kSetupGap, 0, kSetupGap, 0);
  above->addWidget(change_);
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
    Q_EMIT changeRequested(prepared_);
  });
  connect(change_, &ChangeBar::discardRequested, this, [this] {
    prepared_ = {};
    refresh();
  });
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
  SetupColumn* column = columns_[0] = addColumn(tr("Data"));
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
  SetupColumn* column = columns_[1] = addColumn(tr("Recipe"));
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
  SetupColumn* column = columns_[2] = addColumn(tr("Machine"), all_);
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

void SetupView::showRun(const RunConfig& config,
                        const std::vector<RunChange>& changes,
                        int batchesPerEpoch) {
  // What the run has now been given is no longer a change.
  const LiveSettings settings = liveSettingsOf(config);
  if (prepared_.learningRateFactor == settings.learningRateFactor) {
    prepared_.learningRateFactor.reset();
  }
  if (prepared_.epochs == settings.epochs) prepared_.epochs.reset();
  if (prepared_.checkpoints == settings.checkpoints) prepared_.checkpoints.reset();
  run_ = config;
  changes_ = changes;
  batchesPerEpoch_ = batchesPerEpoch;
  data_->setReadOnly(true);
  refresh();
}

void SetupView::showRefusal(const QString& reason) {
  if (run_) change_->setRefusal(reason);
}

void SetupView::showDocument() {
  run_.reset();
  changes_.clear();
  prepared_ = {};
  runningEpoch_ = 1;
  position_ = 0;
  learningRate_->setPosition(-1);
  data_->setReadOnly(false);
  refresh();
}

void SetupView::setPosition(double epoch, int runningEpoch) {
  position_ = epoch;
  learningRate_->setPosition(epoch);
  if (runningEpoch == runningEpoch_) return;
  runningEpoch_ = runningEpoch;
  refresh();
}

void SetupView::setAllShown(bool all) {
  all_->setChecked(all);
}

bool SetupView::allShown() const {
  return all_->isChecked();
}

RunConfig SetupView::shownConfig() const {
  if (!run_) return document_.config();
  RunConfig config = *run_;
  setLiveSettings(config, settingsAfter(liveSettingsOf(config), prepared_));
  return config;
}

void SetupView::showNotes() {
  const QString name = run_ ? nameOfRun(*run_) : QString();
  columns_[0]->setNote(run_ ? tr("Fixed while %1 trains.").arg(name) : QString());
  columns_[1]->setNote(
      run_ ? tr("Fixed while %1 trains, except its epochs and the learning rate factor.").arg(name)
           : QString());
  columns_[2]->setNote(run_ ? tr("Fixed while %1 trains, except its checkpoints.").arg(name)
                            : QString());
}

/// The course of the learning rate: what it was before each change, and what it will be.
void SetupView::showRate(const RunConfig& config) {
  std::vector<std::pair<double, Recipe>> recipes{{0, config.recipe}};
  if (run_ && batchesPerEpoch_ > 0) {
    RunConfig then = *run_;
    if (!changes_.empty()) setLiveSettings(then, changes_.front().before);
    recipes.front().second = then.recipe;
    for (const RunChange& change : changes_) {
      setLiveSettings(then, change.after);
      const double epoch = change.epoch + static_cast<double>(change.batch) / batchesPerEpoch_;
      recipes.emplace_back(epoch, then.recipe);
    }
    if (config.recipe != then.recipe) {
      recipes.emplace_back(std::max(position_, recipes.back().first), config.recipe);
    }
  }
  learningRate_->setCurve(learningRateCurve(recipes), config.recipe.epochs);
}

void SetupView::showChange() {
  if (run_) {
    change_->setRequest(prepared_, *run_, position_, runningEpoch_);
  } else {
    change_->hide();
  }
}

void SetupView::refresh() {
  const RunConfig config = shownConfig();
  data_->setSource(config.data.source);
  Q_EMIT problemsChanged();
  // Design changes the document many times a second during a drag.
  isStale_ = !isVisible();
  if (isStale_) return;
  const std::vector<Problem> problems = run_ ? std::vector<Problem>() : document_.problems();
  const RecipeForms content =
      recipeForms(config, all_->isChecked(), problems, cores_, run_.has_value());
  const std::vector<FormSection>* sections[] = {&content.data, &content.recipe, &content.machine};
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    forms_[i]->setSections(*sections[i]);
    forms_[i]->setProblems(problems);
  }
  preview_->setAugmentation(config.data.augmentation, config.seed);
  showRate(config);
  showNotes();
  showChange();
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
  if (run_) return prepareChange(path, value);
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

void SetupView::prepareChange(const std::string& path, const FieldValue& value) {
  RunConfig next = shownConfig();
  if (!setField(next, path, value)) return;
  const LiveSettings now = liveSettingsOf(*run_);
  const LiveSettings wanted = liveSettingsOf(next);
  prepared_ = {};
  if (wanted.learningRateFactor != now.learningRateFactor) {
    prepared_.learningRateFactor = wanted.learningRateFactor;
  }
  if (wanted.epochs != now.epochs) prepared_.epochs = wanted.epochs;
  if (wanted.checkpoints != now.checkpoints) prepared_.checkpoints = wanted.checkpoints;
  refresh();
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
