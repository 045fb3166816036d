#include "app/studio/preferences.h"

#include <algorithm>
#include <array>

#include <QApplication>
#include <QMenu>
#include <QPalette>
#include <QSettings>

#include "app/studio/system/system_theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kThemeKey = u"look/theme"_s;
const QString kTextSizeKey = u"look/textSize"_s;
constexpr std::array kTextSizes{1.0, 1.15, 1.3, 1.5, 1.75, 2.0};

}  // namespace

Preferences::Preferences(QApplication& application, QObject* parent)
    : QObject(parent),
      application_(application),
      system_(new SystemTheme(this)),
      themes_(new QActionGroup(this)),
      sizes_(new QActionGroup(this)),
      toggleDark_(new QAction(u"Switch between light and dark"_s, this)) {
  ignored_ = setUnusableSettingsAside();
  settings_ = readStudioSettings(&ignored_);
  readLook();
  systemIsDark();
  connect(system_, &SystemTheme::darkPreferred, this, [this](bool isDark) {
    setSystemDark(isDark);
    if (theme_ == ThemeChoice::system) apply();
  });

  const std::array names{u"As the system"_s, u"Light"_s, u"Dark"_s};
  for (std::size_t i = 0; i < names.size(); ++i) {
    QAction* action = themes_->addAction(names[i]);
    action->setCheckable(true);
    action->setToolTip(u"Colours of the program"_s);
    connect(
        action, &QAction::triggered, this, [this, i] { setTheme(static_cast<ThemeChoice>(i)); });
  }
  for (const double size : kTextSizes) {
    QAction* action = sizes_->addAction(u"Text at %1 %"_s.arg(qRound(100 * size)));
    action->setCheckable(true);
    action->setData(size);
    connect(action, &QAction::triggered, this, [this, size] { setTextSize(size); });
  }
  toggleDark_->setShortcut(QKeySequence(u"Ctrl+Shift+L"_s));
  connect(toggleDark_, &QAction::triggered, this, [this] {
    const bool isDark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    setTheme(isDark ? ThemeChoice::light : ThemeChoice::dark);
  });
  apply();
}

void Preferences::readLook() {
  const QSettings settings;
  bool isValid = false;
  const int theme = settings.value(kThemeKey, 0).toInt(&isValid);
  isValid = isValid && theme >= 0 && theme <= static_cast<int>(ThemeChoice::dark);
  if (isValid) {
    theme_ = static_cast<ThemeChoice>(theme);
  } else {
    ignored_ << kThemeKey;
  }
  const double size = settings.value(kTextSizeKey, 1.0).toDouble(&isValid);
  isValid = isValid && size >= kTextSizes.front() && size <= kTextSizes.back();
  if (isValid) {
    textSize_ = size;
  } else {
    ignored_ << kTextSizeKey;
  }
}

void Preferences::setSettings(const StudioSettings& settings) {
  if (settings == settings_) return;
  settings_ = settings;
  writeStudioSettings(settings);
  Q_EMIT settingsChanged(settings);
}

void Preferences::setTheme(ThemeChoice theme) {
  theme_ = theme;
  QSettings().setValue(kThemeKey, static_cast<int>(theme));
  apply();
}

void Preferences::setTextSize(double factor) {
  textSize_ = std::clamp(factor, kTextSizes.front(), kTextSizes.back());
  QSettings().setValue(kTextSizeKey, textSize_);
  apply();
}

void Preferences::addTo(QMenu& menu) {
  QMenu* theme = menu.addMenu(u"Theme"_s);
  theme->addActions(themes_->actions());
  theme->addSeparator();
  theme->addAction(toggleDark_);
  menu.addMenu(u"Text size"_s)->addActions(sizes_->actions());
}

void Preferences::apply() {
  applyTheme(application_, theme_, textSize_);
  updateActions();
  Q_EMIT lookChanged();
}

void Preferences::updateActions() {
  themes_->actions().at(static_cast<int>(theme_))->setChecked(true);
  for (QAction* action : sizes_->actions())
    action->setChecked(qFuzzyCompare(action->data().toDouble(), textSize_));
}

}  // namespace lambda
