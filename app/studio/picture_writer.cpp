#include "app/studio/picture_writer.h"

#include <QDir>

#include "engine/runtime/error.h"
#include "widgets/export/export_file.h"
#include "widgets/export/exportable.h"

using namespace Qt::StringLiterals;

namespace lambda {

PictureWriter::PictureWriter(const QString& folder) : folder_(folder) {
  if (!QDir().mkpath(folder)) {
    throw Error(
        folder.toStdString(), "the folder can't be made", "Choose one that you may write to.");
  }
}

void PictureWriter::write(const Exportable& source) {
  for (const QString& suffix : {u"png"_s, u"svg"_s, u"pdf"_s, u"csv"_s}) {
    const QString path = QDir(folder_).filePath(source.exportName() + u"."_s + suffix);
    if (const QString problem = writeExport(source, path, {}); !problem.isEmpty()) {
      throw Error(path.toStdString(), problem.toStdString());
    }
    files_ << path;
  }
}

}  // namespace lambda
