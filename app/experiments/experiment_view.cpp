#include "app/experiments/experiment_view.h"

#include <algorithm>
#include <utility>

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QSettings>
#include <QSignalBlocker>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/experiments/experiment_grid.h"
#include "app/experiments/experiment_list.h"
#include "app/experiments/experiment_progress.h"
#include "app/experiments/experiment_results.h"
#include "app/experiments/experiment_session.h"
#include "app/experiments/pictures/experiment_pictures.h"
#include "app/experiments/plan/plan_panel.h"
#include "engine/experiments/difference_text.h"
#include "engine/experiments/halving.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/grip_splitter.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Heights of the pictures and of the tables below them.
const QList<int> kAnswerSizes{320, 230};
const QString kAnswersKey = u"answers"_s;

QLabel* makeLabel(const QString& role) {
  auto* label = new QLabel;
  label->setProperty(kRole, role);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

}  // namespace

ExperimentView::ExperimentView(const std::filesystem::path& program, QWidget* parent)
    : QWidget(parent),
      name_(makeLabel(u"heading"_s)),
      question_(makeLabel(u"secondary"_s)),
      extent_(makeLabel(u"secondary"_s)),
      problem_(makeLabel(u"error"_s)),
      size_(new QComboBox),
      measure_(new QComboBox),
      progress_(new QProgressBar),
      remaining_(makeLabel(u"secondary"_s)),
      failures_(makeLabel(u"error"_s)),
      pictures_(new ExperimentPictures(this)),
      grid_(new ExperimentGrid),
      results_(new ExperimentResults),
      tables_(new QTabWidget),
      answers_(new GripSplitter(Qt::Vertical)),
      plan_(new PlanPanel(program, PlanTiming::onRequest)),
      run_(makeAction(u"Run"_s, u"run"_s, u"Train the runs that are not done"_s)),
      pause_(makeAction(
          u"Pause"_s, u"pause"_s, u"Save the running runs and stop; Run continues them"_s)),
      retry_(makeAction(u"Retry failed"_s, u"retry"_s, u"Train failed runs again"_s)),
      addSeed_(makeAction(
          u"One more seed"_s, u"addSeed"_s, u"Add a run of every variant with another seed"_s)),
      copy_(makeAction(u"Change a copy"_s,
                       u"copyExperiment"_s,
                       u"Draft another experiment that begins as this one"_s)),
      compare_(makeAction(u"Show in Runs"_s,
                          u"compareRuns"_s,
                          u"List its runs in Runs, to compare their curves and settings"_s)),
      report_(makeAction(
          u"Report …"_s,
          u"report"_s,
          u"Write what it says as one page that others can read without this program"_s)) {
  build();
  connectParts();
  connectActions();
  for (QAction* action : actions()) action->setEnabled(false);
}

QAction* ExperimentView::makeAction(const QString& text, const QString& name, const QString& tip) {
  auto* action = new QAction(text, this);
  action->setObjectName(name);
  action->setToolTip(tip);
  addAction(action);
  return action;
}

void ExperimentView::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(
      spacing::kMargin, spacing::kMargin, spacing::kMargin, spacing::kMargin);
  column->setSpacing(spacing::kGap);
  size_->setObjectName(u"size"_s);
  size_->setAccessibleName(u"Size of the experiment"_s);
  measure_->setObjectName(u"measure"_s);
  measure_->setAccessibleName(u"Measure"_s);
  measure_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  progress_->setAccessibleName(u"Progress of all runs"_s);
  problem_->setObjectName(u"problem"_s);
  problem_->hide();
  auto* buttons = new FlowLayout(spacing::kGap);
  for (QAction* action : actions()) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    buttons->addWidget(button);
  }
  buttons->addWidget(size_);
  buttons->beginRight();
  buttons->addWidget(measure_);
  for (QWidget* part : {name_, question_, extent_, problem_}) column->addWidget(part);
  column->addLayout(buttons);
  column->addWidget(progress_);
  failures_->setObjectName(u"failures"_s);
  failures_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  failures_->hide();
  column->addWidget(remaining_);
  column->addWidget(failures_);
  tables_->setObjectName(u"tables"_s);
  tables_->setDocumentMode(true);
  tables_->addTab(grid_, u"Runs"_s);
  tables_->addTab(results_, u"Results"_s);
  answers_->setChildrenCollapsible(false);
  answers_->addWidget(pictures_);
  answers_->addWidget(tables_);
  answers_->setStretchFactor(0, 1);
  answers_->setStandardSizes(kAnswerSizes);
  column->addWidget(answers_, 1);
  column->addWidget(plan_, 1);
  // Without a plan and answers, what there is stays at the top.
  column->addStretch();
}

void ExperimentView::connectParts() {
  const auto inspect = [this](const std::string& run) {
    Q_EMIT inspectRequested(session_->folder() / "runs" / run);
  };
  connect(grid_, &ExperimentGrid::runRequested, this, inspect);
  connect(pictures_, &ExperimentPictures::runRequested, this, inspect);
  connect(pictures_, &ExperimentPictures::variantRequested, this, [this](std::size_t variant) {
    grid_->setCurrentCell(static_cast<int>(variant), 0);
    tables_->setCurrentWidget(grid_);
  });
  connect(size_, &QComboBox::currentIndexChanged, this, &ExperimentView::showSize);
  connect(measure_, &QComboBox::currentIndexChanged, this, &ExperimentView::showState);
}

void ExperimentView::connectActions() {
  connect(run_, &QAction::triggered, this, [this] {
    problem_->hide();
    if (session_->folder().empty()) {
      Q_EMIT folderRequested();
    } else {
      session_->work();
    }
  });
  connect(pause_, &QAction::triggered, this, [this] { session_->pause(); });
  connect(retry_, &QAction::triggered, this, [this] { session_->work({u"--retry"_s}); });
  connect(copy_, &QAction::triggered, this, [this] {
    Q_EMIT copyRequested(session_->state()->experiment);
  });
  connect(compare_, &QAction::triggered, this, [this] {
    std::vector<std::filesystem::path> runs;
    for (const ExperimentCell& cell : session_->state()->cells) {
      if (cell.hasRun) runs.push_back(session_->folder() / "runs" / cell.runFolder);
    }
    Q_EMIT runsRequested(runs);
  });
  connect(
      report_, &QAction::triggered, this, [this] { Q_EMIT reportRequested(session_->folder()); });
  connect(addSeed_, &QAction::triggered, this, [this] {
    session_->work({u"--add-seeds"_s, u"1"_s});
  });
}

void ExperimentView::connectSession() {
  connect(session_, &ExperimentSession::changed, this, &ExperimentView::showState);
  connect(session_, &ExperimentSession::failed, this, [this](const QString& reason) {
    setRole(*problem_, u"error"_s);
    problem_->setText(reason);
    problem_->show();
    updateActions();
  });
  connect(session_, &ExperimentSession::descriptionChanged, this, &ExperimentView::noteChange);
}

void ExperimentView::noteChange() {
  setRole(*problem_, u"secondary"_s);
  problem_->setText(u"The file has changed. This is its new plan, which Run trains."_s);
  problem_->show();
}

void ExperimentView::saveLayout(QSettings& settings) const {
  settings.setValue(kAnswersKey, answers_->saveState());
}

void ExperimentView::restoreLayout(const QSettings& settings) {
  answers_->restoreLayout(settings.value(kAnswersKey).toByteArray());
}

QList<QAction*> ExperimentView::actions() const {
  return {run_, pause_, retry_, addSeed_, compare_, report_, copy_};
}

void ExperimentView::setCurrent(bool isCurrent) {
  isCurrent_ = isCurrent;
  if (session_) updateActions();
}

void ExperimentView::setMayMeasure(bool mayMeasure) {
  plan_->setMayMeasure(mayMeasure);
}

void ExperimentView::setSession(ExperimentSession& session, const ListedExperiment& experiment) {
  if (session_) session_->disconnect(this);
  session_ = &session;
  connectSession();
  problem_->hide();
  isNew_ = true;
  load_ = experiment.folder.empty()
              ? std::function([experiment] { return descriptionOf(experiment); })
              : nullptr;
  {
    const QSignalBlocker blocker(size_);
    size_->clear();
    for (const std::string& size : experiment.sizes) size_->addItem(QString::fromStdString(size));
  }
  name_->setText(QString::fromStdString(experiment.name));
  question_->setText(QString::fromStdString(experiment.question));
  extent_->clear();
  remaining_->clear();
  failures_->hide();
  progress_->reset();
  showState();
  showSize();
}

void ExperimentView::showSize() {
  if (load_) session_->showPlan(load_, size_->currentText().toStdString());
}

void ExperimentView::showState() {
  updateActions();
  const auto& state = session_->state();
  const bool hasBegun = state && session_->planRows().empty();
  answers_->setVisible(hasBegun);
  showPlan();
  if (!state) return;
  const Experiment& experiment = state->experiment;
  showMeasures();
  QString extent =
      u"%1, %2, %3; base: %4"_s.arg(countedText(std::ssize(state->variants), u"variant"_s),
                                    countedText(std::ssize(experiment.seeds), u"seed"_s),
                                    countedText(std::ssize(state->cells), u"run"_s),
                                    QString::fromStdString(experiment.base.name));
  if (experiment.halving.isOn()) {
    extent += u"; "_s + QString::fromStdString(
                            halvingText(experiment.halving, experiment.base.recipe.epochs));
  }
  extent_->setText(extent);
  const auto measure = static_cast<std::size_t>(measure_->currentIndex());
  grid_->setState(*state, measure);
  results_->setState(*state, measure);
  pictures_->setState(*state, measure);
  chooseTable();
  showProgress();
}

void ExperimentView::chooseTable() {
  if (!std::exchange(isNew_, false)) return;
  const ExperimentState& state = *session_->state();
  const bool isUnderWay = state.countOf(CellState::waiting) + state.countOf(CellState::running) > 0;
  tables_->setCurrentWidget(isUnderWay ? static_cast<QWidget*>(grid_) : results_);
}

void ExperimentView::showPlan() {
  const std::vector<PlanRow>& rows = session_->planRows();
  plan_->setVisible(!rows.empty());
  if (rows.empty()) {
    plan_->clear();
  } else {
    plan_->setPlan(session_->state()->experiment, rows);
  }
}

void ExperimentView::showMeasures() {
  const QSignalBlocker blocker(measure_);
  const int chosen = std::max(measure_->currentIndex(), 0);
  measure_->clear();
  for (const Measure& measure : session_->state()->experiment.measures)
    measure_->addItem(QString::fromUtf8(traitsOf(measure.quantity).title));
  measure_->setCurrentIndex(std::min(chosen, measure_->count() - 1));
}

void ExperimentView::showProgress() {
  const EpochCount epochs = epochsOf(*session_->state());
  progress_->setRange(0, std::max(epochs.all, 1));
  progress_->setValue(epochs.done);
  remaining_->setText(progressText(*session_->state()));
  const QString failures = failuresText(*session_->state());
  failures_->setText(failures);
  failures_->setVisible(!failures.isEmpty());
}

void ExperimentView::updateActions() {
  const auto& state = session_->state();
  const bool isShown = isCurrent_ && state.has_value();
  const bool isIdle = isShown && !session_->isWorking();
  const bool hasFolder = !session_->folder().empty();
  run_->setEnabled(isIdle && state->countOf(CellState::waiting) > 0);
  pause_->setEnabled(isCurrent_ && session_->isWorking());
  retry_->setEnabled(isIdle && hasFolder && state->countOf(CellState::failed) > 0);
  addSeed_->setEnabled(isIdle && hasFolder && state->experiment.seeds.size() < kMostSeeds);
  copy_->setEnabled(isShown);
  compare_->setEnabled(isShown && std::ranges::any_of(state->cells, &ExperimentCell::hasRun));
  report_->setEnabled(isShown && hasFolder);
  size_->setVisible(!hasFolder && size_->count() > 0);
}

}  // namespace lambda
