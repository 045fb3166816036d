#pragma once

#include <vector>

#include <QString>

#include "widgets/plots/curves/curve_plot.h"
#include "widgets/plots/curves/curve_scene.h"

class QAction;
class QCustomPlot;
class QLabel;

namespace lambda {

class CurveInteraction;
class CurveReadout;

/// The parts of a CurvePlot and their connections.
class CurvePlot::Private {
 public:
  Private(CurvePlot& owner, std::vector<CurvePanel> panels);

  void makeActions();
  void connectInteraction();
  void replot();
  void changed();
  void showLogScale(int panel, bool on);
  void chooseLogScales();
  void userMoved();
  void divideSpace(int whole);
  void paintInto(QPainter& painter, const QSize& size, const Colors& colors);

  CurvePlot& owner;
  QCustomPlot* plot;
  CurveScene scene;
  CurveReadout* readout;
  CurveInteraction* interaction;
  QLabel* empty;
  QAction* fitAction;
  QAction* followAction;
  QString exportName = QStringLiteral("curves");
};

}  // namespace lambda
