#include "app/session/runs/run_summary.h"

#include "widgets/text/path_text.h"
#include "widgets/text/untrusted_text.h"

namespace lambda {

QString shownName(const RunRecord& record, const std::filesystem::path& run) {
  const QString given = oneLine(QString::fromStdString(record.config.name));
  return given.isEmpty() ? oneLine(toText(run.filename())) : given;
}

QString shownName(const RunSummary& run) {
  return shownName(run.record, run.path);
}

}  // namespace lambda
