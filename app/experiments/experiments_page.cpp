#include "app/experiments/experiments_page.h"

#include <algorithm>
#include <utility>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/experiments/draft/draft_view.h"
#include "app/experiments/experiment_list.h"
#include "app/experiments/experiment_session.h"
#include "app/experiments/experiment_view.h"
#include "app/experiments/theory/theory_view.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kDraftKey = u"draft"_s;
const QString kSelectedKey = u"selected"_s;

}  // namespace

ExperimentsPage::ExperimentsPage(std::filesystem::path program, QWidget* parent)
    : Page(parent),
      program_(std::move(program)),
      list_(new ExperimentList(this)),
      stack_(new QStackedWidget(this)),
      view_(new ExperimentView(program_, this)),
      draft_(new DraftView(program_, this)),
      theory_(new TheoryView) {
  auto* row = makeBareLayout<QHBoxLayout>(this);
  row->addWidget(list_);
  row->addWidget(stack_, 1);
  stack_->addWidget(makeEmptyState());
  stack_->addWidget(view_);
  stack_->addWidget(draft_);
  stack_->addWidget(theory_);
  setEntry(list_);
  for (QAction* action : view_->actions() + theory_->theoryActions()) addAction(action);
  list_->setTheory(theory_->listed());
  connect(
      theory_, &TheoryView::listedChanged, this, [this] { list_->setTheory(theory_->listed()); });
  connect(list_, &ExperimentList::chosen, this, &ExperimentsPage::choose);
  connect(list_, &ExperimentList::selectedChanged, this, [this](const ListedExperiment& changed) {
    if (changed.folder.empty()) {
      choose(changed);
      view_->noteChange();
    } else if (!shown_->isWorking()) {
      // A session that works reads its folder all the time.
      shown_->open(changed.folder);
      view_->setSession(*shown_, changed);
    }
  });
  connect(list_, &ExperimentList::selectedRemoved, this, [this] { stack_->setCurrentIndex(0); });
  connect(view_, &ExperimentView::inspectRequested, this, &ExperimentsPage::inspectRequested);
  connect(view_, &ExperimentView::reportRequested, this, &ExperimentsPage::reportRequested);
  connect(view_, &ExperimentView::runsRequested, this, &ExperimentsPage::runsRequested);
  connect(view_, &ExperimentView::folderRequested, this, [this] { shown_->create(folder_); });
  connect(stack_, &QStackedWidget::currentChanged, this, [this] {
    view_->setCurrent(stack_->currentWidget() == view_);
  });
  connectDraft();
}

void ExperimentsPage::connectDraft() {
  connect(draft_, &DraftView::changed, this, [this] {
    const auto& draft = draft_->draft();
    list_->setDraft(draft ? &*draft : nullptr);
    if (!draft && stack_->currentWidget() == draft_) stack_->setCurrentIndex(0);
  });
  connect(draft_, &DraftView::createRequested, this, &ExperimentsPage::createDraft);
  connect(view_, &ExperimentView::copyRequested, this, [this](Experiment experiment) {
    experiment.name += "-copy";
    draft_->setDraft(std::move(experiment));
    list_->selectDraft();
  });
}

void ExperimentsPage::vary(const RunConfig& base, const FieldRow& row) {
  draft_->vary(base, row);
  list_->selectDraft();
}

void ExperimentsPage::createDraft(const Experiment& experiment) {
  ExperimentSession* session = makeSession();
  connect(session, &ExperimentSession::failed, draft_, &DraftView::showFailure);
  connect(session, &ExperimentSession::created, draft_, [this, session] {
    session->disconnect(draft_);
    draft_->setDraft(std::nullopt);
    list_->refresh(session->folder());
  });
  session->create(folder_, experiment);
}

QWidget* ExperimentsPage::makeEmptyState() {
  auto* empty = new QWidget;
  auto* column = new QVBoxLayout(empty);
  auto* title = new QLabel(u"No experiment is selected"_s);
  title->setProperty(kRole, u"heading"_s);
  auto* text = new QLabel(
      u"An experiment trains every variant of a network or recipe with several seeds and says "
      "which differences are seen. Choose one at the left, or “Vary this in an experiment” at a "
      "field in Design or Train."_s);
  text->setProperty(kRole, u"secondary"_s);
  text->setWordWrap(true);
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

void ExperimentsPage::setFolder(const std::filesystem::path& folder) {
  folder_ = folder;
  draft_->setFolder(folder_);
  if (isVisible()) list_->setFolder(folder_);
}

void ExperimentsPage::showExperiment(const std::filesystem::path& experiment) {
  folder_ = experiment.parent_path();
  draft_->setFolder(folder_);
  list_->setFolder(folder_);
  list_->refresh(experiment);
}

void ExperimentsPage::showFile(const std::filesystem::path& file) {
  list_->setFolder(folder_);
  list_->openFile(file);
}

QList<QAction*> ExperimentsPage::pageActions() const {
  return view_->actions() + QList<QAction*>{nullptr} + theory_->theoryActions();
}

void ExperimentsPage::saveLayout(QSettings& settings) const {
  const auto& draft = draft_->draft();
  settings.setValue(kDraftKey, draft ? QString::fromStdString(toJson(*draft)) : QString());
  const ListedExperiment* selected = list_->selected();
  settings.setValue(kSelectedKey,
                    selected && !selected->folder.empty() ? toText(selected->folder) : QString());
  view_->saveLayout(settings);
}

void ExperimentsPage::restoreLayout(QSettings& settings) {
  const std::string draft = settings.value(kDraftKey).toString().toStdString();
  if (!draft.empty()) {
    try {
      std::vector<Problem> warnings;
      draft_->setDraft(experimentFromJson(draft, "draft", warnings));
    } catch (const Error&) {
      // It was written by another version of the program.
      draft_->setDraft(std::nullopt);
    }
  }
  const QString selected = settings.value(kSelectedKey).toString();
  if (!selected.isEmpty()) list_->selectOnceListed(toPath(selected));
  view_->restoreLayout(settings);
}

void ExperimentsPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  list_->setFolder(folder_);
}

void ExperimentsPage::choose(const ListedExperiment& experiment) {
  if (experiment.isDraft) {
    stack_->setCurrentWidget(draft_);
    return;
  }
  if (!experiment.theory.empty()) {
    stack_->setCurrentWidget(theory_);
    theory_->setExperiment(experiment.theory);
    return;
  }
  stack_->setCurrentWidget(view_);
  if (shown_ && !experiment.folder.empty() && experiment.folder == shown_->folder()) return;
  shown_ = sessionOf(experiment);
  view_->setSession(*shown_, experiment);
  dropIdleSessions();
}

ExperimentSession* ExperimentsPage::sessionOf(const ListedExperiment& experiment) {
  if (!experiment.folder.empty()) {
    const auto found =
        std::ranges::find(sessions_, experiment.folder, [](const ExperimentSession* session) {
          return session->folder();
        });
    if (found != sessions_.end()) return *found;
  }
  ExperimentSession* session = makeSession();
  if (!experiment.folder.empty()) session->open(experiment.folder);
  return session;
}

ExperimentSession* ExperimentsPage::makeSession() {
  auto* session = new ExperimentSession(program_, this);
  connect(session, &ExperimentSession::created, this, [this, session] {
    list_->refresh(session == shown_ ? session->folder() : std::filesystem::path());
  });
  connect(session, &ExperimentSession::workEnded, this, [this] { list_->refresh(); });
  connect(session, &ExperimentSession::changed, this, [this, session] {
    if (session->state()) list_->setState(session->folder(), *session->state());
    updateMeasuring();
  });
  sessions_.push_back(session);
  return session;
}

void ExperimentsPage::setTraining(bool isTraining) {
  isTraining_ = isTraining;
  updateMeasuring();
}

void ExperimentsPage::updateMeasuring() {
  const bool isIdle =
      !isTraining_ && std::ranges::none_of(sessions_, &ExperimentSession::isWorking);
  view_->setMayMeasure(isIdle);
  draft_->setMayMeasure(isIdle);
}

void ExperimentsPage::dropIdleSessions() {
  std::erase_if(sessions_, [this](ExperimentSession* session) {
    const bool isDropped = session != shown_ && !session->isWorking();
    if (isDropped) session->deleteLater();
    return isDropped;
  });
}

}  // namespace lambda
