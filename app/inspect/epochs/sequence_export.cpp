#include "app/inspect/epochs/sequence_export.h"

#include <algorithm>

#include <QDir>
#include <QPainter>
#include <QSaveFile>

#include "app/inspect/contribution_maps.h"
#include "app/inspect/layer_list.h"
#include "app/inspect/panels/panel_parts.h"
#include "widgets/export/gif_writer.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kFrameSize(1280, 720);
constexpr double kPixelRatio = 1;
constexpr int kFrameMargin = 24;
constexpr int kTitleHeight = 40;
constexpr std::chrono::milliseconds kLastFrameTime(2000);  // pause before the animation repeats

ColorRange symmetric(double greatest) {
  return greatest > 0 ? ColorRange{-greatest, greatest} : ColorRange{-1, 1};
}

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

void paintInto(QPainter& painter,
               const HeatmapView& view,
               const QRect& area,
               const Colors& colors) {
  painter.save();
  painter.translate(area.topLeft());
  view.paintTo(painter, area.size(), colors);
  painter.restore();
}

}  // namespace

SequenceFrame::SequenceFrame(const InspectableLayer& layer, const std::vector<ProbeNorms>& norms)
    : layer_(layer),
      lambda_(std::make_unique<HeatmapView>()),
      contributions_(std::make_unique<HeatmapView>()),
      embeddings_(std::make_unique<HeatmapView>()) {
  double greatestLambda = 0, greatestContribution = 0, greatestEmbedding = 0;
  showsChange_ =
      std::ranges::any_of(norms, [](const ProbeNorms& entry) { return entry.greatestChange > 0; });
  for (const ProbeNorms& entry : norms) {
    greatestLambda = std::max(greatestLambda, entry.greatestLambda);
    greatestContribution = std::max(greatestContribution, entry.greatestContribution);
    greatestEmbedding =
        std::max(greatestEmbedding, showsChange_ ? entry.greatestChange : entry.greatestEmbedding);
  }
  lambda_->setRange(symmetric(greatestLambda));
  contributions_->setRange(symmetric(greatestContribution));
  embeddings_->setRange(symmetric(greatestEmbedding));
}

SequenceFrame::~SequenceFrame() = default;

QImage SequenceFrame::draw(const ProbeSnapshot& probe, const Colors& colors) const {
  const InspectionSnapshot snapshot = snapshotOf(probe, layer_);
  lambda_->setData(lambdaData(
      snapshot, snapshot.lambdas.total, u"total"_s, QObject::tr("λ of the middle position")));
  HeatmapData contributions{
      .array = mapOf(headMapsOf(snapshot, ContributionKind::total), ContributionKind::total, -1),
      .title = QObject::tr("Contributions to the middle position, all heads")};
  contributions_->setData(std::move(contributions));
  HeatmapData embeddings{
      .array = showsChange_ ? snapshot.embeddings.change : snapshot.embeddings.tiles,
      .title = showsChange_ ? QObject::tr("Position embeddings, change since the start")
                            : QObject::tr("Position embeddings")};
  embeddings_->setData(std::move(embeddings));

  QImage image(kFrameSize * kPixelRatio, QImage::Format_RGB32);
  image.setDevicePixelRatio(kPixelRatio);
  image.fill(colors.page);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(headingFont());
  painter.setPen(colors.text);
  painter.drawText(QRect(kFrameMargin, 12, kFrameSize.width(), kTitleHeight - 12),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   QObject::tr("%1 · epoch %2 · step %3")
                       .arg(layerTitle(layer_.name))
                       .arg(probe.epoch)
                       .arg(countText(probe.step)));
  const int top = kTitleHeight + 8, half = kFrameSize.width() / 2;
  const int height = kFrameSize.height() - top - kFrameMargin;
  const bool hasContributions = contributions_->data().tileCount() > 0;
  const int lambdaHeight = hasContributions ? height * 6 / 10 : height;
  paintInto(
      painter, *lambda_, QRect(kFrameMargin, top, half - 2 * kFrameMargin, lambdaHeight), colors);
  if (hasContributions) {
    paintInto(
        painter,
        *contributions_,
        QRect(kFrameMargin, top + lambdaHeight, half - 2 * kFrameMargin, height - lambdaHeight),
        colors);
  }
  paintInto(painter, *embeddings_, QRect(half, top, half - kFrameMargin, height), colors);
  return image;
}

SequenceExport::SequenceExport(ProbeReader& reader,
                               const InspectableLayer& layer,
                               const QString& folder,
                               const Colors& colors,
                               std::chrono::milliseconds frameTime,
                               QObject* parent)
    : QObject(parent),
      reader_(reader),
      layer_(layer),
      folder_(folder),
      colors_(colors),
      frameTime_(frameTime),
      frame_(layer, reader.norms(layer.name)) {
  connect(&reader_,
          &ProbeReader::probeRead,
          this,
          [this](int index, const std::shared_ptr<const ProbeSnapshot>& probe) {
            if (index == next_) write(index, *probe);
          });
  connect(&reader_, &ProbeReader::probeLost, this, [this](int index, const QString& reason) {
    if (index == next_) Q_EMIT finished(reason);
  });
}

SequenceExport::~SequenceExport() = default;

void SequenceExport::start() {
  if (!QDir().mkpath(folder_)) {
    Q_EMIT finished(tr("%1 can't be created. Choose another folder.").arg(folder_));
    return;
  }
  animation_ = std::make_unique<GifWriter>(animationPath(), kFrameSize, paletteFor(colors_));
  QTimer::singleShot(0, this, &SequenceExport::writeNext);
}

QString SequenceExport::animationPath() const {
  return QDir(folder_).filePath(u"epochs.gif"_s);
}

QString SequenceExport::notWritten(const QString& path, const QString& reason) {
  return tr("%1 could not be written: %2. Choose another folder.").arg(path, reason);
}

void SequenceExport::writeNext() {
  if (next_ >= reader_.count()) {
    Q_EMIT finished(animation_->finish() ? writeNorms()
                                         : notWritten(animationPath(), animation_->error()));
    return;
  }
  if (const std::shared_ptr<const ProbeSnapshot> probe = reader_.probe(next_)) write(next_, *probe);
}

void SequenceExport::write(int index, const ProbeSnapshot& probe) {
  const QString path =
      QDir(folder_).filePath(u"epoch-%1.png"_s.arg(reader_.epochAt(index), 4, 10, QChar(u'0')));
  QSaveFile file(path);
  const QImage picture = frame_.draw(probe, colors_);
  if (!file.open(QIODevice::WriteOnly) || !picture.save(&file, "PNG") || !file.commit()) {
    Q_EMIT finished(notWritten(path, file.errorString()));
    return;
  }
  const bool isLast = index + 1 == reader_.count();
  if (!animation_->add(picture, isLast ? std::max(frameTime_, kLastFrameTime) : frameTime_)) {
    Q_EMIT finished(notWritten(animationPath(), animation_->error()));
    return;
  }
  ++next_;
  Q_EMIT progressed(next_, reader_.count());
  QTimer::singleShot(0, this, &SequenceExport::writeNext);
}

QString SequenceExport::writeNorms() const {
  const QString path = QDir(folder_).filePath(u"norms.csv"_s);
  const QByteArray csv = QByteArray::fromStdString(csvOf(reader_.norms(layer_.name)));
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(csv) == csv.size() && file.commit()) return {};
  return notWritten(path, file.errorString());
}

}  // namespace lambda
