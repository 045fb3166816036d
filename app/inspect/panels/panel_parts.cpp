#include "app/inspect/panels/panel_parts.h"

#include <algorithm>

#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

#include "app/inspect/layer_list.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmap_view.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString exportStem(const InspectionSnapshot& snapshot, const QString& what) {
  return layerTitle(snapshot.layer.name) + u'-' + what;
}

QLabel* makeNote(const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty(kRole, u"secondary"_s);
  label->setWordWrap(true);
  return label;
}

QWidget* withExport(HeatmapView& view) {
  constexpr int kSide = 20;
  auto* both = new QWidget;
  auto* grid = new QGridLayout(both);
  grid->setContentsMargins(0, 0, 0, 0);
  QToolButton* button = makeExportButton(view, view);
  button->setFixedSize(kSide + 4, kSide);
  button->setIconSize(QSize(14, 14));
  button->setStyleSheet(u"padding: 0;"_s);
  grid->addWidget(&view, 0, 0);
  grid->addWidget(button, 0, 0, Qt::AlignTop | Qt::AlignRight);
  button->raise();
  return both;
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

QString className(const InspectionSnapshot& snapshot, int label) {
  if (label < 0) return QCoreApplication::translate("Inspect", "not known");
  if (label < static_cast<int>(snapshot.classNames.size())) {
    return QString::fromStdString(snapshot.classNames[static_cast<std::size_t>(label)]);
  }
  return QCoreApplication::translate("Inspect", "class %1").arg(label);
}

}  // namespace lambda
