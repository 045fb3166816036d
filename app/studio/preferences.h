#pragma once

#include <QActionGroup>
#include <QObject>

#include "widgets/theme/theme.h"

class QApplication;
class QMenu;

namespace lambda {

class SystemTheme;

/// The look of the program, saved between starts, and the actions that change it at run time.
class Preferences : public QObject {
  Q_OBJECT

 public:
  /// Reads the saved preferences and applies them.
  explicit Preferences(QApplication& application, QObject* parent = nullptr);

  ThemeChoice theme() const { return theme_; }

  double textSize() const { return textSize_; }

  void setTheme(ThemeChoice theme);

  /// 1 to 2.
  void setTextSize(double factor);

  /// Adds the submenus "Theme" and "Text size".
  void addTo(QMenu& menu);

  /// Switches between light and dark, whatever the system prefers.
  QAction* toggleDarkAction() const { return toggleDark_; }

 private:
  void apply();
  void updateActions();

  QApplication& application_;
  ThemeChoice theme_ = ThemeChoice::system;
  double textSize_ = 1;
  SystemTheme* system_;
  QActionGroup* themes_;
  QActionGroup* sizes_;
  QAction* toggleDark_;
};

}  // namespace lambda
