#include "engine/training/input/requested_image.h"

#include "engine/runtime/error.h"

namespace lambda {

namespace {

Image imageAt(const LabeledImages& images, std::size_t index) {
  Image image{images.width, images.height, {}};
  const std::size_t plane = static_cast<std::size_t>(images.width) * images.height;
  image.rgb.resize(3 * plane);
  const std::uint8_t* pixels = images.pixels.data() + index * plane * images.channels;
  for (std::size_t position = 0; position < plane; ++position) {
    for (int channel = 0; channel < 3; ++channel) {
      // A grey image uses its one plane for all three colours.
      const int source = images.channels >= 3 ? channel : 0;
      image.rgb[3 * position + channel] = pixels[source * plane + position];
    }
  }
  return image;
}

/// A picture as a set of one image, so that it is normalised like all others. Throws Error if it
/// does not fit the network's input.
LabeledImages setOf(const Image& picture, const MapShape& input) {
  const auto sizeOf = [](int width, int height) {
    return std::to_string(width) + "x" + std::to_string(height) + " pixels";
  };
  if (picture.width != input.width || picture.height != input.height) {
    throw Error("picture",
                "it has " + sizeOf(picture.width, picture.height) + ", the network takes " +
                    sizeOf(input.width, input.height),
                "scale or crop it to that size");
  }
  const std::size_t plane = static_cast<std::size_t>(input.width) * input.height;
  if (picture.rgb.size() != 3 * plane || (input.channels != 3 && input.channels != 1)) {
    throw Error("picture",
                "it is not an RGB picture of " + sizeOf(input.width, input.height) +
                    " for a network with three input channels or one",
                "give three bytes for every pixel");
  }
  LabeledImages set;
  set.channels = input.channels;
  set.height = input.height;
  set.width = input.width;
  set.pixels.resize(static_cast<std::size_t>(input.channels) * plane);
  for (std::size_t i = 0; i < plane; ++i) {
    const std::uint8_t* rgb = &picture.rgb[3 * i];
    if (input.channels == 1) {
      // Luma of ITU-R BT.601, by which PNG and JPEG programs convert to grey.
      set.pixels[i] =
          static_cast<std::uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
    } else {
      for (std::size_t c = 0; c < 3; ++c) set.pixels[c * plane + i] = rgb[c];
    }
  }
  set.labels = {0};
  return set;
}

}  // namespace

RequestedImage requestedImage(NetworkImages& data,
                              const MapShape& input,
                              const InspectionRequest& request) {
  if (request.picture) {
    const LabeledImages set = setOf(*request.picture, input);
    return {.tensor = data.maker().plain(set, 0, 1).images,
            .image = *request.picture,
            .classNames = data.input().classNames,
            .scales = data.input().numbers};
  }
  const LabeledImages& images = data.images(request.split);
  if (request.image < 0 || static_cast<std::size_t>(request.image) >= images.count()) {
    throw Error("image " + std::to_string(request.image),
                "the " + std::string(nameOf(request.split)) + " split has " +
                    std::to_string(images.count()) + " images",
                images.count() == 0 ? "choose another split"
                                    : "choose one from 0 to " + std::to_string(images.count() - 1));
  }
  const auto index = static_cast<std::size_t>(request.image);
  RequestedImage found{.tensor = data.maker().plain(images, index, 1).images,
                       .image = imageAt(images, index),
                       .classNames = data.input().classNames,
                       .scales = data.input().numbers};
  if (!images.labels.empty()) found.label = images.labels[index];
  const std::size_t width = images.numberNames.size();
  const auto first = images.numbers.begin() + static_cast<std::ptrdiff_t>(index * width);
  found.numbers.assign(first, first + static_cast<std::ptrdiff_t>(width));
  return found;
}

}  // namespace lambda
