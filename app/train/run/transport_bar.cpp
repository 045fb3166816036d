#include "app/train/run/transport_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/session/runs/run_summary.h"
#include "app/session/training/training_session.h"
#include "app/train/training_text.h"
#include "engine/values/text/text_safety.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kWordsInterval = 250;  // Milliseconds.
constexpr int kWidestTitle = 320;    // At every text size: the buttons need more of the bar then.

}  // namespace

TransportBar::TransportBar(TrainingSession& session, QWidget* parent)
    : QWidget(parent), session_(session) {
  makeActions();
  makeButtons();
  updateIcons();
  connect(&session_, &TrainingSession::stateChanged, this, &TransportBar::showState);
  connect(&session_, &TrainingSession::started, this, &TransportBar::showState);
  connect(&session_, &TrainingSession::statusChanged, this, [this] {
    // A step that changes more often can't be read.
    if (!shown_.isValid() || shown_.elapsed() >= kWordsInterval) showWords();
  });
  showState();
  onPaletteChange(*this, [this] { updateIcons(); });
}

void TransportBar::makeActions() {
  const auto add = [this](const QString& text, const QList<QKeySequence>& keys) {
    auto* action = new QAction(text, this);
    action->setShortcuts(keys);
    return action;
  };
  start_ = add(u"Start training"_s, {Qt::Key_F5, QKeySequence(Qt::CTRL | Qt::Key_R)});
  pause_ = add(u"Pause"_s, {Qt::Key_F6});
  step_ = add(u"One step"_s, {Qt::Key_F10});
  stop_ = add(u"Stop"_s, {QKeySequence(Qt::SHIFT | Qt::Key_F5)});
  leave_ = add(u"Stop watching"_s, {});
  settings_ = add(u"Settings"_s, {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)});
  settings_->setCheckable(true);
  start_->setToolTip(u"Train the network of Design with these settings"_s);
  step_->setToolTip(u"Train one batch, then pause"_s);
  stop_->setToolTip(u"Save and stop; the run can be resumed"_s);
  leave_->setToolTip(u"Leave the training, which goes on where it runs"_s);
  settings_->setToolTip(u"Show the data and the recipe"_s);
  connect(start_, &QAction::triggered, this, &TransportBar::startRequested);
  connect(pause_, &QAction::triggered, this, [this] {
    const SessionState state = session_.state();
    const bool isHeld = state == SessionState::paused || state == SessionState::pausing;
    isHeld ? session_.resume() : session_.pause();
  });
  connect(step_, &QAction::triggered, this, [this] { session_.stepOnce(); });
  connect(stop_, &QAction::triggered, this, [this] { session_.stop(); });
  connect(leave_, &QAction::triggered, this, [this] { session_.leave(); });
}

void TransportBar::makeButtons() {
  title_ = new QLabel(this);
  title_->setObjectName(u"title"_s);
  title_->setProperty(kRole, u"heading"_s);
  title_->setTextFormat(Qt::PlainText);
  words_ = new ElidedLabel(this);
  words_->setObjectName(u"words"_s);
  words_->setProperty(kRole, u"secondary"_s);
  words_->setFont(numberFont());
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(spacing::kMargin, spacing::kGap, spacing::kMargin, spacing::kGap);
  row->setSpacing(spacing::kGap);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  auto* top = new QHBoxLayout;
  top->setSpacing(2 * spacing::kGap);
  recipe_ = new ElidedLabel(this);
  recipe_->setObjectName(u"recipe"_s);
  recipe_->setProperty(kRole, u"secondary"_s);
  top->addWidget(title_);
  top->addWidget(recipe_, 1);
  texts->addLayout(top);
  texts->addWidget(words_);
  row->addLayout(texts, 1);
  const auto add = [&](QAction* action) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    row->addWidget(button);
    return button;
  };
  settingsButton_ = add(settings_);
  settingsButton_->setProperty(kRole, u"quiet"_s);
  runButtons_ << add(pause_) << add(step_) << add(stop_);
  leaveButton_ = add(leave_);
  startButton_ = new QPushButton(start_->text(), this);
  startButton_->setObjectName(u"start"_s);
  startButton_->setProperty(kRole, u"primary"_s);
  startButton_->setToolTip(start_->toolTip());
  startButton_->addAction(start_);
  row->addWidget(startButton_);
  makeElsewhere(*row);
  connect(startButton_, &QPushButton::clicked, start_, &QAction::trigger);
}

/// The menu beside the start, which there is once runs of another machine are followed.
void TransportBar::makeElsewhere(QHBoxLayout& row) {
  elsewhere_ = new QMenu(u"Start on another machine"_s, this);
  elsewhereButton_ = new QToolButton(this);
  elsewhereButton_->setObjectName(u"elsewhere"_s);
  elsewhereButton_->setMenu(elsewhere_);
  elsewhereButton_->setPopupMode(QToolButton::InstantPopup);
  elsewhereButton_->setText(u"On …"_s);
  elsewhereButton_->setToolTip(u"Start the training on another machine"_s);
  elsewhereButton_->setAccessibleName(elsewhere_->title());
  row.addWidget(elsewhereButton_);
}

void TransportBar::setPlaces(const QStringList& places) {
  elsewhere_->clear();
  for (int i = 0; i < places.size(); ++i) {
    connect(elsewhere_->addAction(places[i]), &QAction::triggered, this, [this, i] {
      Q_EMIT startElsewhereRequested(i);
    });
  }
  showState();
}

QList<QAction*> TransportBar::actionsInOrder() const {
  return {start_, elsewhere_->menuAction(), pause_, step_, stop_, leave_, nullptr, settings_};
}

void TransportBar::setDocument(const QString& name, const RunConfig& config) {
  documentName_ = name;
  document_ = config;
  showWords();
}

void TransportBar::setStartProminent(bool prominent) {
  setRole(*startButton_, prominent ? u"primary"_s : QString());
  updateIcons();
}

void TransportBar::setErrors(const QStringList& errors) {
  errors_ = errors;
  showWords();
}

void TransportBar::setShowsSettings(bool shown) {
  settings_->setChecked(shown);
  showWords();
}

void TransportBar::showState() {
  const SessionState state = session_.state();
  const bool isBusy = session_.isBusy();
  const bool isHeld = state == SessionState::paused || state == SessionState::pausing;
  const bool isStopping = state == SessionState::stopping;
  start_->setEnabled(!isBusy);
  // It keeps its place: a double click must not hit the button that stops.
  startButton_->setEnabled(!isBusy);
  startButton_->setVisible(!session_.isWatching());
  pause_->setEnabled(isBusy && !isStopping);
  pause_->setText(isHeld ? u"Continue"_s : u"Pause"_s);
  pause_->setToolTip(isHeld ? u"Continue training"_s : u"Pause after this batch"_s);
  step_->setEnabled(isBusy && !isStopping);
  stop_->setEnabled(isBusy && !isStopping);
  for (QToolButton* button : runButtons_) button->setVisible(isBusy);
  leave_->setEnabled(session_.isWatching());
  leave_->setVisible(session_.isWatching());
  leaveButton_->setVisible(session_.isWatching());
  const bool hasPlaces = !elsewhere_->isEmpty();
  elsewhere_->menuAction()->setVisible(hasPlaces);
  elsewhere_->setEnabled(!isBusy);
  elsewhereButton_->setVisible(hasPlaces && !isBusy);
  // Before the first training the settings are the only view.
  settingsButton_->setVisible(isBusy || !session_.status().run.empty());
  updateIcons();
  showWords();
}

/// Settings during a training are those of its run.
bool TransportBar::isAboutRun() const {
  return session_.isBusy() || (!session_.status().run.empty() && !settings_->isChecked());
}

bool TransportBar::differsFromRun() const {
  const RunConfig& run = session_.status().record.config;
  Recipe recipe = document_.recipe;
  recipe.precision = run.recipe.precision;  // A run has the one that was measured.
  return document_.architecture != run.architecture || recipe != run.recipe ||
         document_.seed != run.seed || document_.data.augmentation != run.data.augmentation ||
         document_.data.validationCount != run.data.validationCount ||
         document_.data.source.index() != run.data.source.index();
}

QString TransportBar::runText() const {
  const TrainingStatus& status = session_.status();
  if (status.run.empty()) return stateText(session_.state());
  QStringList parts;
  if (session_.isBusy()) {
    parts << stateText(session_.state());
    if (session_.isWatching()) {
      parts << u"by another process on %1"_s.arg(
          QString::fromStdString(terminalText(status.record.environment.host)));
    }
    parts << progressText(status) << u"step %1"_s.arg(countText(status.step));
  } else if (session_.lastResult()) {
    parts << endText(*session_.lastResult(), status.record.config.recipe.epochs);
  }
  if (differsFromRun()) {
    parts << (errors_.isEmpty()
                  ? u"the next start trains %1, which differs"_s.arg(documentName_)
                  : u"%1 differs and can't be trained: %2"_s.arg(documentName_, errors_.front()));
  }
  return parts.join(u" · "_s);
}

QString TransportBar::documentText() const {
  if (errors_.isEmpty()) return u"Not training"_s;
  if (errors_.size() == 1) return errors_.front();
  return u"%1 · and %2 more"_s.arg(errors_.front(), countText(errors_.size() - 1));
}

void TransportBar::showWords() {
  shown_.start();
  const TrainingStatus& status = session_.status();
  const bool hasRun = isAboutRun() && !status.run.empty();
  showTitle(hasRun ? shownName(status.record, status.run) : documentName_);
  recipe_->setText(recipeText(hasRun ? status.record.config : document_));
  const QString words = isAboutRun() ? runText() : documentText();
  words_->setText(words);
  words_->setDetails(isAboutRun() ? QString() : errors_.join(u'\n'));
  setRole(*words_, !isAboutRun() && !errors_.isEmpty() ? u"error"_s : u"secondary"_s);
}

void TransportBar::showTitle(const QString& title) {
  const QString shown = title_->fontMetrics().elidedText(title, Qt::ElideMiddle, kWidestTitle);
  title_->setText(shown);
  title_->setToolTip(shown == title ? QString() : title.toHtmlEscaped());
}

void TransportBar::updateIcons() {
  const SessionState state = session_.state();
  const bool isHeld = state == SessionState::paused || state == SessionState::pausing;
  start_->setIcon(icon(u"play"_s, *this));
  const bool isPrimary = startButton_->property(kRole).toString() == u"primary"_s;
  startButton_->setIcon(isPrimary ? icon(u"play"_s, colorsOf(*this).accentText)
                                  : icon(u"play"_s, *this));
  pause_->setIcon(icon(isHeld ? u"play"_s : u"pause"_s, *this));
  step_->setIcon(icon(u"step"_s, *this));
  stop_->setIcon(icon(u"stop"_s, *this));
  settings_->setIcon(icon(u"settings"_s, *this));
}

}  // namespace lambda
