#include "app/inspect/epochs/sequence_export.h"

#include <algorithm>

#include <QDir>

#include "app/inspect/epochs/sequence_frame.h"
#include "engine/formats/inspection/probe_snapshot.h"
#include "widgets/export/gif_writer.h"
#include "widgets/export/saved_file.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kLastFrameTime(2000);  // pause before the animation repeats

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

QString pathOf(const Sequence& sequence, const QString& name) {
  return QDir(sequence.folder).filePath(name);
}

QString notWritten(const QString& path, const QString& reason) {
  return u"Could not write %1: %2. Choose another folder."_s.arg(path, reason);
}

QString writeNorms(const Sequence& sequence) {
  const QString path = pathOf(sequence, u"norms.csv"_s);
  const QByteArray csv = QByteArray::fromStdString(csvOf(sequence.norms));
  const QString problem = saveFile(path, csv);
  return problem.isEmpty() ? QString() : notWritten(path, problem);
}

}  // namespace

void writeSequence(const Sequence& sequence, QPromise<QString>& promise) {
  if (!QDir().mkpath(sequence.folder)) {
    promise.addResult(
        u"Could not create the folder %1. Choose another one."_s.arg(sequence.folder));
    return;
  }
  const SequenceFrame frame(sequence.layer, sequence.norms);
  const QString animationPath = pathOf(sequence, u"epochs.gif"_s);
  GifWriter animation(animationPath, SequenceFrame::kSize, paletteFor(sequence.colors));
  const auto failAnimation = [&] {
    promise.addResult(notWritten(animationPath, animation.error()));
  };
  const int total = static_cast<int>(sequence.snapshots.size());
  promise.setProgressRange(0, total);
  for (int done = 0; done < total; ++done) {
    if (promise.isCanceled()) return;
    promise.setProgressValue(done);
    const ProbeSnapshot probe =
        readProbeSnapshot(sequence.snapshots[static_cast<std::size_t>(done)], sequence.layers);
    const QImage picture = frame.draw(probe, sequence.colors);
    const QString path = pathOf(sequence, u"epoch-%1.png"_s.arg(probe.epoch, 4, 10, QChar(u'0')));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || !picture.save(&file, "PNG") || !publish(file)) {
      promise.addResult(notWritten(path, file.errorString()));
      return;
    }
    const bool isLast = done + 1 == total;
    const auto time = isLast ? std::max(sequence.frameTime, kLastFrameTime) : sequence.frameTime;
    if (!animation.add(picture, time)) return failAnimation();
  }
  if (!animation.finish()) return failAnimation();
  promise.addResult(writeNorms(sequence));
}

}  // namespace lambda
