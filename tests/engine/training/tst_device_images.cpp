#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include <QtTest/QtTest>

#include "engine/data/augmentation/augmentation.h"
#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/runtime/device.h"
#include "engine/runtime/random.h"
#include "engine/training/input/batch_maker.h"
#include "engine/training/input/device_images.h"

extern "C" const lambda::CudaKernels* lambdaCudaKernels();

namespace lambda::test {

namespace {

constexpr std::uint64_t kSeed = 3;

struct Case {
  MapShape shape;
  AugmentationConfig augmentation;
};

LabeledImages imagesOf(const MapShape& shape, int count) {
  LabeledImages images;
  images.channels = shape.channels;
  images.height = shape.height;
  images.width = shape.width;
  KeyedRandom random{7};
  for (std::int64_t i = 0; i < count * shape.elements(); ++i)
    images.pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
  for (int i = 0; i < count; ++i)
    images.labels.push_back(static_cast<std::uint16_t>(random.below(300)));
  return images;
}

Augmenter augmenterOf(const Case& one) {
  Normalization normalization;
  for (int c = 0; c < one.shape.channels; ++c) {
    normalization.mean.push_back(0.4 + 0.05 * c);
    normalization.deviation.push_back(0.2 + 0.03 * c);
  }
  return Augmenter(one.shape, one.augmentation, normalization, kSeed);
}

/// Every image once and some twice, in no particular order.
const std::vector<std::uint32_t> kIndices{4, 0, 6, 2, 2, 5, 1, 3, 0};
constexpr int kImages = 7;

/// Whether both have the same bits, including signs of zeros, and the same order in memory.
bool isSame(const at::Tensor& found, const at::Tensor& expected) {
  const at::Tensor host = found.cpu();
  return host.scalar_type() == expected.scalar_type() && host.sizes() == expected.sizes() &&
         host.strides() == expected.strides() &&
         std::memcmp(host.const_data_ptr(),
                     expected.const_data_ptr(),
                     static_cast<std::size_t>(host.numel()) * host.element_size()) == 0;
}

/// Compares the batches of the kernels on a device with those of the augmenter on the CPU.
void compare(const Case& one, const CudaKernels& kernels, const at::Device& device) {
  const LabeledImages images = imagesOf(one.shape, kImages);
  const Augmenter augmenter = augmenterOf(one);
  const DeviceImages onDevice(images, device, kernels);
  for (const bool channelsLast : {false, true}) {
    const BatchMaker maker(augmenter, channelsLast, Precision::float32, at::kCPU);
    const PixelLayout layout = channelsLast ? PixelLayout::nhwc : PixelLayout::nchw;
    const TensorBatch augmented = maker.augmented(images, kIndices, 5);
    const TensorBatch plain = maker.plain(images, 2, 4);
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
      const TensorBatch drawn = onDevice.augmented(augmenter, kIndices, 5, {layout, type});
      QVERIFY(isSame(drawn.images, augmented.images.to(type)));
      QVERIFY(isSame(drawn.labels, augmented.labels));
      const TensorBatch asTheyAre = onDevice.plain(augmenter, 2, 4, {layout, type});
      QVERIFY(isSame(asTheyAre.images, plain.images.to(type)));
      QVERIFY(isSame(asTheyAre.labels, plain.labels));
    }
  }
}

}  // namespace

class TestDeviceImages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalTheAugmenterToTheBit_data();
  void equalTheAugmenterToTheBit();
  void equalTheAugmenterToTheBitOnAGpu_data();
  void equalTheAugmenterToTheBitOnAGpu();
  void otherDrawsMakeOtherImages();
  void aMakerUsesTheImagesThatItKeeps();
  void aMakerInBfloat16RoundsTrainingImagesAlone();
  void noImagesMakeAnEmptyBatch();
  void refusesWhatDoesNotFit();
};

void TestDeviceImages::equalTheAugmenterToTheBit_data() {
  QTest::addColumn<Case>("one");
  constexpr MapShape kColours{3, 13, 13};  // A plane is more than the threads of a block.
  const auto with = [](int crop, CropPadding padding, bool flip, int cutout) {
    return AugmentationConfig{
        .cropPadding = crop, .padding = padding, .horizontalFlip = flip, .cutoutSize = cutout};
  };
  QTest::newRow("mirrored") << Case{kColours, with(4, CropPadding::reflect, true, 0)};
  QTest::newRow("black") << Case{kColours, with(4, CropPadding::zero, true, 0)};
  QTest::newRow("even cutout") << Case{kColours, with(0, CropPadding::reflect, false, 4)};
  QTest::newRow("odd cutout") << Case{kColours, with(2, CropPadding::zero, true, 5)};
  QTest::newRow("cutout of everything") << Case{kColours, with(2, CropPadding::zero, true, 64)};
  QTest::newRow("widest shifts") << Case{{3, 5, 9}, with(4, CropPadding::reflect, true, 3)};
  QTest::newRow("one channel") << Case{{1, 6, 4}, with(3, CropPadding::reflect, true, 2)};
  QTest::newRow("four channels") << Case{{4, 4, 6}, with(3, CropPadding::zero, true, 2)};
  QTest::newRow("one pixel") << Case{{3, 1, 1}, with(0, CropPadding::reflect, true, 1)};
}

void TestDeviceImages::equalTheAugmenterToTheBit() {
  QFETCH(Case, one);
  compare(one, *lambdaCudaKernels(), at::kCPU);
}

void TestDeviceImages::equalTheAugmenterToTheBitOnAGpu_data() {
  equalTheAugmenterToTheBit_data();
}

void TestDeviceImages::equalTheAugmenterToTheBitOnAGpu() {
  const ComputeDevice device = selectDevice({});
  if (device.kind != DeviceKind::cuda) QSKIP(("no GPU: " + device.reason).c_str());
  QFETCH(Case, one);
  const CudaKernels* kernels = cudaKernelsFor(at::Device(at::kCUDA, 0));
  QVERIFY2(kernels != nullptr, "the plugin can't be used");
  compare(one, *kernels, at::Device(at::kCUDA, 0));
}

void TestDeviceImages::otherDrawsMakeOtherImages() {
  const Case one{{3, 13, 13}, {.cropPadding = 4, .padding = CropPadding::zero, .cutoutSize = 5}};
  const LabeledImages images = imagesOf(one.shape, 1);
  const Augmenter augmenter = augmenterOf(one);
  const DeviceImages onDevice(images, at::kCPU, *lambdaCudaKernels());
  const std::array<std::uint32_t, 1> index{0};
  const at::Tensor first = onDevice.augmented(augmenter, index, 0, {}).images;
  for (std::uint64_t epoch = 1; epoch < 20; ++epoch) {
    const bool isSameDraw = augmenter.draw(epoch, 0) == augmenter.draw(0, 0);
    QCOMPARE(isSame(onDevice.augmented(augmenter, index, epoch, {}).images, first), isSameDraw);
  }
}

void TestDeviceImages::aMakerUsesTheImagesThatItKeeps() {
  const Case one{{3, 8, 8}, {.cropPadding = 2, .cutoutSize = 3}};
  const LabeledImages images = imagesOf(one.shape, kImages);
  const LabeledImages others = imagesOf(one.shape, 2);
  const BatchMaker plain(augmenterOf(one), true, Precision::float32, at::kCPU);
  CudaKernels counting = *lambdaCudaKernels();
  static int batches;
  batches = 0;
  counting.makeImageBatch = [](const CudaImageBatch& batch, const CudaQueue& queue) {
    ++batches;
    return lambdaCudaKernels()->makeImageBatch(batch, queue);
  };
  BatchMaker maker(augmenterOf(one), true, Precision::float32, at::kCPU, &counting);
  maker.keep(images);
  QVERIFY(isSame(maker.augmented(images, kIndices, 1).images,
                 plain.augmented(images, kIndices, 1).images));
  QVERIFY(isSame(maker.plain(images, 1, 3).images, plain.plain(images, 1, 3).images));
  QCOMPARE(batches, 2);
  QVERIFY(isSame(maker.plain(others, 0, 2).images, plain.plain(others, 0, 2).images));
  QCOMPARE(batches, 2);
}

void TestDeviceImages::aMakerInBfloat16RoundsTrainingImagesAlone() {
  const Case one{{3, 8, 8}, {.cropPadding = 2, .cutoutSize = 3}};
  const LabeledImages images = imagesOf(one.shape, kImages);
  BatchMaker maker(augmenterOf(one), true, Precision::bfloat16, at::kCPU, lambdaCudaKernels());
  maker.keep(images);
  QVERIFY(maker.augmented(images, kIndices, 1).images.scalar_type() == at::kBFloat16);
  QVERIFY(maker.plain(images, 1, 3).images.scalar_type() == at::kFloat);
}

void TestDeviceImages::noImagesMakeAnEmptyBatch() {
  const Case one{{3, 8, 8}, {}};
  const DeviceImages onDevice(imagesOf(one.shape, 1), at::kCPU, *lambdaCudaKernels());
  const TensorBatch batch = onDevice.augmented(augmenterOf(one), {}, 0, {});
  QVERIFY(batch.images.sizes() == at::IntArrayRef({0, 3, 8, 8}));
  QCOMPARE(batch.labels.numel(), std::int64_t{0});
}

void TestDeviceImages::refusesWhatDoesNotFit() {
  std::vector<std::uint8_t> bytes(64);
  std::vector<float> floats(64);
  std::vector<std::int64_t> labels(1);
  CudaImageBatch fits;
  fits.images = 1;
  fits.channels = fits.height = fits.width = 3;
  const std::vector<std::uint16_t> numbers(1);
  fits.pixels = bytes.data();
  fits.labels = numbers.data();
  fits.out = floats.data();
  fits.outLabels = labels.data();
  const auto codeOf = [](const CudaImageBatch& batch) {
    return lambdaCudaKernels()->makeImageBatch(batch, {}).code;
  };
  QCOMPARE(codeOf(fits), 0);
  const std::vector<void (*)(CudaImageBatch&)> spoils{
      [](CudaImageBatch& batch) { batch.channels = kMostImageChannels + 1; },
      [](CudaImageBatch& batch) { batch.channels = 0; },
      [](CudaImageBatch& batch) { batch.width = 0; },
      [](CudaImageBatch& batch) { batch.height = batch.width = 1 << 15; },
      [](CudaImageBatch& batch) { batch.images = -1; },
      [](CudaImageBatch& batch) { batch.first = -1; },
      [](CudaImageBatch& batch) { batch.cutoutSize = -1; },
      [](CudaImageBatch& batch) { batch.pixels = nullptr; },
      [](CudaImageBatch& batch) { batch.outLabels = nullptr; },
  };
  for (const auto spoil : spoils) {
    CudaImageBatch batch = fits;
    spoil(batch);
    QCOMPARE(codeOf(batch), -1);
  }
  CudaQueue other;
  other.device = 1;
  QVERIFY(lambdaCudaKernels()->makeImageBatch(fits, other).code > 0);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestDeviceImages)

#include "tst_device_images.moc"
