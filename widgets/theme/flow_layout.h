#pragma once

#include <memory>
#include <vector>

#include <QLayout>

namespace lambda {

/// A row of controls that continues in the next line where there is no more space, so that its
/// container may be as narrow as the widest control. Hidden widgets need no space.
class FlowLayout : public QLayout {
 public:
  /// Gaps in pixels between neighbours and between lines.
  explicit FlowLayout(int spacing, QWidget* parent = nullptr);
  ~FlowLayout() override;

  /// Items added after this stand at the right end of their line, unless they are alone there.
  void beginRight();

  void addItem(QLayoutItem* item) override;
  int count() const override;
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;

  Qt::Orientations expandingDirections() const override { return {}; }

  bool hasHeightForWidth() const override { return true; }

  int heightForWidth(int width) const override;
  /// The size with all items in one line.
  QSize sizeHint() const override;
  QSize minimumSize() const override;
  void setGeometry(const QRect& rect) override;

 private:
  struct Entry {
    std::unique_ptr<QLayoutItem> item;
    bool isRight = false;
  };

  struct Line {
    std::vector<const Entry*> entries;
    int width = 0;
    int height = 0;
  };

  std::vector<Line> linesFor(int width) const;
  void place(const Line& line, const QRect& area) const;

  std::vector<Entry> entries_;
  bool isRight_ = false;
};

}  // namespace lambda
