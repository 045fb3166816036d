#include "app/inspect/panels/panel_parts.h"

#include <algorithm>

#include <QCoreApplication>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QScrollBar>
#include <QStyle>
#include <QToolButton>

#include "app/inspect/layer_list.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmap_view.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSizeF kButtonSize(24, 22);
constexpr double kIconSide = 16;

class ExportableView : public QWidget {
 public:
  explicit ExportableView(HeatmapView& view) : button_(makeExportButton(view, view)) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    button_->setStyleSheet(u"padding: 0;"_s);
    fitToText();
    grid->addWidget(&view, 0, 0);
    grid->addWidget(button_, 0, 0, Qt::AlignTop | Qt::AlignRight);
    button_->raise();
  }

 protected:
  void changeEvent(QEvent* event) override {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) fitToText();
  }

 private:
  void fitToText() { button_->setFixedSize((kButtonSize * textScale()).toSize()); }

  QToolButton* button_;
};

}  // namespace

QString exportStem(const InspectionSnapshot& snapshot, const QString& what) {
  return layerTitle(snapshot.layer.name) + u'-' + what;
}

QLabel* makeNote(const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty(kRole, u"secondary"_s);
  label->setWordWrap(true);
  return label;
}

PanelArea::PanelArea(QWidget& panel) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  setWidget(&panel);
}

QSize PanelArea::minimumSizeHint() const {
  return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
          QScrollArea::minimumSizeHint().height()};
}

bool PanelArea::eventFilter(QObject* watched, QEvent* event) {
  if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
  return QScrollArea::eventFilter(watched, event);
}

QWidget* withExport(HeatmapView& view) {
  return new ExportableView(view);
}

void setRole(QWidget& widget, const QString& role) {
  widget.setProperty(kRole, role);
  widget.style()->unpolish(&widget);
  widget.style()->polish(&widget);
}

QSize iconSizeForText() {
  const int side = qRound(kIconSide * textScale());
  return {side, side};
}

ColorRange commonRange(std::initializer_list<const Array*> arrays) {
  double most = 0;
  for (const Array* array : arrays) {
    if (array->empty()) continue;
    most = std::max(most, rangeOf(ColorMap::diverging, array->values).high);
  }
  return most > 0 ? ColorRange{-most, most} : ColorRange{-1, 1};
}

HeatmapData lambdaData(const InspectionSnapshot& snapshot,
                       const Array& lambda,
                       const QString& part,
                       const QString& title) {
  return {.array = lambda,
          .name = exportStem(snapshot, u"lambda-"_s + part),
          .title = title,
          .rows = {.label = u"k"_s},
          .columns = {.label = u"v"_s}};
}

QString slotName(const InspectableLayer& layer, int slot) {
  const int depth = std::max(1, layer.intraDepth);
  if (depth == 1) return u"k %1"_s.arg(slot);
  return u"k %1, u %2"_s.arg(slot / depth).arg(slot % depth);
}

QString weightsText(InspectedWeights weights) {
  switch (weights) {
    case InspectedWeights::live:
      return QCoreApplication::translate("Inspect", "Live weights");
    case InspectedWeights::averaged:
      return QCoreApplication::translate("Inspect", "Averaged weights");
    case InspectedWeights::stored:
      break;
  }
  return QCoreApplication::translate("Inspect", "Weights");
}

QString className(const InspectionSnapshot& snapshot, int label) {
  if (label < 0) return QCoreApplication::translate("Inspect", "not known");
  if (label < static_cast<int>(snapshot.classNames.size())) {
    return QString::fromStdString(snapshot.classNames[static_cast<std::size_t>(label)]);
  }
  return QCoreApplication::translate("Inspect", "class %1").arg(label);
}

}  // namespace lambda
