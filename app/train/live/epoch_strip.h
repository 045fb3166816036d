#pragma once

#include <memory>
#include <set>
#include <vector>

#include <QImage>
#include <QWidget>

#include "app/train/live/layer_picture.h"
#include "widgets/export/exportable.h"

namespace lambda {

/// The changes of a layer: for the end of every epoch a small lambda matrix and, below it, the
/// position embedding that has changed most, each kind on one scale. A click, or the left and right
/// keys, choose one to show large; Escape returns to the live picture.
class EpochStrip : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit EpochStrip(QWidget* parent = nullptr);

  void clear();

  /// Adds the picture of an epoch's end, or replaces that of the same epoch. Of very many pictures
  /// every second one is left out, so that the whole run stays visible.
  void add(std::shared_ptr<const LayerPicture> picture);

  void setPart(LambdaPart part);

  /// Null for an epoch that is not in the strip.
  std::shared_ptr<const LayerPicture> at(int epoch) const;

  bool has(int epoch) const { return at(epoch) != nullptr; }

  std::set<int> epochs() const;

  int count() const { return static_cast<int>(entries_.size()); }

  /// The chosen epoch; -1 = none.
  int chosen() const { return chosen_; }

  void setChosen(int epoch);

  QString exportName() const override;

  QString exportCaption() const override { return accessibleName(); }

  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// -1 = back to the live picture.
  void epochChosen(int epoch);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Entry {
    std::shared_ptr<const LayerPicture> picture;
    QImage lambda;
    QImage tile;
  };

  struct Sizes {
    double cell = 0;
    double lambdaHeight = 0;
    double tileHeight = 0;
    double caption = 0;
  };

  Sizes sizes() const;
  void redraw();
  void choose(int index);
  int indexAt(double x) const;
  int firstVisible(double width) const;
  int visibleCount(double width) const;

  void paintEntries(QPainter& painter, const QSize& size, const Colors& colors) const;

  std::vector<Entry> entries_;
  ColorRange lambdaRange_;
  ColorRange tileRange_;
  LambdaPart part_ = LambdaPart::all;
  int chosen_ = -1;
  int scroll_ = 0;  ///< Entries between the last visible one and the last one.
};

}  // namespace lambda
