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

QString PictureWriter::freeStem(const Exportable& source) {
  const QString stem = fileStemOf(source);
  QString free = stem;
  for (int i = 2; !stems_.insert(free).second; ++i) free = stem + u"-%1"_s.arg(i);
  return free;
}

void PictureWriter::write(const Exportable& source) {
  if (stems_.size() == kMostPictures) {
    throw Error(folder_.toStdString(),
                "there are more pictures to draw than " + std::to_string(kMostPictures),
                "Draw those that you need in the studio.");
  }
  const QString stem = freeStem(source);
  for (const QString& suffix : {u"png"_s, u"svg"_s, u"pdf"_s, u"csv"_s}) {
    const QString path = QDir(folder_).filePath(stem + u"."_s + suffix);
    if (const QString problem = writeExport(source, path, {}); !problem.isEmpty()) {
      throw Error(path.toStdString(), problem.toStdString());
    }
    files_ << path;
  }
}

}  // namespace lambda
