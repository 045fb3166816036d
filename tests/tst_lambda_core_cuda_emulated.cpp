#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "tests/support/core_reference.h"
#include "tests/support/cuda_emulation/block_emulator.h"
#include "tests/support/pairs_by_row.h"

extern "C" const lambda::CudaKernels* lambdaCudaKernels();

namespace lambda::test {

namespace {

using Spoil = void (*)(CudaCoreInputs&);

/// Relative distance: some roundings of float32; or those of scores, outputs and content lambdas to
/// the 8 bits of bfloat16.
double toleranceOf(Element element) {
  return element == Element::float32 ? 1e-6 : 6e-3;
}

/// More than a group of images, queries and heads, and than a tile of context.
constexpr CoreSample kSmall{"", 9, 5, 5, 1, 5, 16, 16, 0, true, true};

/// Device memory: exactly as large as its elements, so that the address sanitizer sees what reads
/// or writes past it, and full of NaNs until written.
class DeviceArray {
 public:
  /// `offset`: elements that the array begins after an aligned address.
  DeviceArray(Element element, std::size_t size, std::size_t offset = 0)
      : element_(element),
        size_(size),
        offset_(offset),
        bytes_((size + offset) * width(), kPoison) {}

  DeviceArray(Element element, const std::vector<float>& values, std::size_t offset = 0)
      : DeviceArray(element, values.size(), offset) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (element == Element::float32) {
        std::memcpy(at(i), &values[i], sizeof(float));
      } else {
        const std::uint16_t rounded = toBfloat16(values[i]);
        std::memcpy(at(i), &rounded, sizeof rounded);
      }
    }
  }

  /// Null if empty.
  void* get() { return size_ > 0 ? at(0) : nullptr; }

  std::vector<float> read() {
    std::vector<float> values(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      if (element_ == Element::float32) {
        std::memcpy(&values[i], at(i), sizeof(float));
      } else {
        std::uint16_t value;
        std::memcpy(&value, at(i), sizeof value);
        values[i] = fromBfloat16(value);
      }
    }
    return values;
  }

  bool operator==(const DeviceArray& other) const {
    return std::equal(begin(), bytes_.end(), other.begin(), other.bytes_.end());
  }

 private:
  static constexpr std::byte kPoison{0xFF};

  std::size_t width() const { return element_ == Element::float32 ? 4 : 2; }

  std::vector<std::byte>::const_iterator begin() const {
    return bytes_.begin() + static_cast<std::ptrdiff_t>(offset_ * width());
  }

  std::byte* at(std::size_t i) { return bytes_.data() + (offset_ + i) * width(); }

  Element element_;
  std::size_t size_, offset_;
  std::vector<std::byte> bytes_;
};

/// A core in device memory.
class DeviceCore {
 public:
  DeviceCore(const CoreReference& core, Element element, std::size_t offset = 0)
      : index_(core.tableRowOf, core.shape.tableRows),
        shape_(core.shape),
        queries_(element, core.queries, offset),
        keys_(element, core.keys, offset),
        values_(element, core.values, offset),
        table_(element, core.table, offset),
        dy_(element, core.dy, offset),
        contentLambdas_(element,
                        core.shape.hasContent ? sizeOf(core.shape.images * core.shape.queryDepth *
                                                       core.shape.valueDepth)
                                              : 0,
                        offset),
        tableRowOf_(core.tableRowOf),
        workspace_(sizeOf(lambdaCudaKernels()->workspaceBytes(core.shape, element)),
                   std::byte{0xFF}),
        y(element, core.dy.size(), offset),
        dQueries(element, core.queries.size(), offset),
        dKeys(element, core.keys.size(), offset),
        dValues(element, core.values.size(), offset),
        dTable(Element::float32, core.table.size()) {
    inputs.shape = core.shape;
    inputs.element = element;
    inputs.queries = queries_.get();
    inputs.keys = keys_.get();
    inputs.values = values_.get();
    inputs.table = table_.get();
    inputs.tableRowOf = tableRowOf_.data();
    inputs.pairCount = static_cast<std::int64_t>(index_.pairs.size());
    inputs.contentLambdas = contentLambdas_.get();
  }

  CudaOutcome forward() { return lambdaCudaKernels()->forward(inputs, y.get(), {}); }

  CudaOutcome backward() {
    return lambdaCudaKernels()->backward(
        inputs,
        {index_.pairs.data(), index_.starts.data()},
        dy_.get(),
        {dQueries.get(), dKeys.get(), dValues.get(), static_cast<float*>(dTable.get())},
        workspace_.data(),
        {});
  }

  bool hasSameResults(const DeviceCore& other) const {
    return y == other.y && dQueries == other.dQueries && dKeys == other.dKeys &&
           dValues == other.dValues && dTable == other.dTable;
  }

  CudaCoreInputs inputs;

 private:
  static std::size_t sizeOf(std::int64_t size) { return static_cast<std::size_t>(size); }

  PairsByRow index_;
  CoreShape shape_;
  DeviceArray queries_, keys_, values_, table_, dy_, contentLambdas_;
  std::vector<std::int32_t> tableRowOf_;
  std::vector<std::byte> workspace_;

 public:
  DeviceArray y, dQueries, dKeys, dValues, dTable;
};

/// The largest distance of what a device core made, and of what.
struct Furthest {
  double distance = 0;
  std::string of;
};

Furthest furthest(DeviceCore& found, const CoreResults& expected) {
  Furthest most;
  const auto compare = [&](const char* of, DeviceArray& array, const std::vector<double>& wanted) {
    const double distance = relativeDistance(array.read(), wanted);
    if (!(distance <= most.distance)) most = {distance, of};
  };
  compare("y", found.y, expected.y);
  compare("queries", found.dQueries, expected.queries);
  compare("keys", found.dKeys, expected.keys);
  compare("values", found.dValues, expected.values);
  compare("table", found.dTable, expected.table);
  return most;
}

}  // namespace

class TestLambdaCoreCudaEmulated : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup();
  void equalsLoopsInDouble_data();
  void equalsLoopsInDouble();
  void takesOperandsThatLieAnywhere();
  void noThreadRunsAheadOfABarrier_data();
  void noThreadRunsAheadOfABarrier();
  void theSameBitsWhereverOperandsLie();
  void oneImageMoreChangesNoOtherImage();
  void noImagesGiveATableGradientOfZeros();
  void refusesWhatDoesNotFit_data();
  void refusesWhatDoesNotFit();
};

void TestLambdaCoreCudaEmulated::cleanup() {
  emulation::setOrder(emulation::Order::forward);
}

void TestLambdaCoreCudaEmulated::equalsLoopsInDouble_data() {
  QTest::addColumn<CoreSample>("sample");
  QTest::addColumn<Element>("element");
  std::vector<CoreSample> samples = coreSamples();
  samples.push_back({"k 36, v 72", 5, 3, 3, 1, 5, 36, 72, 0, true, true});
  samples.push_back({"k 64, v 40, window, u 4", 2, 4, 5, 4, 4, 64, 40, 3, true, true});
  samples.push_back({"several shares of images, h 20", 5, 9, 9, 1, 20, 8, 8, 0, true, true});
  samples.push_back({"k 33, v 17", 2, 5, 5, 1, 6, 33, 17, 0, true, true});
  samples.push_back({"content alone, k 20, v 33", 6, 2, 3, 2, 2, 20, 33, 0, true, false});
  for (const CoreSample& sample : samples) {
    QTest::addRow("%s, float32", sample.name) << sample << Element::float32;
    QTest::addRow("%s, bfloat16", sample.name) << sample << Element::bfloat16;
  }
}

void TestLambdaCoreCudaEmulated::equalsLoopsInDouble() {
  QFETCH(CoreSample, sample);
  QFETCH(Element, element);
  CoreReference reference(sample);
  if (element == Element::bfloat16) reference.round();
  DeviceCore core(reference, element);
  QCOMPARE(core.forward().text, nullptr);
  QCOMPARE(core.backward().text, nullptr);
  const Furthest most = furthest(core, reference.results());
  QVERIFY2(most.distance < toleranceOf(element),
           (std::to_string(most.distance) + " of " + most.of).c_str());
}

void TestLambdaCoreCudaEmulated::takesOperandsThatLieAnywhere() {
  for (const Element element : {Element::float32, Element::bfloat16}) {
    CoreReference reference(kSmall);
    if (element == Element::bfloat16) reference.round();
    for (const std::size_t offset : {1, 2, 3}) {
      DeviceCore core(reference, element, offset);
      QCOMPARE(core.forward().text, nullptr);
      QCOMPARE(core.backward().text, nullptr);
      QVERIFY(furthest(core, reference.results()).distance < toleranceOf(element));
    }
  }
}

void TestLambdaCoreCudaEmulated::noThreadRunsAheadOfABarrier_data() {
  QTest::addColumn<CoreSample>("sample");
  QTest::newRow("k 16, v 16") << kSmall;
  QTest::newRow("k 16, v 40") << CoreSample{"", 9, 5, 5, 1, 4, 16, 40, 3, true, true};
  QTest::newRow("k 48, v 40") << CoreSample{"", 9, 5, 5, 1, 4, 48, 40, 0, true, true};
  QTest::newRow("k 15, v 9") << CoreSample{"", 9, 5, 5, 2, 4, 15, 9, 0, true, true};
}

void TestLambdaCoreCudaEmulated::noThreadRunsAheadOfABarrier() {
  QFETCH(CoreSample, sample);
  const CoreReference reference(sample);
  DeviceCore forward(reference, Element::bfloat16), backward(reference, Element::bfloat16);
  for (DeviceCore* core : {&forward, &backward}) {
    emulation::setOrder(core == &forward ? emulation::Order::forward : emulation::Order::backward);
    QCOMPARE(core->forward().text, nullptr);
    QCOMPARE(core->backward().text, nullptr);
  }
  QVERIFY(backward.hasSameResults(forward));
}

void TestLambdaCoreCudaEmulated::theSameBitsWhereverOperandsLie() {
  const CoreReference reference(kSmall);
  DeviceCore aligned(reference, Element::float32), shifted(reference, Element::float32, 4);
  DeviceCore odd(reference, Element::float32, 1);
  for (DeviceCore* core : {&aligned, &shifted, &odd}) {
    QCOMPARE(core->forward().text, nullptr);
    QCOMPARE(core->backward().text, nullptr);
  }
  QVERIFY(shifted.hasSameResults(aligned));
  QVERIFY(odd.hasSameResults(aligned));
}

void TestLambdaCoreCudaEmulated::oneImageMoreChangesNoOtherImage() {
  const CoreReference reference(kSmall);
  DeviceCore all(reference, Element::float32), fewer(reference, Element::float32);
  QCOMPARE(all.forward().text, nullptr);
  --fewer.inputs.shape.images;
  QCOMPARE(fewer.forward().text, nullptr);
  const std::vector<float> expected = all.y.read();
  const std::vector<float> found = fewer.y.read();
  const std::size_t last = found.size() / 9 * 8;
  QVERIFY(std::equal(found.begin(), found.begin() + last, expected.begin()));
  for (std::size_t i = last; i < found.size(); ++i) QVERIFY(std::isnan(found[i]));
}

void TestLambdaCoreCudaEmulated::noImagesGiveATableGradientOfZeros() {
  CoreSample none = kSmall;
  none.batch = 0;
  DeviceCore core(CoreReference(none), Element::bfloat16);
  QCOMPARE(core.forward().text, nullptr);
  QCOMPARE(core.backward().text, nullptr);
  for (const float value : core.dTable.read()) QCOMPARE(value, 0.0F);
}

void TestLambdaCoreCudaEmulated::refusesWhatDoesNotFit_data() {
  QTest::addColumn<Spoil>("spoil");
  const auto row = [](const char* name, Spoil spoil) { QTest::newRow(name) << spoil; };
  row("k 65", [](CudaCoreInputs& inputs) { inputs.shape.queryDepth = 65; });
  row("no heads", [](CudaCoreInputs& inputs) { inputs.shape.heads = 0; });
  row("neither content nor positions", [](CudaCoreInputs& inputs) {
    inputs.shape.hasContent = false;
    inputs.shape.tableRows = 0;
  });
  row("pairs beyond 32 bits", [](CudaCoreInputs& inputs) {
    inputs.shape.queries = inputs.shape.positions = std::int64_t{1} << 16;
  });
  row("sizes beyond 64 bits", [](CudaCoreInputs& inputs) {
    inputs.shape.queries = inputs.shape.heads = inputs.shape.valueDepth = std::int64_t{1} << 29;
  });
  row("no values", [](CudaCoreInputs& inputs) { inputs.values = nullptr; });
  row("no table", [](CudaCoreInputs& inputs) { inputs.table = nullptr; });
  row("no keys", [](CudaCoreInputs& inputs) { inputs.keys = nullptr; });
}

void TestLambdaCoreCudaEmulated::refusesWhatDoesNotFit() {
  QFETCH(Spoil, spoil);
  DeviceCore core(CoreReference(kSmall), Element::float32);
  spoil(core.inputs);
  for (const CudaOutcome outcome : {core.forward(), core.backward()}) {
    QCOMPARE(outcome.code, -1);
    QVERIFY(outcome.text != nullptr);
  }
  QVERIFY(std::isnan(core.y.read().front()));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaCoreCudaEmulated)

#include "tst_lambda_core_cuda_emulated.moc"
