#include <algorithm>
#include <array>
#include <string_view>

#include <QTest>

#include "engine/data/dataset.h"
#include "engine/data/shapes10.h"
#include "engine/formats/files/sha256.h"
#include "tests/support/hostile_bytes.h"

using namespace lambda;

namespace {

constexpr std::size_t kImageBytes = 3 * 32 * 32;

std::string bytesDigestOf(const LabeledImages& images) {
  Sha256 digest;
  digest.update(std::as_bytes(std::span(images.pixels)));
  const std::vector<std::uint8_t> labels(images.labels.begin(), images.labels.end());
  digest.update(std::as_bytes(std::span(labels)));
  return digest.hex();
}

bool sameImage(const LabeledImages& a, std::size_t i, const LabeledImages& b, std::size_t j) {
  return std::equal(a.pixels.data() + i * kImageBytes,
                    a.pixels.data() + (i + 1) * kImageBytes,
                    b.pixels.data() + j * kImageBytes);
}

}  // namespace

class TestShapes10 : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void drawsTheSameBitsOnEveryMachine();
  void anImageDependsOnItsIndexAlone();
  void seedsAndPartsShareNoImage();
  void everyTenImagesHoldEveryClass();
  void namesItsTenClasses();
  void refusesToDrawNothing();
};

void TestShapes10::drawsTheSameBitsOnEveryMachine() {
  QCOMPARE(bytesDigestOf(drawShapes10(kShapes10Seed, 200, Shapes10Part::training)),
           std::string("0d4b399f2195008be1b6e976b168eab5f9640699d22e8548071047f4f3386d2f"));
  QCOMPARE(bytesDigestOf(drawShapes10(kShapes10Seed, 200, Shapes10Part::test)),
           std::string("89b1a455568abf806527c5be006223b31d460ae1d9dd9ea3a1095f5e55059e60"));
}

void TestShapes10::anImageDependsOnItsIndexAlone() {
  const LabeledImages few = drawShapes10(3, 25, Shapes10Part::training);
  const LabeledImages many = drawShapes10(3, 100, Shapes10Part::training);
  for (std::size_t i = 0; i < few.count(); ++i) {
    QVERIFY(sameImage(few, i, many, i));
    QCOMPARE(few.labels[i], many.labels[i]);
  }
}

void TestShapes10::seedsAndPartsShareNoImage() {
  const LabeledImages images = drawShapes10(3, 50, Shapes10Part::training);
  for (const LabeledImages& other :
       {drawShapes10(4, 50, Shapes10Part::training), drawShapes10(3, 50, Shapes10Part::test)}) {
    for (std::size_t i = 0; i < images.count(); ++i) {
      for (std::size_t j = 0; j < other.count(); ++j) QVERIFY(!sameImage(images, i, other, j));
    }
  }
}

void TestShapes10::everyTenImagesHoldEveryClass() {
  const LabeledImages images = drawShapes10(5, 1000, Shapes10Part::training);
  for (std::size_t first = 0; first < images.count(); first += 10) {
    std::array<int, 10> seen{};
    for (std::size_t i = first; i < first + 10; ++i) ++seen.at(images.labels[i]);
    QVERIFY(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
  }
}

void TestShapes10::namesItsTenClasses() {
  const LabeledImages images = drawShapes10(5, 1, Shapes10Part::test);
  QCOMPARE(images.classNames.size(), std::size_t{10});
  QCOMPARE(images.classNames.front(), std::string("dot left of square"));
  QCOMPARE(images.pixels.size(), kImageBytes);
}

void TestShapes10::refusesToDrawNothing() {
  QVERIFY(errorOf([] { drawShapes10(1, 0, Shapes10Part::training); }));
  QVERIFY(errorOf([] { drawShapes10(1, -3, Shapes10Part::training); }));
}

QTEST_GUILESS_MAIN(TestShapes10)
#include "tst_shapes10.moc"
