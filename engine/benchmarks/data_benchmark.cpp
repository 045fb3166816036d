#include "engine/benchmarks/data_benchmark.h"

#include <functional>
#include <vector>

#include <ATen/ATen.h>

#include "engine/benchmarks/device/device_clock.h"
#include "engine/benchmarks/exactness.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/runtime/torch_device.h"
#include "engine/training/input/run_data.h"
#include "engine/training/loop/dry_run.h"
#include "engine/training/loop/trainer.h"

namespace lambda {

namespace {

/// The input pipeline written with LibTorch's operations, image by image.
class ImageByImage {
 public:
  ImageByImage(const RunConfig& config, const LabeledImages& images)
      : config_(config),
        images_(images),
        normalization_(measureNormalization(images)),
        augmenter_(
            config.architecture.input, config.data.augmentation, normalization_, config.seed),
        order_(config.seed, static_cast<std::uint32_t>(images.count()), config.recipe) {}

  /// [b, c, h, w]
  at::Tensor batch(int epoch, int batch, at::ScalarType type) {
    std::vector<at::Tensor> made;
    const BatchPosition position{static_cast<std::uint64_t>(epoch),
                                 static_cast<std::uint32_t>(batch)};
    const at::Tensor mean = statistic(normalization_.mean, type);
    const at::Tensor deviation = statistic(normalization_.deviation, type);
    for (const std::uint32_t index : order_.batch(position)) {
      const AugmentationDraw draw = augmenter_.draw(static_cast<std::uint64_t>(epoch), index);
      const at::Tensor image = cropped(stored(index).to(type) / 255, draw);
      made.push_back(cutOut((image - mean) / deviation, draw));
    }
    return at::stack(made).contiguous(config_.recipe.channelsLast ? at::MemoryFormat::ChannelsLast
                                                                  : at::MemoryFormat::Contiguous);
  }

 private:
  static at::Tensor statistic(const std::vector<double>& values, at::ScalarType type) {
    return at::tensor(values).to(type).view({-1, 1, 1});
  }

  at::Tensor stored(std::uint32_t index) const {
    const std::int64_t c = images_.channels, h = images_.height, w = images_.width;
    const std::uint8_t* pixels =
        images_.pixels.data() + static_cast<std::int64_t>(index) * c * h * w;
    // LibTorch has no read-only tensors; this one is only read.
    return at::from_blob(const_cast<std::uint8_t*>(pixels), {c, h, w}, at::kByte);
  }

  at::Tensor cropped(const at::Tensor& image, const AugmentationDraw& draw) const {
    const AugmentationConfig& augmentation = config_.data.augmentation;
    const std::int64_t pad = augmentation.cropPadding;
    const std::vector<std::int64_t> sides{pad, pad, pad, pad};
    const at::Tensor padded = augmentation.padding == CropPadding::reflect
                                  ? at::reflection_pad2d(image, sides)
                                  : at::constant_pad_nd(image, sides, 0);
    const at::Tensor shifted = padded.narrow(1, pad + draw.shiftY, images_.height)
                                   .narrow(2, pad + draw.shiftX, images_.width);
    return draw.flip ? shifted.flip(2) : shifted;
  }

  at::Tensor cutOut(const at::Tensor& image, const AugmentationDraw& draw) const {
    const std::int64_t size = config_.data.augmentation.cutoutSize;
    if (size == 0) return image;
    const std::int64_t top = draw.cutoutY - size / 2, left = draw.cutoutX - size / 2;
    image.slice(1, std::max<std::int64_t>(top, 0), top + size)
        .slice(2, std::max<std::int64_t>(left, 0), left + size)
        .zero_();
    return image;
  }

  const RunConfig& config_;
  const LabeledImages& images_;
  Normalization normalization_;
  Augmenter augmenter_;
  BatchOrder order_;
};

template <class Work>
Laps timed(const at::Device& device, const Work& work) {
  return timeCall(device, [&](const EndPart& endPart) {
    [[maybe_unused]] const auto kept =
        work();  // Kept until after the part, so that its release is not timed.
    endPart();
  });
}

DataBenchmark measure(RunConfig wanted, const DataBenchmarkOptions& options) {
  const ResolvedConfig resolved(std::move(wanted));
  const RunConfig& config = resolved.config();
  const at::Device device = torchDevice(resolved.device());
  const std::unique_ptr<TrainingData> found = dryRunData(resolved);
  RunData& data = imagesOf(*found);
  ImageByImage plain(config, data.images(Split::train));
  DryRun training(resolved, data);

  const at::Tensor expected = plain.batch(0, 0, at::kDouble);
  const at::ScalarType type = data.batch(0, 0).images.scalar_type();
  const Precision precision = type == at::kBFloat16 ? Precision::bfloat16 : Precision::float32;
  const auto ofAten = [&](int epoch, int batch) {
    return plain.batch(epoch, batch, at::kFloat).to(device, type);
  };
  std::vector<TimedForm> forms{{"augmenter", {}, {}, {}}, {"ATen, image by image", {}, {}, {}}};
  const auto check = [&](TimedForm& form, const std::function<at::Tensor()>& make) {
    const PoisonedTensors poisoned(device);
    form.relativeError = relativeDistance({make().cpu()}, {expected});
    requireExact(form.name, *form.relativeError, precision);
  };
  check(forms[0], [&] { return data.batch(0, 0).images; });
  check(forms[1], [&] { return ofAten(0, 0); });

  const int perEpoch = data.batchesPerEpoch();
  int ours = 0, theirs = 0;
  const std::vector<Repetitions> repetitions =
      alternate({[&] {
                   const int at = ours++;
                   return timed(device, [&] { return data.batch(at / perEpoch, at % perEpoch); });
                 },
                 [&] {
                   const int at = theirs++;
                   return timed(device, [&] { return ofAten(at / perEpoch, at % perEpoch); });
                 },
                 [&] { return timed(device, [&] { return training.step(); }); }},
                {.repetitions = options.repetitions, .secondsAtMost = options.secondsAtMost});
  for (std::size_t i = 0; i < forms.size(); ++i) forms[i].time = repetitions[i].total();

  DataBenchmark result;
  result.syntheticData = data.areSynthetic();
  result.step = repetitions[2].total();
  result.row = {.name = config.name + " batch",
                .batch = config.recipe.batchSize,
                .threads = resolved.device().threads,
                .precision = precision,
                .repetitions = repetitions.front().count(),
                // A byte is read and a number written for every value.
                .bytes = static_cast<double>(expected.numel()) *
                         static_cast<double>(1 + c10::elementSize(type)),
                .forms = std::move(forms)};
  return result;
}

}  // namespace

DataBenchmark runDataBenchmark(const RunConfig& config, const DataBenchmarkOptions& options) {
  requireTrainable(config);
  return explainingFailures(config.name, config.recipe, [&] { return measure(config, options); });
}

}  // namespace lambda
