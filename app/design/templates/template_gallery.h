#pragma once

#include <vector>

#include "app/design/gallery/card_gallery.h"
#include "app/design/templates/template_list.h"

class QLineEdit;

namespace lambda {

class TemplateCard;

/// The choice of templates, as cards over the page, in groups. They are loaded when it is opened
/// for the first time. Typed text leaves the cards that contain it.
class TemplateGallery : public CardGallery {
  Q_OBJECT

 public:
  explicit TemplateGallery(QWidget* parent);

  /// Opens over this area of the page, as large as the cards need.
  void open(const QRect& area);

 Q_SIGNALS:
  void chosen(const lambda::Template& from);

 protected:
  int contentWidth(int available) const override;
  int arrange(int width) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void load();
  void focusFirstCard();

  struct Group {
    QWidget* title;
    std::vector<TemplateCard*> cards;
  };

  std::vector<Group> groups_;
  QLineEdit* filter_;
};

}  // namespace lambda
