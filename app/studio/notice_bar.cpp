#include "app/studio/notice_bar.h"

#include <algorithm>
#include <chrono>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::chrono::seconds kStay{12};
constexpr std::size_t kMostFailures = 3;

bool closesAutomatically(NoticeBar::Kind kind) {
  return kind == NoticeBar::Kind::good || kind == NoticeBar::Kind::information;
}

}  // namespace

/// One line: an icon, the text, the choices, and the button that closes it.
class NoticeBar::Notice : public QFrame {
 public:
  Notice(NoticeBar& bar,
         Kind kind,
         const QString& text,
         const std::vector<Choice>& choices,
         const QWidget* page)
      : QFrame(&bar),
        kind_(kind),
        page_(page),
        icon_(new QLabel(this)),
        text_(new QLabel(text, this)),
        close_(new QPushButton(this)) {
    setProperty(kRole, u"notice"_s);
    setProperty("problem", kind == Kind::failure ? u"error"_s : QString());
    setAccessibleName((kind == Kind::failure ? u"Error: "_s : u"Notice: "_s) + text);
    icon_->setAccessibleName(kind == Kind::failure ? u"Error"_s : u"Notice"_s);
    text_->setTextFormat(Qt::PlainText);
    text_->setWordWrap(true);
    text_->setMinimumWidth(1);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    close_->setProperty(kRole, u"quiet"_s);
    close_->setAccessibleName(u"Close this notice"_s);
    close_->setToolTip(u"Close"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 6, 8, 6);
    layout->setSpacing(10);
    layout->addWidget(icon_);
    layout->addWidget(text_, 1);
    for (const Choice& choice : choices) {
      auto* button = new QPushButton(choice.text, this);
      connect(button, &QPushButton::clicked, &bar, [this, &bar, call = choice.call] {
        bar.remove(*this);
        call();
      });
      layout->addWidget(button);
    }
    layout->addWidget(close_);
    connect(close_, &QPushButton::clicked, &bar, [this, &bar] { bar.remove(*this); });
    if (closesAutomatically(kind)) {
      QTimer::singleShot(kStay, this, [this, &bar] { bar.remove(*this); });
    }
    updateLooks();
    onPaletteChange(*this, [this] { updateLooks(); });
  }

  Kind kind() const { return kind_; }

  QString text() const { return text_->text(); }

  /// Null for every page.
  const QWidget* page() const { return page_; }

 private:
  void updateLooks() {
    const QString name = kind_ == Kind::good      ? u"check"_s
                         : kind_ == Kind::failure ? u"error"_s
                                                  : u"info"_s;
    const int side = qRound(18 * textScale());
    const Colors& colors = colorsOf(*this);
    const QColor ink = kind_ == Kind::good      ? colors.success
                       : kind_ == Kind::failure ? colors.error
                                                : colors.accent;
    icon_->setPixmap(icon(name, ink).pixmap(side, side));
    close_->setIcon(icon(u"close"_s, *this));
  }

  Kind kind_;
  const QWidget* page_;
  QLabel* icon_;
  QLabel* text_;
  QPushButton* close_;
};

NoticeBar::NoticeBar(QWidget* parent) : QFrame(parent), rows_(new QVBoxLayout(this)) {
  rows_->setContentsMargins({});
  rows_->setSpacing(0);
  hide();
}

void NoticeBar::tell(Kind kind,
                     const QString& text,
                     const std::vector<Choice>& choices,
                     const QWidget* page) {
  removeReplacedBy(kind, text);
  auto* notice = new Notice(*this, kind, text, choices, page);
  notices_.push_back(notice);
  rows_->addWidget(notice);
  updateVisible();
}

void NoticeBar::withdraw(const QString& text) {
  const auto found = std::ranges::find(notices_, text, &Notice::text);
  if (found != notices_.end()) remove(**found);
}

void NoticeBar::setPage(const QWidget* page) {
  page_ = page;
  updateVisible();
}

bool NoticeBar::isOfPage(const Notice& notice) const {
  return !notice.page() || notice.page() == page_;
}

void NoticeBar::updateVisible() {
  for (Notice* notice : notices_) notice->setVisible(isOfPage(*notice));
  setVisible(!text().isEmpty());
}

/// Removes reports that the new one replaces, and the oldest failures where they would fill the
/// window. Questions stay.
void NoticeBar::removeReplacedBy(Kind kind, const QString& text) {
  const std::vector<Notice*> before = notices_;
  auto failures =
      static_cast<std::size_t>(std::ranges::count(before, Kind::failure, &Notice::kind));
  if (kind == Kind::failure) ++failures;
  for (Notice* notice : before) {
    const bool isRepeated = notice->text() == text;
    const bool isTooMany = notice->kind() == Kind::failure && failures > kMostFailures;
    if (isTooMany) --failures;
    if (closesAutomatically(notice->kind()) || isRepeated || isTooMany) remove(*notice);
  }
}

void NoticeBar::remove(Notice& notice) {
  std::erase(notices_, &notice);
  rows_->removeWidget(&notice);
  notice.hide();
  notice.deleteLater();
  updateVisible();
}

QString NoticeBar::text() const {
  const auto newest = std::find_if(
      notices_.rbegin(), notices_.rend(), [this](const Notice* each) { return isOfPage(*each); });
  return newest == notices_.rend() ? QString() : (*newest)->text();
}

}  // namespace lambda
