#pragma once

#include <memory>
#include <vector>

#include <QLayout>

namespace lambda {

/// A row of controls that goes on in the next line where there is no more room, so that what holds
/// it may be as narrow as its widest control. Hidden widgets take no room.
class FlowLayout : public QLayout {
 public:
  /// Pixels between neighbours, and between lines.
  explicit FlowLayout(int spacing, QWidget* parent = nullptr);
  ~FlowLayout() override;

  /// What is added from here on stands at the right end of its line, unless it is alone there.
  void beginRight();

  void addItem(QLayoutItem* item) override;
  int count() const override;
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;

  Qt::Orientations expandingDirections() const override { return {}; }

  bool hasHeightForWidth() const override { return true; }

  int heightForWidth(int width) const override;
  /// All in one line.
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
