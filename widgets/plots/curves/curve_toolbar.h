#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QButtonGroup;
class QHBoxLayout;
class QLabel;
class QSettings;
class QSlider;
class QToolButton;

namespace lambda {

class CurvePlot;

/// The row of controls above a CurvePlot: steps, epochs or time; smoothing; logarithmic scale of
/// one panel; follow, fit and export. Changes the plot and shows its changes. Where there is little
/// space it leaves out texts that its tooltips repeat.
class CurveToolbar : public QWidget {
  Q_OBJECT

 public:
  /// `logPanel`: the panel with the logarithmic toggle; -1 = none. `plot` lives as long as the
  /// toolbar.
  CurveToolbar(CurvePlot& plot, int logPanel, QWidget* parent = nullptr);

  /// The actions for menus: those of the plot and the logarithmic scale.
  QList<QAction*> plotActions() const;

  QAction* logAction() const { return logAction_; }

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

  /// Leaves out the texts that are not essential.
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;

 private:
  void addAxisButtons(QHBoxLayout& row);
  void addSmoothing(QHBoxLayout& row);
  void addToggles(QHBoxLayout& row);
  void updateSizes();
  void updateIcons();
  int compactSaving() const;
  void setCompact(bool spare);
  void fit();

  CurvePlot& plot_;
  int logPanel_;
  QButtonGroup* axes_ = nullptr;
  QLabel* smoothingWord_ = nullptr;
  QSlider* smoothing_ = nullptr;
  QLabel* smoothingValue_ = nullptr;
  QToolButton* follow_ = nullptr;
  QToolButton* fit_ = nullptr;
  bool isSparing_ = false;
  int followText_ = 0;  ///< Width of the follow button's text.
  QAction* logAction_ = nullptr;
};

}  // namespace lambda
