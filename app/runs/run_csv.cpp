#include "app/runs/run_csv.h"

#include <QStringList>

#include "app/runs/path_text.h"
#include "app/runs/run_cells.h"
#include "app/runs/table/run_sort_filter.h"
#include "engine/values/text/text.h"
#include "widgets/export/csv_field.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString numberOf(double value) {
  return QString::fromStdString(formatNumber(value));
}

QString optional(const std::optional<double>& value) {
  return value ? numberOf(*value) : QString();
}

QString lineOf(const RunRow& row) {
  const RunRecord& record = row.run.record;
  const bool isOurs = !row.isImported();
  const QStringList fields{
      csvField(row.name()),
      csvField(toText(row.run.path)),
      nameOf(row.state).toLower(),
      csvField(QString::fromStdString(record.pattern)),
      record.parameters > 0 ? QString::number(record.parameters) : QString(),
      record.flops > 0 ? QString::number(record.flops) : QString(),
      optional(record.bestValidationAccuracy),
      optional(record.testAccuracy),
      isOurs ? QString::number(record.testEvaluations) : QString(),
      QString::number(record.epochsDone),
      isOurs ? QString::number(record.config.recipe.epochs) : QString(),
      numberOf(record.trainSeconds),
      record.imagesPerSecond > 0 ? numberOf(record.imagesPerSecond) : QString(),
      csvField(QString::fromStdString(record.environment.started)),
      csvField(QString::fromStdString(record.environment.device)),
      csvField(tagsOf(row).join(u';')),
      csvField(QString::fromStdString(record.notes))};
  return fields.join(u',') + u'\n';
}

}  // namespace

QString toCsv(const RunSortFilter& runs) {
  QString csv =
      u"name,folder,status,architecture,parameters,flops,bestValidationAccuracy,testAccuracy,"
      u"testEvaluations,epochsDone,"
      "epochs,trainSeconds,imagesPerSecond,started,device,tags,notes\n"_s;
  for (int row = 0; row < runs.rowCount(); ++row) csv += lineOf(runs.rowAt(runs.index(row, 0)));
  return csv;
}

}  // namespace lambda
