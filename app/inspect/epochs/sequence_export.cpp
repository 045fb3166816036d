#include "app/inspect/epochs/sequence_export.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <QDir>

#include "app/inspect/epochs/sequence_frame.h"
#include "engine/formats/inspection/probe_snapshot.h"
#include "widgets/export/gif_writer.h"
#include "widgets/export/saved_file.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kLastFrameTime(2000);  // pause before the animation repeats
constexpr int kExportNiceness = 10;

/// Frames show signed data, lines and text: the palette has the map's colours and the colours
/// between ink and page.
QList<QRgb> paletteFor(const Colors& colors) {
  constexpr int kMapColors = 176;
  constexpr int kGreys = 64;
  QList<QRgb> palette;
  for (int i = 0; i < kMapColors; ++i) {
    const Rgb color = colorAt(ColorMap::diverging, static_cast<double>(i) / (kMapColors - 1));
    palette << qRgb(color[0], color[1], color[2]);
  }
  const auto between = [](int a, int b, double share) { return qRound(a + share * (b - a)); };
  for (int i = 0; i < kGreys; ++i) {
    const double share = static_cast<double>(i) / (kGreys - 1);
    palette << qRgb(between(colors.page.red(), colors.text.red(), share),
                    between(colors.page.green(), colors.text.green(), share),
                    between(colors.page.blue(), colors.text.blue(), share));
  }
  return palette << colors.hairline.rgb() << colors.textSecondary.rgb() << colors.accent.rgb();
}

}  // namespace

SequenceExport::SequenceExport(Sequence sequence, QObject* parent)
    : QObject(parent), sequence_(std::move(sequence)), thread_(kExportNiceness) {
  thread_.post([this] {
    QString problem;
    try {
      problem = writeAll();
    } catch (const std::exception& error) {
      // The snapshot could be read before, so that somebody has just removed the run.
      problem = QString::fromStdString(error.what());
    }
    QMetaObject::invokeMethod(
        this, [this, problem] { Q_EMIT finished(problem); }, Qt::QueuedConnection);
  });
}

SequenceExport::~SequenceExport() {
  cancel();
}

QString SequenceExport::pathOf(const QString& name) const {
  return QDir(sequence_.folder).filePath(name);
}

QString SequenceExport::notWritten(const QString& path, const QString& reason) {
  return u"Could not write %1: %2. Choose another folder."_s.arg(path, reason);
}

QString SequenceExport::writeAll() {
  if (!QDir().mkpath(sequence_.folder)) {
    return u"Could not create the folder %1. Choose another one."_s.arg(sequence_.folder);
  }
  const SequenceFrame frame(sequence_.layer, sequence_.norms);
  const QString animationPath = pathOf(u"epochs.gif"_s);
  GifWriter animation(animationPath, SequenceFrame::kSize, paletteFor(sequence_.colors));
  const int total = static_cast<int>(sequence_.snapshots.size());
  for (int done = 0; done < total; ++done) {
    if (isCancelled_) return {};
    QMetaObject::invokeMethod(
        this, [this, done, total] { Q_EMIT progressed(done, total); }, Qt::QueuedConnection);
    const ProbeSnapshot probe =
        readProbeSnapshot(sequence_.snapshots[static_cast<std::size_t>(done)], sequence_.layers);
    const QImage picture = frame.draw(probe, sequence_.colors);
    const QString path = pathOf(u"epoch-%1.png"_s.arg(probe.epoch, 4, 10, QChar(u'0')));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || !picture.save(&file, "PNG") || !publish(file)) {
      return notWritten(path, file.errorString());
    }
    const bool isLast = done + 1 == total;
    const auto time = isLast ? std::max(sequence_.frameTime, kLastFrameTime) : sequence_.frameTime;
    if (!animation.add(picture, time)) return notWritten(animationPath, animation.error());
  }
  if (!animation.finish()) return notWritten(animationPath, animation.error());
  return writeNorms();
}

QString SequenceExport::writeNorms() const {
  const QString path = pathOf(u"norms.csv"_s);
  const QByteArray csv = QByteArray::fromStdString(csvOf(sequence_.norms));
  const QString problem = saveFile(path, csv);
  return problem.isEmpty() ? QString() : notWritten(path, problem);
}

}  // namespace lambda
