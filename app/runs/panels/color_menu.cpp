#include "app/runs/panels/color_menu.h"

#include <QMenu>
#include <QPainter>
#include <QPixmap>

#include "app/runs/run_table_model.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QPixmap swatchOf(const QColor& color) {
  QPixmap swatch(16, 16);
  swatch.fill(Qt::transparent);
  QPainter painter(&swatch);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawEllipse(2, 2, 12, 12);
  return swatch;
}

}  // namespace

void addColorMenu(QMenu& menu, RunTableModel& runs, const std::filesystem::path& run) {
  QMenu* choices = menu.addMenu(u"Colour"_s);
  const auto& series = colorsOf(menu).series;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto color = static_cast<int>(i);
    QAction* action = choices->addAction(swatchOf(series[i]), u"Colour %1"_s.arg(i + 1));
    action->setCheckable(true);
    action->setChecked(runs.colorIndex(run) == color);
    QObject::connect(action, &QAction::triggered, &runs, [&runs, run, color] {
      runs.setColorIndex(run, color);
      runs.setChecked(run, true);
    });
  }
}

}  // namespace lambda
