#include "widgets/export/export_file.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include "widgets/export/exportable.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kDotsPerInch = 96;

QSize sizeOf(const Exportable& source, const ExportOptions& options) {
  return options.size.isEmpty() ? source.exportSize() : options.size;
}

const Colors& exportColors(const ExportOptions& options) {
  return options.colors ? *options.colors : printColors();
}

QByteArray toPng(const Exportable& source, const ExportOptions& options) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  toImage(source, options).save(&buffer, "PNG");
  return bytes;
}

QByteArray toSvg(const Exportable& source, const ExportOptions& options) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  const QSize size = sizeOf(source, options);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(size);
  generator.setResolution(kDotsPerInch);
  generator.setViewBox(QRect(QPoint(), size));
  generator.setTitle(source.exportName());
  QPainter painter(&generator);
  painter.fillRect(QRect(QPoint(), size), exportColors(options).page);
  source.paintTo(painter, size, exportColors(options));
  painter.end();
  return bytes;
}

QByteArray toPdf(const Exportable& source, const ExportOptions& options) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  const QSize size = sizeOf(source, options);
  QPdfWriter writer(&buffer);
  writer.setTitle(source.exportName());
  writer.setResolution(kDotsPerInch);
  writer.setPageSize(
      QPageSize(QSizeF(size) / kDotsPerInch, QPageSize::Inch, QString(), QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF());
  QPainter painter(&writer);
  // Otherwise images are stored as JPEG, which changes their colours.
  painter.setRenderHint(QPainter::LosslessImageRendering);
  painter.fillRect(QRect(QPoint(), size), exportColors(options).page);
  source.paintTo(painter, size, exportColors(options));
  painter.end();
  return bytes;
}

QByteArray toBytes(const Exportable& source, ExportFormat format, const ExportOptions& options) {
  switch (format) {
    case ExportFormat::png:
      return toPng(source, options);
    case ExportFormat::svg:
      return toSvg(source, options);
    case ExportFormat::pdf:
      return toPdf(source, options);
    case ExportFormat::csv:
      return source.toCsv().toUtf8();
  }
  return {};
}

}  // namespace

ExportFormat formatOf(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix == u"svg"_s) return ExportFormat::svg;
  if (suffix == u"pdf"_s) return ExportFormat::pdf;
  if (suffix == u"csv"_s) return ExportFormat::csv;
  return ExportFormat::png;
}

QImage toImage(const Exportable& source, const ExportOptions& options) {
  const QSize size = sizeOf(source, options);
  QImage image(size * options.pixelRatio, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(options.pixelRatio);
  image.fill(exportColors(options).page);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  source.paintTo(painter, size, exportColors(options));
  return image;
}

QString writeExport(const Exportable& source, const QString& path, const ExportOptions& options) {
  const QByteArray bytes = toBytes(source, formatOf(path), options);
  if (bytes.isEmpty()) {
    return QCoreApplication::translate("Export",
                                       "%1 has no numbers to write as CSV. Choose PNG, SVG or PDF.")
        .arg(source.exportName());
  }
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
    return {};
  return QCoreApplication::translate("Export", "Could not write %1: %2. Choose another folder.")
      .arg(path, file.errorString());
}

}  // namespace lambda
