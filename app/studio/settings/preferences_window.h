#pragma once

#include <QDialog>

class QListWidget;
class QScrollArea;
class QStackedWidget;

namespace lambda {

class Preferences;
class RunLibrary;
class ShortcutRegistry;

/// All preferences, by section. Not modal: it may stay open during work, and every change takes
/// effect at once or says when.
class PreferencesWindow : public QDialog {
  Q_OBJECT

 public:
  /// All outlive the window.
  PreferencesWindow(Preferences& preferences,
                    RunLibrary& library,
                    ShortcutRegistry& shortcuts,
                    QWidget* parent);

  /// Shows it over its parent.
  void open() override;

 private:
  void addSection(const QString& name, QWidget* section);
  void fitToText();

  QListWidget* names_;
  QStackedWidget* sections_;
};

}  // namespace lambda
