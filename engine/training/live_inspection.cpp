#include "engine/training/live_inspection.h"

#include <utility>

#include "engine/formats/inspection/epoch_files.h"
#include "engine/formats/inspection/probe_snapshot.h"
#include "engine/runtime/error.h"
#include "engine/training/update/master_weights.h"

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

Array vectorOf(const std::vector<float>& values) {
  return {{static_cast<std::int64_t>(values.size())}, values};
}

}  // namespace

RequestedImage requestedImage(NetworkImages& data,
                              const MapShape& input,
                              const InspectionRequest& request) {
  if (request.picture) {
    const LabeledImages set = setOf(*request.picture, input);
    return {data.maker().plain(set, 0, 1).images, *request.picture, -1, data.classNames()};
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
  return {data.maker().plain(images, index, 1).images,
          imageAt(images, index),
          images.labels[index],
          data.classNames()};
}

InspectionSnapshot inspectImage(Network& network,
                                RunData& data,
                                const InspectionRequest& request,
                                InspectionContext context) {
  RequestedImage asked = requestedImage(data, network->architecture.input, request);
  context.image = std::move(asked.image);
  context.label = asked.label;
  context.classNames = std::move(asked.classNames);
  return inspectNetwork(network, asked.tensor, request, context);
}

InspectionSnapshot inspectLive(TrainingState& state,
                               RunData& data,
                               const InspectionRequest& request) {
  const MasterWeights inspected(state.optimizer);
  return inspectImage(state.network,
                      data,
                      request,
                      {.step = state.progress.step,
                       .epoch = state.progress.epoch,
                       .initialEmbeddings = &state.initialEmbeddings});
}

void saveProbe(TrainingState& state,
               RunData& data,
               const std::filesystem::path& folder,
               int epoch) {
  ProbeSnapshot probe{.epoch = epoch, .step = state.progress.step};
  for (const InspectableLayer& layer : inspectableLayers(state.network->architecture)) {
    InspectionSnapshot seen = inspectLive(state, data, {.layer = layer.name, .withPatterns = true});
    probe.probabilities = std::move(seen.probabilities);
    const bool hasParts = inspectedAs(layer) == InspectedAs::lambdas;
    probe.layers.push_back(
        {.name = layer.name,
         .lambdaContent = std::move(seen.lambdas.content),
         .lambdaPosition = std::move(seen.lambdas.position),
         .contributionsContent = std::move(seen.contributions.content),
         .contributionsPosition = std::move(seen.contributions.position),
         .contributionsTotal = hasParts ? Array() : std::move(seen.contributions.total),
         .embeddings = std::move(seen.embeddings.tiles),
         .embeddingChange = std::move(seen.embeddings.change),
         .singularContent = std::move(seen.singularValues.content),
         .singularPosition = std::move(seen.singularValues.position),
         .singularTotal = std::move(seen.singularValues.total),
         .patterns = std::move(seen.embeddings.patterns.patterns),
         .patternShares = vectorOf(seen.embeddings.patterns.share),
         .changePatterns = std::move(seen.embeddings.changePatterns.patterns),
         .changePatternShares = vectorOf(seen.embeddings.changePatterns.share)});
  }
  if (!probe.layers.empty()) writeProbeSnapshot(folder / epochFileName(epoch), probe);
}

}  // namespace lambda
