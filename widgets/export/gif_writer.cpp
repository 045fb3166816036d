#include "widgets/export/gif_writer.h"

#include <algorithm>
#include <array>
#include <vector>

#include <gif_lib.h>

#include "widgets/export/saved_file.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kColors = 256;
constexpr int kColorBits = 8;

int writeTo(GifFileType* gif, const GifByteType* bytes, int count) {
  return static_cast<int>(
      static_cast<QSaveFile*>(gif->UserData)->write(reinterpret_cast<const char*>(bytes), count));
}

struct MapDeleter {
  void operator()(ColorMapObject* map) const { GifFreeMapObject(map); }
};

std::unique_ptr<ColorMapObject, MapDeleter> mapOf(const QList<QRgb>& palette) {
  std::array<GifColorType, kColors> colors{};
  for (qsizetype i = 0; i < palette.size(); ++i) {
    colors[static_cast<std::size_t>(i)] = {.Red = static_cast<GifByteType>(qRed(palette[i])),
                                           .Green = static_cast<GifByteType>(qGreen(palette[i])),
                                           .Blue = static_cast<GifByteType>(qBlue(palette[i]))};
  }
  return std::unique_ptr<ColorMapObject, MapDeleter>(GifMakeMapObject(kColors, colors.data()));
}

}  // namespace

struct GifWriter::Private {
  explicit Private(const QString& path) : file(path) {}

  ~Private() {
    if (gif) EGifCloseFile(gif, nullptr);
  }

  bool begin();
  bool put(const QImage& indexed, int hundredths);

  QSaveFile file;
  QSize size;
  QList<QRgb> palette;
  GifFileType* gif = nullptr;
  bool isGood = false;
};

bool GifWriter::Private::begin() {
  if (!file.open(QIODevice::WriteOnly)) return false;
  gif = EGifOpen(&file, writeTo, nullptr);
  if (gif == nullptr) return false;
  EGifSetGifVersion(gif, true);
  // Sub-block 1: the number of repetitions, 0 = for ever.
  constexpr std::array<GifByteType, 3> kForEver{1, 0, 0};
  const auto map = mapOf(palette);
  return EGifPutScreenDesc(gif, size.width(), size.height(), kColorBits, 0, map.get()) == GIF_OK &&
         EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
         EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
         EGifPutExtensionBlock(gif, static_cast<int>(kForEver.size()), kForEver.data()) == GIF_OK &&
         EGifPutExtensionTrailer(gif) == GIF_OK;
}

bool GifWriter::Private::put(const QImage& indexed, int hundredths) {
  const GraphicsControlBlock control{.DisposalMode = DISPOSE_DO_NOT,
                                     .UserInputFlag = false,
                                     .DelayTime = hundredths,
                                     .TransparentColor = NO_TRANSPARENT_COLOR};
  std::array<GifByteType, 4> bytes{};
  EGifGCBToExtension(&control, bytes.data());
  bool isWritten =
      EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, static_cast<int>(bytes.size()), bytes.data()) ==
          GIF_OK &&
      EGifPutImageDesc(gif, 0, 0, size.width(), size.height(), false, nullptr) == GIF_OK;
  std::vector<GifPixelType> line(static_cast<std::size_t>(size.width()));
  for (int y = 0; isWritten && y < size.height(); ++y) {
    // giflib declares the lines that it reads as not constant.
    std::copy_n(indexed.constScanLine(y), line.size(), line.begin());
    isWritten = EGifPutLine(gif, line.data(), size.width()) == GIF_OK;
  }
  return isWritten;
}

GifWriter::GifWriter(const QString& path, const QSize& size, const QList<QRgb>& palette)
    : d_(std::make_unique<Private>(path)) {
  d_->size = size;
  d_->palette = palette.first(std::min<qsizetype>(palette.size(), kColors));
  d_->isGood = d_->begin();
}

GifWriter::~GifWriter() = default;

bool GifWriter::add(const QImage& image, std::chrono::milliseconds duration) {
  if (!d_->isGood) return false;
  const QImage indexed = image.convertToFormat(
      QImage::Format_Indexed8, d_->palette, Qt::ThresholdDither | Qt::AvoidDither);
  d_->isGood =
      indexed.size() == d_->size && d_->put(indexed, static_cast<int>(duration.count() / 10));
  return d_->isGood;
}

bool GifWriter::finish() {
  if (!d_->isGood) return false;
  d_->isGood = EGifCloseFile(d_->gif, nullptr) == GIF_OK;
  d_->gif = nullptr;
  d_->isGood = d_->isGood && publish(d_->file);
  return d_->isGood;
}

QString GifWriter::error() const {
  return d_->file.errorString();
}

}  // namespace lambda
