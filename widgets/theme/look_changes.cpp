#include "widgets/theme/look_changes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lambda {

namespace {

/// One per widget: it handles the event in place of the filters that were installed before it.
class ChangeFilter : public QObject {
 public:
  static ChangeFilter& of(QWidget& widget) {
    for (QObject* child : widget.children()) {
      if (auto* filter = dynamic_cast<ChangeFilter*>(child)) return *filter;
    }
    auto* filter = new ChangeFilter(&widget);
    widget.installEventFilter(filter);
    return *filter;
  }

  void add(std::vector<QEvent::Type> types, std::function<void()> react) {
    reactions_.push_back({std::move(types), std::move(react)});
  }

  bool eventFilter(QObject* watched, QEvent* event) override {
    const auto isMeant = [type = event->type()](const Reaction& reaction) {
      return std::ranges::find(reaction.types, type) != reaction.types.end();
    };
    if (std::ranges::none_of(reactions_, isMeant)) return false;
    watched->event(event);
    for (const Reaction& reaction : reactions_) {
      if (isMeant(reaction)) reaction.react();
    }
    return true;
  }

 private:
  using QObject::QObject;

  struct Reaction {
    std::vector<QEvent::Type> types;
    std::function<void()> react;
  };

  std::vector<Reaction> reactions_;
};

}  // namespace

void onChange(QWidget& widget,
              std::initializer_list<QEvent::Type> types,
              std::function<void()> react) {
  ChangeFilter::of(widget).add(types, std::move(react));
}

void onFontChange(QWidget& widget, std::function<void()> react) {
  onChange(widget, {QEvent::FontChange}, std::move(react));
}

void onPaletteChange(QWidget& widget, std::function<void()> react) {
  onChange(widget, {QEvent::PaletteChange}, std::move(react));
}

void onFontChangeOfParts(QWidget& widget, std::function<void()> react) {
  onFontChange(widget, [&widget, react = std::move(react)] {
    QMetaObject::invokeMethod(&widget, react, Qt::QueuedConnection);
  });
}

}  // namespace lambda
