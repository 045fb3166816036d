#include "app/experiments/theory/theory_view.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/experiments/experiment_list.h"
#include "app/experiments/theory/theory_figures.h"
#include "app/experiments/theory/theory_form.h"
#include "app/experiments/theory/theory_numbers.h"
#include "app/experiments/theory/theory_session.h"
#include "engine/theory/theory.h"
#include "widgets/export/export_menu.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kFormWidth = 320;  // At text size 1.
constexpr int kProgressSteps = 1000;
constexpr double kShownSeconds = 0.1;  // The shortest time that a text of a duration can tell.

QLabel* makeWords(const QString& role, const QString& name) {
  auto* label = new QLabel;
  label->setProperty(kRole, role);
  label->setObjectName(name);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

QString timeOf(const TheoryRun& run) {
  if (run.seconds >= kShownSeconds) return durationText(run.seconds);
  return u"less than %1"_s.arg(durationText(kShownSeconds));
}

/// The state for a list: "not run", "running, 40 %", "done in 52 s".
QString theoryStateText(const TheoryRun& run) {
  switch (run.state) {
    case TheoryRun::State::none:
      return u"not run"_s;
    case TheoryRun::State::running:
      return u"running, %1"_s.arg(percentText(run.fraction, 0));
    case TheoryRun::State::stopping:
      return u"stopping"_s;
    case TheoryRun::State::done:
      return u"done in %1"_s.arg(timeOf(run));
    case TheoryRun::State::stopped:
      return u"stopped at %1"_s.arg(percentText(run.fraction, 0));
    case TheoryRun::State::failed:
      return u"failed"_s;
  }
  return {};
}

/// The state as a sentence. `settings`: those of the form, which may no longer be those of the run.
QString theoryStateSentence(const TheoryRun& run, const TheorySettings& settings) {
  const QString time = timeOf(run);
  QString text;
  switch (run.state) {
    case TheoryRun::State::none:
      return u"Not run since the program was started."_s;
    case TheoryRun::State::running:
      return u"%1 done after %2."_s.arg(percentText(run.fraction, 0), time);
    case TheoryRun::State::stopping:
      return u"Stopping …"_s;
    case TheoryRun::State::failed:
      return u"The experiment has failed."_s;
    case TheoryRun::State::done:
      text = u"Done in %1."_s.arg(time);
      break;
    case TheoryRun::State::stopped:
      text = u"Stopped after %1, at %2. The numbers are those until then."_s.arg(
          time, percentText(run.fraction, 0));
      break;
  }
  if (run.settings != settings) text += u" The parameters have been changed since."_s;
  return text;
}

}  // namespace

TheoryView::TheoryView(QWidget* parent)
    : QWidget(parent),
      session_(new TheorySession(this)),
      title_(makeWords(u"heading"_s, u"theoryTitle"_s)),
      question_(makeWords(u"secondary"_s, u"theoryQuestion"_s)),
      source_(makeWords(u"hint"_s, u"theorySource"_s)),
      state_(makeWords(u"secondary"_s, u"theoryState"_s)),
      problem_(makeWords(u"error"_s, u"theoryProblem"_s)),
      progress_(new QProgressBar),
      form_(new TheoryForm),
      figures_(new TheoryFigures),
      numbers_(new TheoryNumbers),
      numbersTitle_(new QLabel(u"Numbers"_s)),
      exportNumbers_(makeExportButton(*numbers_, *numbers_)),
      run_(makeAction(u"Run"_s,
                      u"runTheory"_s,
                      u"Compute the experiment with these parameters; stops another one"_s)),
      stop_(makeAction(
          u"Stop"_s, u"stopTheory"_s, u"End the computation and keep what it has found"_s)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(
      spacing::kMargin, spacing::kMargin, spacing::kMargin, spacing::kMargin);
  column->setSpacing(spacing::kGap);
  for (QLabel* label : {title_, question_, source_}) column->addWidget(label);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(spacing::kGap);
  for (QAction* action : {run_, stop_}) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    buttons->addWidget(button);
  }
  buttons->addWidget(state_, 1);
  column->addLayout(buttons);
  progress_->setRange(0, kProgressSteps);
  progress_->setObjectName(u"theoryProgress"_s);
  progress_->setAccessibleName(u"Progress of the experiment"_s);
  column->addWidget(progress_);
  column->addWidget(problem_);
  column->addWidget(makeContent(), 1);
  connectParts();
  showRun();
}

QAction* TheoryView::makeAction(const QString& text, const QString& name, const QString& tip) {
  // In menus it stands beside the actions of the other experiments.
  auto* action = new QAction(text + u" theory experiment"_s, this);
  action->setIconText(text);
  action->setObjectName(name);
  action->setToolTip(tip);
  return action;
}

QWidget* TheoryView::makeContent() {
  auto* content = new QWidget;
  auto* row = makeBareLayout<QHBoxLayout>(content, 2 * spacing::kGap);
  form_->setFixedWidth(qRound(kFormWidth * textScale()));
  row->addWidget(form_);
  auto* results = new QVBoxLayout;
  results->setSpacing(spacing::kGap);
  results->addWidget(figures_, 3);
  auto* line = new QHBoxLayout;
  line->addWidget(numbersTitle_, 1);
  line->addWidget(exportNumbers_);
  exportNumbers_->setToolTip(u"Export the numbers"_s);
  exportNumbers_->setAccessibleName(u"Export the numbers"_s);
  results->addLayout(line);
  numbers_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  results->addWidget(numbers_, 2);
  row->addLayout(results, 1);
  return content;
}

void TheoryView::connectParts() {
  connect(run_, &QAction::triggered, this, &TheoryView::run);
  connect(stop_, &QAction::triggered, session_, &TheorySession::stop);
  connect(session_, &TheorySession::changed, this, &TheoryView::onChanged);
  connect(form_, &TheoryForm::edited, this, [this] {
    settings_[shown_.name] = form_->settings();
    showRun();
  });
}

std::vector<ListedExperiment> TheoryView::listed() const {
  std::vector<ListedExperiment> all;
  for (const TheoryDescription& experiment : theoryExperiments()) {
    ListedExperiment one;
    one.theory = experiment.name;
    one.name = experiment.title;
    one.question = experiment.question;
    one.state = theoryStateText(session_->run(experiment.name));
    all.push_back(std::move(one));
  }
  return all;
}

void TheoryView::setExperiment(const std::string& name) {
  if (name == shown_.name) return;
  shown_ = theoryExperiment(name);
  title_->setText(QString::fromStdString(shown_.title));
  question_->setText(QString::fromStdString(shown_.question));
  source_->setText(u"Source: %1"_s.arg(QString::fromStdString(shown_.sourceTitle)));
  form_->setExperiment(shown_, settings_[name]);
  showRun();
}

void TheoryView::run() {
  form_->finishTyping();
  session_->start(shown_.name, form_->settings());
}

void TheoryView::onChanged(const std::string& experiment) {
  if (experiment == shown_.name && isVisible()) showRun();
  Q_EMIT listedChanged();
}

void TheoryView::showRun() {
  const TheoryRun& run = session_->run(shown_.name);
  const bool isShown = !shown_.name.empty() && !isHidden();
  run_->setEnabled(isShown && !run.isActive());
  stop_->setEnabled(isShown && run.state == TheoryRun::State::running);
  form_->setEnabled(!run.isActive());
  state_->setText(theoryStateSentence(run, form_->settings()));
  progress_->setValue(qRound(run.fraction * kProgressSteps));
  problem_->setText(run.problem);
  problem_->setVisible(!run.problem.isEmpty());
  static const TheoryResult nothing;
  const TheoryResult& result = run.result ? *run.result : nothing;
  const QString name = QString::fromStdString(shown_.name);
  figures_->setFigures(name, result.figures);
  numbers_->setNumbers(name, title_->text(), result.numbers);
  for (QWidget* part : std::initializer_list<QWidget*>{numbersTitle_, exportNumbers_, numbers_})
    part->setVisible(!result.numbers.empty());
}

void TheoryView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  showRun();
}

void TheoryView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  showRun();
}

}  // namespace lambda
