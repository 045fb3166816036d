#pragma once

#include <QSize>
#include <QString>

class QPainter;

namespace lambda {

struct Colors;

/// A plot or picture that can be exported to a file, to the clipboard or into a paper.
class Exportable {
 public:
  virtual ~Exportable() = default;

  /// Proposed stem of a file name, for example "stage2.block1-lambda".
  virtual QString exportName() const = 0;

  /// Size in pixels of the drawing unless the person asks for another.
  virtual QSize exportSize() const = 0;

  /// What the drawing shows, which stands above it in files; empty where it says that itself.
  virtual QString exportCaption() const { return {}; }

  /// Draws it, axes and colour bars included, into (0, 0) to `size` in these colours. Vectors stay
  /// vectors, since the painter may belong to an SVG or PDF file.
  virtual void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const = 0;

  /// The numbers behind it with a header line; empty where it has none.
  virtual QString toCsv() const = 0;
};

}  // namespace lambda
