#pragma once

#include <vector>

#include <QStringList>
#include <QWidget>

#include "widgets/equations/formula.h"

namespace lambda {

/// Formulas one after the other, in as many lines as they need. One that is too wide for a line is
/// drawn smaller.
class FormulaLine : public QWidget {
  Q_OBJECT

 public:
  explicit FormulaLine(QWidget* parent = nullptr);

  void setFormulas(const QStringList& formulas);

  bool hasHeightForWidth() const override { return true; }

  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Place {
    const Formula* formula;
    QPointF at;
    double pixels;
  };

  std::vector<Place> placesIn(int width, double& height) const;

  QStringList written_;
  std::vector<Formula> formulas_;
};

}  // namespace lambda
