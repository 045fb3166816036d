#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QButtonGroup;
class QHBoxLayout;
class QLabel;
class QSettings;
class QSlider;

namespace lambda {

class CurvePlot;

/// The row of controls above a CurvePlot: steps, epochs or time; smoothing; logarithmic scale of
/// one panel; follow, fit and export. Changes the plot and follows what changes in it.
class CurveToolbar : public QWidget {
  Q_OBJECT

 public:
  /// `logPanel`: the panel with the logarithmic toggle; -1 = without. `plot` lives as long as the
  /// toolbar.
  CurveToolbar(CurvePlot& plot, int logPanel, QWidget* parent = nullptr);

  /// For menus: those of the plot and the logarithmic scale.
  QList<QAction*> plotActions() const;

  QAction* logAction() const { return logAction_; }

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void addAxisButtons(QHBoxLayout& row);
  void addSmoothing(QHBoxLayout& row);
  void addToggles(QHBoxLayout& row, int logPanel);
  void updateIcons();

  CurvePlot& plot_;
  QButtonGroup* axes_ = nullptr;
  QSlider* smoothing_ = nullptr;
  QLabel* smoothingValue_ = nullptr;
  QAction* logAction_ = nullptr;
};

}  // namespace lambda
