#include "app/studio/settings/preferences_window.h"

#include <QDialogButtonBox>
#include <QListWidget>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/studio/settings/appearance_section.h"
#include "app/studio/settings/folders_section.h"
#include "app/studio/settings/questions_section.h"
#include "app/studio/settings/shortcuts_section.h"
#include "app/studio/settings/training_section.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kWindowSize{860, 620};
constexpr double kLargestShare = 0.92;  ///< Of the parent's window.
constexpr int kNamesMargin = 40;

}  // namespace

PreferencesWindow::PreferencesWindow(Preferences& preferences,
                                     RunLibrary& library,
                                     ShortcutRegistry& shortcuts,
                                     QWidget* parent)
    : QDialog(parent), names_(new QListWidget), sections_(new QStackedWidget) {
  setWindowTitle(u"Preferences"_s);
  names_->setAccessibleName(u"Sections of the preferences"_s);
  names_->setStyleSheet(
      u"QListWidget { border: none; border-radius: 0; } QListWidget::item { padding: 6px 10px; }"_s);
  addSection(u"Appearance"_s, new AppearanceSection(preferences));
  addSection(u"Folders"_s, new FoldersSection(preferences, library));
  addSection(u"Training"_s, new TrainingSection(preferences));
  addSection(u"Questions"_s, new QuestionsSection(preferences));
  addSection(u"Shortcuts"_s, new ShortcutsSection(shortcuts));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  // Return in a field must not close the window.
  for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);
  buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
  connect(buttons, &QDialogButtonBox::rejected, this, &QWidget::close);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(0);
  columns->addWidget(names_);
  columns->addWidget(sections_, 1);
  auto* layout = makeBareLayout<QVBoxLayout>(this, 0);
  layout->addLayout(columns, 1);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(16, 10, 16, 12);
  foot->addWidget(buttons);
  layout->addLayout(foot);
  connect(names_, &QListWidget::currentRowChanged, sections_, &QStackedWidget::setCurrentIndex);
  names_->setCurrentRow(0);
  fitToText();
  onChange(*this, {QEvent::FontChange, QEvent::StyleChange}, [this] { fitToText(); });
}

void PreferencesWindow::addSection(const QString& name, QWidget* section) {
  auto* area = new QScrollArea;
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);
  area->setWidget(section);
  names_->addItem(name);
  sections_->addWidget(area);
}

void PreferencesWindow::open() {
  if (!isVisible()) {
    const QSize most = parentWidget()->window()->size() * kLargestShare;
    resize((kWindowSize * textScale()).boundedTo(most));
  }
  show();
  raise();
  activateWindow();
  names_->setFocus();
}

void PreferencesWindow::fitToText() {
  names_->setFixedWidth(names_->sizeHintForColumn(0) + qRound(kNamesMargin * textScale()));
}

}  // namespace lambda
