#include "app/studio/settings/questions_section.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSignalBlocker>

#include "app/studio/preferences.h"
#include "app/studio/settings/section_parts.h"

using namespace Qt::StringLiterals;

namespace lambda {

QuestionsSection::QuestionsSection(Preferences& preferences, QWidget* parent)
    : QWidget(parent),
      preferences_(preferences),
      testScore_(new QCheckBox(u"Ask before the test set is scored"_s)),
      stopping_(new QCheckBox(u"Ask before closing stops a training"_s)),
      notification_(new QComboBox) {
  QVBoxLayout* column = makeColumn(*this);
  addHeading(*column, u"Questions"_s);
  column->addWidget(testScore_);
  addNote(*column,
          u"Every scoring of the test set is counted in the run's record. Without the "
          u"question, choosing the test images scores them."_s);
  column->addWidget(stopping_);
  addNote(*column,
          u"The training is saved in both cases, and the next start offers to resume it. "
          u"Unsaved changes of a network are always asked about."_s);
  column->addSpacing(12);
  addHeading(*column, u"Notifications of the desktop"_s);
  notification_->addItems({u"When a training ends and the window is in the background"_s,
                           u"Whenever a training ends"_s,
                           u"Never"_s});
  notification_->setAccessibleName(u"Notifications of the desktop"_s);
  column->addWidget(notification_, 0, Qt::AlignLeft);
  addNote(*column, u"All of these take effect at once."_s);
  column->addStretch();
  for (QCheckBox* box : {testScore_, stopping_})
    connect(box, &QCheckBox::toggled, this, &QuestionsSection::store);
  connect(notification_, &QComboBox::activated, this, &QuestionsSection::store);
  connect(&preferences_, &Preferences::settingsChanged, this, &QuestionsSection::showSettings);
  showSettings();
}

void QuestionsSection::showSettings() {
  const StudioSettings& settings = preferences_.settings();
  const QSignalBlocker testScore(testScore_), stopping(stopping_);
  testScore_->setChecked(settings.asksBeforeTestScore);
  stopping_->setChecked(settings.asksBeforeStopping);
  notification_->setCurrentIndex(static_cast<int>(settings.endNotification));
}

void QuestionsSection::store() {
  StudioSettings settings = preferences_.settings();
  settings.asksBeforeTestScore = testScore_->isChecked();
  settings.asksBeforeStopping = stopping_->isChecked();
  settings.endNotification = static_cast<EndNotification>(notification_->currentIndex());
  preferences_.setSettings(settings);
}

}  // namespace lambda
