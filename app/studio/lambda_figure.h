#pragma once

#include <vector>

#include <QWidget>

namespace lambda {

/// What a lambda layer does, drawn with numbers that add up: a context becomes a k x v matrix, the
/// lambda, which turns a query of k numbers into an output of v.
class LambdaFigure : public QWidget {
  Q_OBJECT

 public:
  explicit LambdaFigure(QWidget* parent = nullptr);

  QSize sizeHint() const override;

  /// As large as fits into that room, but not smaller than its labels can be read nor larger than
  /// the size of text asks for.
  void fitInto(const QSize& room);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<float> lambda_;  // [k, v]
  std::vector<float> query_;   // [k]
  std::vector<float> output_;  // [v], lambda^T query.
};

}  // namespace lambda
