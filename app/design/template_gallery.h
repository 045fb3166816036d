#pragma once

#include <vector>

#include <QFrame>

#include "app/design/template_list.h"

class QScrollArea;
class QToolButton;

namespace lambda {

/// The choice of templates, as cards over the page. They are loaded when it is opened for the first
/// time. Escape, the cross and a choice close it.
class TemplateGallery : public QFrame {
  Q_OBJECT

 public:
  explicit TemplateGallery(QWidget* parent);

  /// Opens over this area of the page, as large as the cards need.
  void open(const QRect& area);

 Q_SIGNALS:
  void chosen(const lambda::Template& from);
  void closed();

 protected:
  bool event(QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void load();
  void arrange();

  struct Group {
    QWidget* title;
    std::vector<QWidget*> cards;
  };

  std::vector<Group> groups_;
  QWidget* content_;
  QScrollArea* area_;
  QToolButton* close_;
};

}  // namespace lambda
