#pragma once

#include <QWidget>

class QButtonGroup;
class QLabel;
class QSlider;

namespace lambda {

class Preferences;

/// Theme and text size. The text beside the slider follows it; the program follows when it rests.
class AppearanceSection : public QWidget {
  Q_OBJECT

 public:
  explicit AppearanceSection(Preferences& preferences, QWidget* parent = nullptr);

 private:
  void makeThemes();
  void makeTextSize();
  void showSettings();
  void preview(int percent);

  Preferences& preferences_;
  QButtonGroup* themes_;
  QSlider* size_;
  QLabel* percent_;
  QLabel* sample_;
};

}  // namespace lambda
