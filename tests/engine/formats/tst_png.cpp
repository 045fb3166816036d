#include <QTest>

#include <png.h>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/png.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

class TestPng : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void writtenPixelsAreReadBack();
  void sizesThatDoNotFitAreRefused();
};

void TestPng::writtenPixelsAreReadBack() {
  const TemporaryFolder folder;
  Image image = {.width = 5, .height = 3, .rgb = {}};
  for (int i = 0; i < 45; ++i) image.rgb.push_back(static_cast<std::uint8_t>(i * 37));
  writePng(folder.path() / "a.png", image);
  const std::string file = readFile(folder.path() / "a.png", 10'000);
  QVERIFY(file.starts_with("\x89PNG\r\n\x1a\n"));

  png_image control = {};
  control.version = PNG_IMAGE_VERSION;
  QVERIFY(png_image_begin_read_from_memory(&control, file.data(), file.size()) != 0);
  QCOMPARE(control.width, 5U);
  QCOMPARE(control.height, 3U);
  control.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(45);
  QVERIFY(png_image_finish_read(&control, nullptr, pixels.data(), 0, nullptr) != 0);
  QCOMPARE(pixels, image.rgb);
}

void TestPng::sizesThatDoNotFitAreRefused() {
  const std::vector<std::uint8_t> rgb(12);
  for (const Image& image :
       {Image{2, 3, rgb}, Image{0, 0, {}}, Image{-2, -2, rgb}, Image{1 << 30, 1 << 30, rgb}}) {
    QVERIFY(errorOf([&] { encodePng(image); }));
  }
}

QTEST_GUILESS_MAIN(TestPng)
#include "tst_png.moc"
