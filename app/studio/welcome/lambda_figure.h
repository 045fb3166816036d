#pragma once

#include <vector>

#include <QWidget>

namespace lambda {

/// A picture of a lambda layer with correct numbers: a context becomes a k x v matrix, the lambda,
/// which turns a query of k numbers into an output of v.
class LambdaFigure : public QWidget {
  Q_OBJECT

 public:
  explicit LambdaFigure(QWidget* parent = nullptr);

  QSize sizeHint() const override;

  /// As large as fits into that space, but not smaller than its labels need nor larger than the
  /// size of text suggests.
  void fitInto(const QSize& space);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<float> lambda_;  // [k, v]
  std::vector<float> query_;   // [k]
  std::vector<float> output_;  // [v], lambda^T query.
};

}  // namespace lambda
