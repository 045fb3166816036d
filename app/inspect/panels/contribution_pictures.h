#pragma once

#include <QWidget>

namespace lambda {

class HeatmapView;
class ImageView;

/// The image, the map of contributions and the maps of the heads, arranged so that image and map
/// are as large as possible: beside or below each other, with the heads at the right or below.
class ContributionPictures : public QWidget {
  Q_OBJECT

 public:
  explicit ContributionPictures(QWidget* parent = nullptr);

  /// The image alone.
  ImageView& plain() { return *plain_; }

  /// The picture with the contributions.
  ImageView& map() { return *map_; }

  HeatmapView& heads() { return *heads_; }

  /// One map for each head; at most one = none.
  void setHeadCount(int heads);

  /// Whether the image alone is shown as well.
  void setPlainVisible(bool visible);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Arrangement {
    double side = 0;  ///< Of image and map.
    bool areStacked = false;
    int headsPerRow = 1;
    QSize heads = {};  ///< The area of the heads.
    bool headsAreBelow = false;
  };

  Arrangement bestArrangement() const;
  Arrangement withHeadsAtRight(int headsPerRow, bool areStacked) const;
  Arrangement withHeadsBelow() const;
  void setSide(Arrangement& arrangement) const;
  void arrange();
  void nameHeads(double width);

  int headCount_ = 0;
  bool isPlainVisible_ = false;
  ImageView* plain_;
  ImageView* map_;
  HeatmapView* heads_;
};

}  // namespace lambda
