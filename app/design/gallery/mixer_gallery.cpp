#include "app/design/gallery/mixer_gallery.h"

#include <algorithm>

#include "app/design/gallery/mixer_card.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kMostColumns = 2;
constexpr double kLeastWidth = 380;  ///< Of a card, at scale 1.
constexpr double kBestWidth = 460;

}  // namespace

MixerGallery::MixerGallery(QWidget* parent)
    : CardGallery(u"Choose a mixer"_s,
                  u"The map shows what a query sees, the column the channels or the matrix that "
                  "it meets."_s,
                  parent) {}

void MixerGallery::open(const std::vector<MixerOffer>& offers, const QRect& area) {
  for (MixerCard* card : cards_) delete card;
  cards_.clear();
  for (const MixerOffer& offer : offers) {
    auto* card = new MixerCard(offer, &content());
    connect(card, &QAbstractButton::clicked, this, [this, kind = offer.kind()] {
      hide();
      Q_EMIT chosen(kind);
    });
    addCard(*card);
    cards_.push_back(card);
  }
  openOver(area);
  const auto present = std::ranges::find_if(cards_, &MixerCard::isChecked);
  if (cards_.empty()) return;
  focusCard(present == cards_.end() ? *cards_.front() : **present, Qt::OtherFocusReason);
}

int MixerGallery::columnsIn(int width) const {
  const double least = kLeastWidth * textScale();
  return std::clamp(static_cast<int>((width + kGap) / (least + kGap)), 1, kMostColumns);
}

int MixerGallery::contentWidth(int available) const {
  const int columns = columnsIn(available);
  return std::min(available, columns * qRound(kBestWidth * textScale()) + (columns - 1) * kGap);
}

int MixerGallery::arrange(int width) {
  const int columns = columnsIn(width);
  const int cardWidth = (width - (columns - 1) * kGap) / columns;
  int y = 0;
  for (std::size_t line = 0; line < cards_.size(); line += static_cast<std::size_t>(columns)) {
    const std::size_t end = std::min(cards_.size(), line + static_cast<std::size_t>(columns));
    int height = 0;
    for (std::size_t i = line; i < end; ++i) {
      height = std::max(height, cards_[i]->heightForWidth(cardWidth));
    }
    for (std::size_t i = line; i < end; ++i) {
      cards_[i]->setGeometry(static_cast<int>(i - line) * (cardWidth + kGap), y, cardWidth, height);
      cards_[i]->show();
    }
    y += height + kGap;
  }
  return std::max(0, y - kGap);
}

}  // namespace lambda
