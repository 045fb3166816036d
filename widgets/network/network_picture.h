#pragma once

#include <QSize>
#include <QString>

#include "widgets/network/drawing/network_layout.h"
#include "widgets/network/parts/part_costs.h"
#include "widgets/theme/colors.h"

class QPainter;

namespace lambda {

/// A network on paper and as a table. Refers to what it is made of.
struct NetworkPicture {
  const Architecture& architecture;
  const NetworkCosts& costs;
  OperationCounts opened;

  /// For a file.
  QString name() const;

  QSize size() const;
  void paint(QPainter& painter, const QSize& size, const Colors& colors) const;
  QString toCsv() const;
};

}  // namespace lambda
