#include <algorithm>
#include <memory>

#include <webp/decode.h>
#include <webp/demux.h>

#include "engine/formats/pictures/raw_picture.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

struct FreeDemuxer {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};

struct FreeAnimation {
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};

/// False for a file that is cut off or has no sound structure.
bool readOrientation(const WebPData& data, int& orientation) {
  const std::unique_ptr<WebPDemuxer, FreeDemuxer> demuxer(WebPDemux(&data));
  if (!demuxer) return false;
  WebPChunkIterator chunk{};
  if (WebPDemuxGetChunk(demuxer.get(), "EXIF", 1, &chunk) != 0) {
    orientation = exifOrientation(std::as_bytes(std::span(chunk.chunk.bytes, chunk.chunk.size)));
  }
  WebPDemuxReleaseChunkIterator(&chunk);
  return true;
}

/// The first picture of an animation, as the canvas shows it.
bool decodeFirstFrame(const WebPData& data, std::vector<std::uint8_t>& pixels) {
  WebPAnimDecoderOptions options;
  WebPAnimDecoderOptionsInit(&options);
  options.color_mode = MODE_RGBA;
  const std::unique_ptr<WebPAnimDecoder, FreeAnimation> decoder(
      WebPAnimDecoderNew(&data, &options));
  std::uint8_t* canvas = nullptr;
  int milliseconds = 0;
  if (!decoder || WebPAnimDecoderGetNext(decoder.get(), &canvas, &milliseconds) == 0) return false;
  std::copy_n(canvas, pixels.size(), pixels.begin());
  return true;
}

}  // namespace

RawPicture decodeWebp(std::span<const std::byte> bytes,
                      const std::string& place,
                      const PictureLimits& limits) {
  const auto fail = [&] { throw Error(place, "the WebP is damaged or cut off", kPictureHint); };
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(first, bytes.size(), &features) != VP8_STATUS_OK) fail();
  requireWithin(limits,
                static_cast<std::uint64_t>(features.width),
                static_cast<std::uint64_t>(features.height),
                place);
  const WebPData data{first, bytes.size()};
  RawPicture picture{.width = features.width,
                     .height = features.height,
                     .channels = 4,
                     .pixels = {},
                     .orientation = 1};
  if (!readOrientation(data, picture.orientation)) fail();
  const int stride = 4 * features.width;
  picture.pixels.resize(static_cast<std::size_t>(stride) *
                        static_cast<std::size_t>(features.height));
  const bool isWhole =
      features.has_animation != 0
          ? decodeFirstFrame(data, picture.pixels)
          : WebPDecodeRGBAInto(
                first, bytes.size(), picture.pixels.data(), picture.pixels.size(), stride) !=
                nullptr;
  if (!isWhole) fail();
  return picture;
}

}  // namespace lambda
