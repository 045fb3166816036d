#pragma once

#include <QActionGroup>
#include <QObject>

#include "app/session/studio_settings.h"
#include "widgets/theme/theme.h"

class QApplication;
class QMenu;

namespace lambda {

class SystemTheme;

/// The decisions of a person for the whole program, saved between starts, and the actions that
/// change its look at run time.
class Preferences : public QObject {
  Q_OBJECT

 public:
  /// Reads the saved preferences and applies them.
  explicit Preferences(QApplication& application, QObject* parent = nullptr);

  /// The saved preferences that made no sense and have their standard values instead.
  const QStringList& ignored() const { return ignored_; }

  ThemeChoice theme() const { return theme_; }

  double textSize() const { return textSize_; }

  void setTheme(ThemeChoice theme);

  /// 1 to 2.
  void setTextSize(double factor);

  const StudioSettings& settings() const { return settings_; }

  void setSettings(const StudioSettings& settings);

  /// Adds the submenus "Theme" and "Text size".
  void addTo(QMenu& menu);

  /// Switches between light and dark, whatever the system prefers.
  QAction* toggleDarkAction() const { return toggleDark_; }

 Q_SIGNALS:
  /// The theme or the text size has changed.
  void lookChanged();
  void settingsChanged(const lambda::StudioSettings& settings);

 private:
  void readLook();
  void apply();
  void updateActions();

  QApplication& application_;
  StudioSettings settings_;
  QStringList ignored_;
  ThemeChoice theme_ = ThemeChoice::system;
  double textSize_ = 1;
  SystemTheme* system_;
  QActionGroup* themes_;
  QActionGroup* sizes_;
  QAction* toggleDark_;
};

}  // namespace lambda
