#include "app/studio/settings/appearance_section.h"

#include <chrono>

#include <QButtonGroup>
#include <QRadioButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QTimer>

#include "app/studio/preferences.h"
#include "app/studio/settings/section_parts.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kStep = 5;
constexpr int kPage = 25;
constexpr double kBodyPixels = 13;
/// Every part of the window is laid out again for a new text size.
constexpr std::chrono::milliseconds kRest{250};

}  // namespace

AppearanceSection::AppearanceSection(Preferences& preferences, QWidget* parent)
    : QWidget(parent),
      preferences_(preferences),
      themes_(new QButtonGroup(this)),
      size_(new QSlider(Qt::Horizontal)),
      percent_(new QLabel),
      sample_(new QLabel(u"Validation accuracy 91.3 % after epoch 6"_s)) {
  makeColumn(*this);
  makeThemes();
  makeTextSize();
  static_cast<QVBoxLayout*>(layout())->addStretch();
  connect(&preferences_, &Preferences::lookChanged, this, &AppearanceSection::showSettings);
  showSettings();
}

void AppearanceSection::makeThemes() {
  auto* column = static_cast<QVBoxLayout*>(layout());
  addHeading(*column, u"Theme"_s);
  const QStringList names{u"As the system"_s, u"Light"_s, u"Dark"_s};
  for (int i = 0; i < names.size(); ++i) {
    auto* button = new QRadioButton(names[i]);
    themes_->addButton(button, i);
    column->addWidget(button);
  }
  connect(themes_, &QButtonGroup::idClicked, this, [this](int id) {
    preferences_.setTheme(static_cast<ThemeChoice>(id));
  });
}

void AppearanceSection::makeTextSize() {
  auto* column = static_cast<QVBoxLayout*>(layout());
  column->addSpacing(12);
  addHeading(*column, u"Text size"_s);
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  row->addWidget(size_, 1);
  row->addWidget(percent_);
  column->addLayout(row);
  column->addWidget(sample_);
  addNote(*column,
          u"Everything that surrounds text grows with it. Ctrl and the mouse wheel zoom "
          u"the network and the curves, not the text."_s);
  size_->setRange(100, 200);
  size_->setSingleStep(kStep);
  size_->setPageStep(kPage);
  size_->setTickInterval(kPage);
  size_->setAccessibleName(u"Text size in percent"_s);
  auto* rest = new QTimer(this);
  rest->setSingleShot(true);
  rest->setInterval(kRest);
  connect(size_, &QSlider::valueChanged, this, [this, rest](int percent) {
    preview(percent);
    rest->start();
  });
  connect(
      rest, &QTimer::timeout, this, [this] { preferences_.setTextSize(size_->value() / 100.0); });
}

void AppearanceSection::showSettings() {
  themes_->button(static_cast<int>(preferences_.theme()))->setChecked(true);
  if (size_->isSliderDown()) return;
  const int percent = qRound(100 * preferences_.textSize());
  const QSignalBlocker blocker(size_);
  size_->setValue(percent);
  preview(percent);
}

void AppearanceSection::preview(int percent) {
  percent_->setText(u"%1 %"_s.arg(percent));
  sample_->setStyleSheet(u"font-size: %1px"_s.arg(qRound(kBodyPixels * percent / 100)));
}

}  // namespace lambda
