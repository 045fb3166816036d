#pragma once

#include <QAbstractButton>

#include "app/design/gallery/mixer_offers.h"

namespace lambda {

/// A kind of mixer as a card: what a query sees, what the kind does, its formula with the numbers
/// of the block, and its cost. As high as its texts need at its width.
class MixerCard : public QAbstractButton {
  Q_OBJECT

 public:
  MixerCard(const MixerOffer& offer, QWidget* parent);

  std::size_t kind() const { return offer_.kind(); }

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  MixerOffer offer_;
};

}  // namespace lambda
