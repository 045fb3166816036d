#include "app/runs/table/run_csv.h"

#include <QStringList>

#include "app/runs/table/run_columns.h"
#include "app/runs/table/run_sort_filter.h"
#include "widgets/export/csv_field.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString toCsv(const RunSortFilter& runs) {
  const auto line = [](auto textOfField) {
    QStringList fields;
    for (const ColumnSpec& column : runColumns()) {
      for (const ExportedField& field : column.exported) fields << csvField(textOfField(field));
    }
    return fields.join(u',') + u'\n';
  };
  QString csv = line([](const ExportedField& field) { return field.name; });
  for (int i = 0; i < runs.rowCount(); ++i) {
    const RunRow& row = runs.rowAt(runs.index(i, 0));
    csv += line([&](const ExportedField& field) { return field.text(row); });
  }
  return csv;
}

}  // namespace lambda
