#include "widgets/theme/tool_tips.h"

#include <utility>

#include <QHelpEvent>
#include <QToolTip>

namespace lambda {

namespace {

class ToolTipFilter : public QObject {
 public:
  ToolTipFilter(QWidget& widget, std::function<QString(const QPoint&)> text)
      : QObject(&widget), widget_(widget), text_(std::move(text)) {
    widget.installEventFilter(this);
  }

  bool eventFilter(QObject* /*watched*/, QEvent* event) override {
    if (event->type() != QEvent::ToolTip) return false;
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), text_(help->pos()), &widget_);
    return true;
  }

 private:
  QWidget& widget_;
  std::function<QString(const QPoint&)> text_;
};

}  // namespace

void setToolTips(QWidget& widget, std::function<QString(const QPoint& at)> text) {
  new ToolTipFilter(widget, std::move(text));
}

}  // namespace lambda
