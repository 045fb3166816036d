#include "widgets/pictures/explanation.h"

#include <algorithm>
#include <utility>

#include <QApplication>
#include <QGraphicsDropShadowEffect>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kWidth = 360;
constexpr int kRefreshMilliseconds = 500;

QString tableOf(const std::vector<std::pair<QString, QString>>& numbers) {
  QString rows;
  for (const auto& [what, howMuch] : numbers) {
    rows += u"<tr><td style='padding-right:16px'>"_s + what + u"</td><td align='right'>"_s +
            howMuch.toHtmlEscaped() + u"</td></tr>"_s;
  }
  return u"<table cellspacing='0' cellpadding='2'>"_s + rows + u"</table>"_s;
}

QLabel* addLabel(QVBoxLayout& layout, const char* role) {
  auto* label = new QLabel;
  label->setWordWrap(true);
  label->setTextFormat(Qt::RichText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  if (role) label->setProperty(kRole, QString::fromLatin1(role));
  layout.addWidget(label);
  return label;
}

}  // namespace

Explanation* Explanation::show(QWidget& anchor, std::function<ExplanationText()> text) {
  const auto open = anchor.window()->findChildren<Explanation*>();
  const bool wasOwn = std::any_of(
      open.begin(), open.end(), [&](const Explanation* card) { return card->anchor_ == &anchor; });
  for (Explanation* card : open) card->close();
  if (wasOwn) return nullptr;
  auto* card = new Explanation(anchor, std::move(text));
  card->QFrame::show();
  card->raise();
  card->setFocus(Qt::PopupFocusReason);
  return card;
}

Explanation::Explanation(QWidget& anchor, std::function<ExplanationText()> text)
    : QFrame(anchor.window()), anchor_(&anchor), text_(std::move(text)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setProperty(kRole, u"card"_s);
  setFocusPolicy(Qt::StrongFocus);
  setFixedWidth(static_cast<int>(kWidth * textScale()));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 12, 16, 14);
  layout->setSpacing(8);
  title_ = addLabel(*layout, "heading");
  formula_ = addLabel(*layout, nullptr);
  body_ = addLabel(*layout, nullptr);
  numbers_ = addLabel(*layout, "secondary");
  auto* shadow = new QGraphicsDropShadowEffect(this);
  shadow->setBlurRadius(24);
  shadow->setOffset(0, 4);
  shadow->setColor(QColor(0, 0, 0, 70));
  setGraphicsEffect(shadow);
  refresh();
  auto* timer = new QTimer(this);
  connect(timer, &QTimer::timeout, this, &Explanation::refresh);
  timer->start(kRefreshMilliseconds);
  window()->installEventFilter(this);
  qApp->installEventFilter(this);
  connect(&anchor, &QObject::destroyed, this, &QWidget::close);
}

void Explanation::refresh() {
  if (!anchor_ || !anchor_->isVisible()) {
    close();
    return;
  }
  const ExplanationText text = text_();
  if (text == shown_) return;
  shown_ = text;
  title_->setText(text.title);
  formula_->setText(
      u"<p style='font-size:%1px'>%2</p>"_s.arg(headingFont().pixelSize() + 1).arg(text.formula));
  formula_->setVisible(!text.formula.isEmpty());
  body_->setText(text.body);
  numbers_->setText(tableOf(text.numbers));
  numbers_->setVisible(!text.numbers.empty());
  setAccessibleName(text.title);
  place();
}

void Explanation::place() {
  layout()->activate();
  const int wanted = layout()->heightForWidth(width());
  resize(width(), wanted > 0 ? wanted : sizeHint().height());
  const QWidget* ground = parentWidget();
  const QPoint below = anchor_->mapTo(ground, QPoint(0, anchor_->height() + 4));
  const QPoint above = anchor_->mapTo(ground, QPoint(0, -4 - height()));
  const bool fitsBelow = below.y() + height() + spacing::kGap <= ground->height();
  QPoint at = fitsBelow || above.y() < spacing::kGap ? below : above;
  at.setX(std::clamp(
      at.x(), spacing::kGap, std::max(spacing::kGap, ground->width() - width() - spacing::kGap)));
  at.setY(std::clamp(
      at.y(), spacing::kGap, std::max(spacing::kGap, ground->height() - height() - spacing::kGap)));
  move(at);
}

bool Explanation::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) place();
  if (event->type() == QEvent::MouseButtonPress && watched->isWidgetType()) {
    const auto* widget = static_cast<QWidget*>(watched);
    const bool isOwn = widget == this || isAncestorOf(widget) || widget == anchor_;
    if (!isOwn && widget->window() == window()) close();
  }
  return QFrame::eventFilter(watched, event);
}

void Explanation::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    if (anchor_) anchor_->setFocus(Qt::PopupFocusReason);
    close();
    return;
  }
  QFrame::keyPressEvent(event);
}

QToolButton* makeExplanationButton(QWidget& owner, std::function<ExplanationText()> text) {
  auto* button = new QToolButton(&owner);
  button->setProperty(kRole, u"quiet"_s);
  button->setToolTip(u"What is this?"_s);
  button->setAccessibleName(u"What is this?"_s);
  const auto updateIcon = [button] { button->setIcon(icon(u"help"_s, *button)); };
  updateIcon();
  onPaletteChange(*button, updateIcon);
  QObject::connect(button, &QToolButton::clicked, button, [button, text = std::move(text)] {
    Explanation::show(*button, text);
  });
  return button;
}

}  // namespace lambda
