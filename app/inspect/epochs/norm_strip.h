#pragma once

#include <vector>

#include <QWidget>

#include "app/inspect/probe_view.h"
#include "widgets/export/exportable.h"

namespace lambda {

/// The norms of a layer's content lambda, position lambda and embeddings over the epochs, each on
/// its own scale, as one thin strip; a line marks the shown epoch.
class NormStrip : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit NormStrip(QWidget* parent = nullptr);

  void setNorms(std::vector<ProbeNorms> norms);
  void setCurrent(int index);

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;

 Q_SIGNALS:
  void chosen(int index);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  void chooseAt(const QPointF& at);
  double placeOf(int index, double width) const;

  std::vector<ProbeNorms> norms_;
  int current_ = -1;
};

}  // namespace lambda
