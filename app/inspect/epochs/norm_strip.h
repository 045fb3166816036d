#pragma once

#include <vector>

#include "app/inspect/probe_view.h"
#include "widgets/plots/lines/line_plot.h"

namespace lambda {

/// The norms of a layer's content lambda, position lambda and embeddings over the epochs, each as
/// a share of its greatest; a line marks the shown epoch.
class NormStrip : public LinePlot {
  Q_OBJECT

 public:
  explicit NormStrip(QWidget* parent = nullptr);

  void setNorms(std::vector<ProbeNorms> norms);
  void setCurrent(int index);

  QString toCsv() const override;

  QSize sizeHint() const override;

 Q_SIGNALS:
  void chosen(int index);

 protected:
  QString placeAt(double x) const override;
  QString valueAt(std::size_t line, std::size_t point) const override;

  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  void chooseAt(const QPointF& pixel);

  std::vector<ProbeNorms> norms_;
};

}  // namespace lambda
