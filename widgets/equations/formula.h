#pragma once

#include <vector>

#include <QPointF>
#include <QString>

class QColor;
class QPainter;

namespace lambda {

/// A typeset formula, drawn with the program's font, so that it is sharp in every size and colour.
///
/// It is written in a small part of TeX: `x_n`, `x^T`, `x_{nm}^{c}`, `\lambda`, `\sum_m`,
/// `\bar{k}`, `\hat{k}`, `\text{softmax}`, `\underbrace{...}{content lambda}`, `\R`, `\in`,
/// `\cdot`, `\times`, `\ldots`, `\|`. Letters are slanted, digits, signs and text upright; `\,` is
/// a space. Anything else is drawn as it is written.
class Formula {
 public:
  explicit Formula(const QString& tex);
  ~Formula();
  Formula(Formula&&) noexcept;
  Formula& operator=(Formula&&) noexcept;

  /// The size in letters of `pixels` height.
  struct Size {
    double width = 0;
    double ascent = 0;
    double descent = 0;
  };

  Size sizeIn(double pixels) const;

  /// Draws it with the left end of its base line at `at`, names below braces in `nameColor`.
  void paint(QPainter& painter,
             const QPointF& at,
             double pixels,
             const QColor& color,
             const QColor& nameColor) const;

  /// The formula in one line of plain text, for screen readers: "λ_n = Σ_m (k̄_m + e_nm) v_m^T".
  QString plainText() const;

  struct Node;

 private:
  std::vector<Node> row_;
};

}  // namespace lambda
