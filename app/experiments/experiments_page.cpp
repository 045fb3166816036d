#include "app/experiments/experiments_page.h"

#include <algorithm>

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/experiments/effect_rows.h"
#include "app/experiments/experiment_grid.h"
#include "app/experiments/experiment_list.h"
#include "app/experiments/experiment_progress.h"
#include "app/experiments/experiment_results.h"
#include "app/experiments/experiment_session.h"
#include "app/experiments/theory/theory_view.h"
#include "engine/experiments/difference_text.h"
#include "widgets/export/export_menu.h"
#include "widgets/plots/effects/effect_plot.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kMargin = 16;
constexpr int kGap = 8;

QLabel* makeLabel(const QString& role) {
  auto* label = new QLabel;
  label->setProperty(kRole, role);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

}  // namespace

ExperimentsPage::ExperimentsPage(const std::filesystem::path& program, QWidget* parent)
    : Page(parent),
      session_(new ExperimentSession(program, this)),
      list_(new ExperimentList(this)),
      stack_(new QStackedWidget(this)),
      theory_(new TheoryView),
      name_(makeLabel(u"heading"_s)),
      question_(makeLabel(u"secondary"_s)),
      plan_(makeLabel(u"secondary"_s)),
      problem_(makeLabel(u"error"_s)),
      size_(new QComboBox),
      measure_(new QComboBox),
      progress_(new QProgressBar),
      remaining_(makeLabel(u"secondary"_s)),
      effects_(new EffectPlot(this)),
      grid_(new ExperimentGrid),
      results_(new ExperimentResults),
      run_(makeAction(u"Run"_s, u"run"_s, u"Train the runs that are not done"_s)),
      pause_(makeAction(
          u"Pause"_s, u"pause"_s, u"Save the running runs and stop; Run continues them"_s)),
      retry_(makeAction(u"Retry failed"_s, u"retry"_s, u"Train failed runs again"_s)),
      addSeed_(makeAction(
          u"One more seed"_s, u"addSeed"_s, u"Add a run of every variant with another seed"_s)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(list_);
  row->addWidget(stack_, 1);
  stack_->addWidget(makeEmptyState());
  stack_->addWidget(makeDetails());
  stack_->addWidget(theory_);
  for (QAction* action : theory_->theoryActions()) addAction(action);
  list_->setTheory(theory_->listed());
  setEntry(list_);
  connectParts();
  connectActions();
  updateActions();
}

QAction* ExperimentsPage::makeAction(const QString& text, const QString& name, const QString& tip) {
  auto* action = new QAction(text, this);
  action->setObjectName(name);
  action->setToolTip(tip);
  addAction(action);
  return action;
}

QWidget* ExperimentsPage::makeEmptyState() {
  auto* empty = new QWidget;
  auto* column = new QVBoxLayout(empty);
  auto* title = makeLabel(u"heading"_s);
  title->setText(u"No experiment is selected"_s);
  auto* text = makeLabel(u"secondary"_s);
  text->setText(
      u"An experiment trains every variant of a network or recipe with several seeds and says "
      "which differences are seen. Choose one at the left."_s);
  auto* button = new QPushButton(u"Show the first experiment"_s);
  button->setProperty(kRole, u"primary"_s);
  connect(button, &QPushButton::clicked, this, [this] { list_->setCurrentRow(1); });
  column->addStretch();
  for (QLabel* label : {title, text}) {
    label->setAlignment(Qt::AlignCenter);
    column->addWidget(label);
  }
  column->addWidget(button, 0, Qt::AlignCenter);
  column->addStretch();
  return empty;
}

QWidget* ExperimentsPage::makeDetails() {
  auto* details = new QWidget;
  auto* column = new QVBoxLayout(details);
  column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  column->setSpacing(kGap);
  size_->setObjectName(u"size"_s);
  size_->setAccessibleName(u"Size of the experiment"_s);
  measure_->setObjectName(u"measure"_s);
  measure_->setAccessibleName(u"Measure"_s);
  measure_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  progress_->setAccessibleName(u"Progress of all runs"_s);
  problem_->setObjectName(u"problem"_s);
  problem_->hide();
  auto* buttons = new FlowLayout(kGap);
  for (QAction* action : {run_, pause_, retry_, addSeed_}) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    buttons->addWidget(button);
  }
  buttons->addWidget(size_);
  buttons->beginRight();
  buttons->addWidget(measure_);
  buttons->addWidget(makeExportButton(*effects_, *effects_));
  for (QWidget* part : {name_, question_, plan_, problem_}) column->addWidget(part);
  column->addLayout(buttons);
  column->addWidget(progress_);
  column->addWidget(remaining_);
  column->addWidget(grid_, 1);
  column->addWidget(effects_, 1);
  column->addWidget(results_, 1);
  return details;
}

void ExperimentsPage::connectParts() {
  connect(list_, &ExperimentList::chosen, this, &ExperimentsPage::choose);
  connect(
      theory_, &TheoryView::listedChanged, this, [this] { list_->setTheory(theory_->listed()); });
  connect(session_, &ExperimentSession::changed, this, &ExperimentsPage::showState);
  connect(
      session_, &ExperimentSession::created, this, [this] { list_->refresh(session_->folder()); });
  connect(session_, &ExperimentSession::failed, this, [this](const QString& reason) {
    problem_->setText(reason);
    problem_->show();
    updateActions();
  });
  connect(grid_, &ExperimentGrid::runRequested, this, [this](const std::string& run) {
    Q_EMIT inspectRequested(session_->folder() / "runs" / run);
  });
  connect(size_, &QComboBox::currentIndexChanged, this, &ExperimentsPage::showShippedSize);
  connect(measure_, &QComboBox::currentIndexChanged, this, &ExperimentsPage::showState);
}

void ExperimentsPage::connectActions() {
  connect(run_, &QAction::triggered, this, [this] {
    problem_->hide();
    if (session_->folder().empty()) {
      session_->create(folder_);
    } else {
      session_->work();
    }
  });
  connect(pause_, &QAction::triggered, session_, &ExperimentSession::pause);
  connect(retry_, &QAction::triggered, this, [this] { session_->work({u"--retry"_s}); });
  connect(addSeed_, &QAction::triggered, this, [this] {
    session_->work({u"--add-seeds"_s, u"1"_s});
  });
}

void ExperimentsPage::setFolder(const std::filesystem::path& folder) {
  folder_ = folder;
  if (isVisible()) list_->setFolder(folder_);
}

QList<QAction*> ExperimentsPage::pageActions() const {
  return QList<QAction*>{run_, pause_, retry_, addSeed_, nullptr} + theory_->theoryActions();
}

void ExperimentsPage::saveLayout(QSettings&) const {}

void ExperimentsPage::restoreLayout(QSettings&) {}

void ExperimentsPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  list_->setFolder(folder_);
}

void ExperimentsPage::choose(const ListedExperiment& experiment) {
  stack_->setCurrentIndex(experiment.theory.empty() ? 1 : 2);
  updateActions();
  if (!experiment.theory.empty()) return theory_->setExperiment(experiment.theory);
  if (!experiment.folder.empty() && experiment.folder == session_->folder()) return;
  problem_->hide();
  shipped_ = experiment.folder.empty() ? experiment.name : std::string();
  {
    const QSignalBlocker blocker(size_);
    size_->clear();
    for (const std::string& size : experiment.sizes) size_->addItem(QString::fromStdString(size));
  }
  name_->setText(QString::fromStdString(experiment.name));
  question_->setText(QString::fromStdString(experiment.question));
  plan_->clear();
  remaining_->clear();
  progress_->reset();
  if (shipped_.empty()) {
    session_->open(experiment.folder);
  } else {
    showShippedSize();
  }
}

void ExperimentsPage::showShippedSize() {
  if (!shipped_.empty()) session_->showShipped(shipped_, size_->currentText().toStdString());
}

void ExperimentsPage::showState() {
  updateActions();
  const auto& state = session_->state();
  grid_->setVisible(state.has_value());
  effects_->setVisible(state.has_value());
  results_->setVisible(state.has_value());
  if (!state) return;
  const Experiment& experiment = state->experiment;
  showMeasures();
  plan_->setText(
      u"%1, %2, %3; base: %4"_s.arg(countedText(std::ssize(state->variants), u"variant"_s),
                                    countedText(std::ssize(experiment.seeds), u"seed"_s),
                                    countedText(std::ssize(state->cells), u"run"_s),
                                    QString::fromStdString(experiment.base.name)));
  const auto measure = static_cast<std::size_t>(measure_->currentIndex());
  grid_->setState(*state, measure);
  results_->setState(*state, measure);
  showEffects();
  showProgress();
}

void ExperimentsPage::showEffects() {
  const ExperimentState& state = *session_->state();
  const auto measure = static_cast<std::size_t>(measure_->currentIndex());
  const QuantityTraits traits = traitsOf(state.results[measure].measure.quantity);
  QString title = QString::fromLatin1(traits.title);
  if (*traits.unit) title += u", "_s + QString::fromLatin1(traits.unit);
  effects_->setRows(title, effectRowsOf(state, measure), state.baseline);
}

void ExperimentsPage::showMeasures() {
  const QSignalBlocker blocker(measure_);
  const int chosen = std::max(measure_->currentIndex(), 0);
  measure_->clear();
  for (const Measure& measure : session_->state()->experiment.measures)
    measure_->addItem(QString::fromLatin1(traitsOf(measure.quantity).title));
  measure_->setCurrentIndex(std::min(chosen, measure_->count() - 1));
}

void ExperimentsPage::showProgress() {
  const EpochCount epochs = epochsOf(*session_->state());
  progress_->setRange(0, std::max(epochs.all, 1));
  progress_->setValue(epochs.done);
  remaining_->setText(progressText(*session_->state()));
}

void ExperimentsPage::updateActions() {
  const auto& state = session_->state();
  const bool isIdle = state.has_value() && !session_->isWorking() && stack_->currentIndex() == 1;
  const bool hasFolder = !session_->folder().empty();
  run_->setEnabled(isIdle && state->countOf(CellState::waiting) > 0);
  pause_->setEnabled(session_->isWorking());
  retry_->setEnabled(isIdle && hasFolder && state->countOf(CellState::failed) > 0);
  addSeed_->setEnabled(isIdle && hasFolder && state->experiment.seeds.size() < kMostSeeds);
  size_->setVisible(!hasFolder && size_->count() > 0);
  list_->setEnabled(!session_->isWorking());
}

}  // namespace lambda
