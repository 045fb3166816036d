#pragma once

#include <vector>

#include "app/design/gallery/card_gallery.h"
#include "app/design/gallery/mixer_offers.h"

namespace lambda {

class MixerCard;

/// The choice of a mixer for the selected blocks: a card for each kind.
class MixerGallery : public CardGallery {
  Q_OBJECT

 public:
  explicit MixerGallery(QWidget* parent);

  /// Opens with these offers over an area of the page; the cursor is on the present kind.
  void open(const std::vector<MixerOffer>& offers, const QRect& area);

  const std::vector<MixerCard*>& cards() const { return cards_; }

 Q_SIGNALS:
  void chosen(std::size_t kind);

 protected:
  int contentWidth(int available) const override;
  int arrange(int width) override;

 private:
  int columnsIn(int width) const;

  std::vector<MixerCard*> cards_;
};

}  // namespace lambda
