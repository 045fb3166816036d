#include "engine/networks/network_paths.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "engine/layers/layer_path.h"
#include "engine/runtime/torch_device.h"
#include "engine/values/architecture/graph.h"
#include "engine/values/config/enum_names.h"

namespace lambda {

namespace {

/// The own kernels take depths that are multiples of this number.
constexpr int kDepth = 16;

std::string sideText(std::int64_t height, std::int64_t width) {
  return std::to_string(height) + "x" + std::to_string(width);
}

std::string depthsText(std::int64_t in, std::int64_t out) {
  return std::to_string(in) + " -> " + std::to_string(out);
}

std::string mapsText(const MapShape& input, const MapShape& output) {
  const std::string from = sideText(input.height, input.width);
  const std::string to = sideText(output.height, output.width);
  return depthsText(input.channels, output.channels) + ", " +
         (from == to ? from : from + " -> " + to);
}

/// "48 or 64" around 60.
std::string nearestText(std::int64_t depth) {
  const std::int64_t less = depth / kDepth * kDepth, more = less + kDepth;
  return (less > 0 ? std::to_string(less) + " or " : "") + std::to_string(more);
}

std::int64_t roundedUp(std::int64_t depth) {
  return (depth + kDepth - 1) / kDepth * kDepth;
}

class GraphPaths {
 public:
  GraphPaths(const RunConfig& config, const ComputeDevice& device)
      : graph_(graphOf(config.architecture)),
        images_(config.recipe.batchSize),
        precision_(nameOf(config.recipe.precision)),
        units_(ComputeUnits::of(torchDevice(device))) {
    input_.isOnCpu = device.kind == DeviceKind::cpu;
    input_.isPixelRows = input_.isOnCpu && config.recipe.channelsLast;
    if (config.recipe.precision == Precision::bfloat16) {
      input_.type = input_.weight = Element::bfloat16;
      input_.isAutocast = input_.isOnCpu;
    }
  }

  NetworkPaths run(const ComputeDevice& device) {
    paths_.machine = input_.isOnCpu
                         ? instructionsText()
                         : device.name + (units_.hasCudaKernels ? ", own CUDA kernels"
                                                                : ", without own CUDA kernels");
    for (node_ = graph_.nodes.begin(); node_ != graph_.nodes.end(); ++node_)
      std::visit([&](const auto& kind) { add(kind); }, node_->kind);
    return std::move(paths_);
  }

 private:
  const MapShape& inputMap() const { return graph_.inputOf(*node_); }

  bool takesImage() const { return node_->inputs.front() == kImageInput; }

  /// Images come in float32.
  LayerInput input() const {
    LayerInput input = input_;
    if (takesImage()) input.type = Element::float32;
    return input;
  }

  void addRow(std::string shape, std::string path, std::string hint = {}) {
    paths_.layers.push_back(
        {node_->layer, std::move(shape), precision_, std::move(path), std::move(hint)});
  }

  LayerPath pathOf(const ConvolutionSizes& sizes) const {
    return convolutionPath(sizes, input(), units_);
  }

  /// The path of a convolution in words, with the library that LibTorch takes.
  std::string textOfConvolution(const LayerPath& path) const {
    const char* library = input_.isOnCpu ? " (oneDNN)" : " (cuDNN)";
    return textOf(path, input()) + (path.kernel == LayerKernel::library ? library : "");
  }

  ConvolutionSizes sizesOf(std::int64_t outputDepth, int kernel, int stride, int padding) const {
    const MapShape& map = inputMap();
    return {.images = images_,
            .inputDepth = map.channels,
            .height = map.height,
            .width = map.width,
            .outputDepth = outputDepth,
            .kernel = {kernel, kernel},
            .stride = {stride, stride},
            .padding = {padding, padding}};
  }

  /// Widths for which an own kernel would compute the convolution; the channels of images are
  /// given.
  std::string hintFor(const ConvolutionSizes& sizes, const LayerPath& path) const {
    ConvolutionSizes wider = sizes;
    wider.outputDepth = roundedUp(sizes.outputDepth);
    if (!takesImage()) wider.inputDepth = roundedUp(sizes.inputDepth);
    if (pathOf(wider) == path) return {};
    std::string widths;
    for (const std::int64_t depth : {sizes.inputDepth, sizes.outputDepth}) {
      if (depth % kDepth == 0 || (depth == sizes.inputDepth && takesImage())) continue;
      const std::string width = std::to_string(depth) + " (nearest: " + nearestText(depth) + ")";
      if (!widths.ends_with(width)) widths += (widths.empty() ? "" : ", ") + width;
    }
    return "no multiple of 16: width " + widths +
           "; such convolutions take 1.6 to 1.9 times the CPU time";
  }

  void addConvolution(const ConvolutionSizes& sizes, const std::string& kind) {
    const LayerPath path = pathOf(sizes);
    addRow(kind + " " + sideText(sizes.kernel[0], sizes.kernel[1]) + ", " +
               mapsText(inputMap(), node_->output),
           textOfConvolution(path),
           hintFor(sizes, path));
  }

  void add(const ConvolutionNode& node) {
    addConvolution(sizesOf(node_->output.channels, node.kernel, node.stride, node.padding),
                   "convolution");
  }

  void add(const PlacedMixer& place) {
    std::visit([&](const auto& mixer) { addMixer(mixer, place); }, place.mixer);
  }

  void addMixer(const ConvolutionMixer& mixer, const PlacedMixer& place) {
    ConvolutionSizes sizes =
        sizesOf(place.output.channels, mixer.kernelSize, place.stride, mixer.kernelSize / 2);
    sizes.isPlain = mixer.groups == 1;
    addConvolution(sizes, sizes.isPlain ? "convolution" : "grouped convolution");
  }

  void addMixer(const LambdaMixer& mixer, const PlacedMixer& place) {
    const auto* pool =
        node_ + 1 != graph_.nodes.end() ? std::get_if<PoolNode>(&(node_ + 1)->kind) : nullptr;
    LambdaPlace layer{.mixer = mixer,
                      .images = images_,
                      .inputDepth = place.input.channels,
                      .outputDepth = place.output.channels,
                      .map = place.input};
    layer.isPooled = pool != nullptr && (node_ + 1)->layer == node_->layer &&
                     pool->pooling == Pooling::average && pool->window == 3;
    layer.normsFit = images_ * place.input.positions() > 1;
    LayerInput tokens = input();
    // Runs of channels are copied to rows.
    if (mixer.tokenOrder == TokenOrder::channelRuns) tokens.isPixelRows = tokens.isOnCpu;
    const LayerPath path = lambdaPath(layer, tokens, units_);
    std::string text = textOf(path, tokens);
    if (!path.fusesOperands) {
      const bool isMasked = mixer.mask != ContextMask::none && mixer.content;
      const bool hasCore = !isMasked || mixer.embedding != PositionEmbedding::none;
      text = hasCore ? "core: " + text + "; " : "";
      if (isMasked) text += "masked content: " + runningSumsText(path.sumsCausally) + "; ";
      text += "projections: " + textOfConvolution(projections(mixer, tokens));
    }
    addRow("lambda layer k=" + std::to_string(mixer.queryDepth) +
               " h=" + std::to_string(mixer.heads) +
               (mixer.scope > 0 ? " r=" + std::to_string(mixer.scope) : "") + ", " +
               mapsText(place.input, node_->output),
           text);
  }

  /// What computes the 1x1 convolutions of a lambda layer whose operands are not fused.
  LayerPath projections(const LambdaMixer& mixer, const LayerInput& tokens) const {
    const bool isOwn = units_.multipliesMatrices && inputMap().channels % kDepth == 0;
    if (tokens.isFloatRows()) return {isOwn ? LayerKernel::product : LayerKernel::libraryProduct};
    return pathOf(sizesOf(std::int64_t{mixer.heads} * mixer.queryDepth, 1, 1, 0));
  }

  /// Its wkv is computed in float32, whatever the precision.
  void addMixer(const RwkvMixer& /*mixer*/, const PlacedMixer& place) {
    addRow("RWKV-4 time mixing, " + mapsText(place.input, node_->output),
           "wkv: " + runningSumsText(input_.isOnCpu) + "; projections: " + textOf({}, input()));
  }

  /// The other mixers are operations of LibTorch, except for the 1x1 projections of attention and
  /// the running sums of causal linear attention.
  template <class Kind>
  void addMixer([[maybe_unused]] const Kind& mixer, const PlacedMixer& place) {
    std::string text = textOf({}, input());
    if constexpr (std::is_same_v<Kind, LinearAttentionMixer>) {
      if (mixer.causal) text = runningSumsText(input().isFloat());
    }
    if constexpr (requires { mixer.heads; })
      text +=
          "; projections: " + textOfConvolution(pathOf(sizesOf(place.output.channels, 1, 1, 0)));
    addRow(std::string(traitsOf(place.mixer).name) + ", " + mapsText(place.input, place.output),
           text);
  }

  void add(const SqueezeNode& node) {
    const int channels = node_->output.channels;
    ConvolutionSizes sizes = sizesOf(squeezedChannels(channels, node.ratio), 1, 1, 0);
    sizes.height = sizes.width = 1;
    sizes.hasBias = true;
    addRow("squeeze-excitation, " + depthsText(sizes.inputDepth, sizes.outputDepth) + " -> " +
               std::to_string(channels),
           textOfConvolution(pathOf(sizes)));
  }

  void add(const LinearNode& /*node*/) {
    addRow("linear, " + depthsText(inputMap().channels, node_->output.channels),
           textOf({}, input()));
  }

  // These belong to the layer of a node above, or have no weights.
  void add(const NormNode& /*node*/) {}

  void add(const ActivationNode& /*node*/) {}

  void add(const PoolNode& /*node*/) {}

  void add(const SumNode& /*node*/) {}

  void add(const FeaturesNode& /*node*/) {}

  void add(const EmbeddingNode& /*node*/) {
    addRow("embedding -> " + std::to_string(node_->output.channels), textOf({}, input()));
  }

  void add(const LayerNormNode& /*node*/) {
    addRow("layer norm, " + std::to_string(node_->output.channels), textOf({}, input()));
  }

  void add(const ChannelMixingNode& node) {
    addRow("channel mixing, " + depthsText(inputMap().channels, node.hidden) + " -> " +
               std::to_string(node_->output.channels),
           textOf({}, input()));
  }

  NetworkGraph graph_;
  std::int64_t images_;
  std::string precision_;
  ComputeUnits units_;
  LayerInput input_;
  std::vector<Node>::const_iterator node_;
  NetworkPaths paths_;
};

}  // namespace

NetworkPaths pathsOf(const RunConfig& config, const ComputeDevice& device) {
  return GraphPaths(config, device).run(device);
}

}  // namespace lambda
