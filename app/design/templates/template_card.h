#pragma once

#include <optional>

#include <QAbstractButton>

#include "app/design/templates/template_list.h"

namespace lambda {

/// A template as a card: its name, its blocks as small squares, its cost and its purpose.
class TemplateCard : public QAbstractButton {
  Q_OBJECT

 public:
  TemplateCard(const Template& shown, QWidget* parent);

  const Template& shown() const { return template_; }

  /// Whether its name, that of its preset or its purpose contains the text.
  bool matches(const QString& text) const;

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void paintPattern(QPainter& painter, const QRectF& box) const;

  Template template_;
  std::optional<long long> parameters_;  ///< Counted when the card is first painted.
};

}  // namespace lambda
