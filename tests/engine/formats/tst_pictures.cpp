#include <algorithm>
#include <cmath>

#include <QtTest/QtTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/pictures/picture_decoding.h"
#include "engine/formats/pictures/picture_resizing.h"
#include "engine/formats/python/python_network.h"
#include "engine/runtime/error.h"
#include "tests/support/small_data_sets.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_python.h"

namespace lambda {

namespace {

Image decoded(const std::string& bytes, const PictureLimits& limits = {}) {
  return decodePicture(std::as_bytes(std::span(bytes)), "picture", limits).image;
}

/// The message of the error that decoding throws; empty = none.
std::string failureOf(const std::string& bytes, const PictureLimits& limits = {}) {
  try {
    decoded(bytes, limits);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

/// A small WebP file.
std::string webp() {
  return readFile(LAMBDA_TEST_DATA "/fuzz/pictures/rgb.webp", 1 << 20);
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// An image of smooth waves, which JPEG compresses with little error.
Image waves(int width, int height) {
  Image image{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      image.rgb.push_back(static_cast<std::uint8_t>(128 + 100 * std::sin(x * 0.1)));
      image.rgb.push_back(static_cast<std::uint8_t>(128 + 100 * std::sin(y * 0.1)));
      image.rgb.push_back(static_cast<std::uint8_t>(128 + 100 * std::sin((x + y) * 0.05)));
    }
  }
  return image;
}

}  // namespace

class TestPictures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pngKeepsEveryPixel();
  void jpegKeepsWhatPeopleSee();
  void cutOffPicturesAreRefused();
  void damagedPicturesNeverCrash();
  void largePicturesAreRefusedByTheirHeader();
  void otherFilesAreRefusedAndNamed();
  void everyKindIsReadAsByPillowAndTheExport();
  void turnedAndTransparentPicturesAreMarked();
  void aPictureOfTheRightSizeIsKept();
  void theMiddleSquareIsCutOut();
  void makingSmallerAveragesAndDoesNotAlias();
  void aRampStaysARamp();
};

void TestPictures::pngKeepsEveryPixel() {
  const Image image = waves(37, 21);
  QVERIFY(decoded(encodePng(image)) == image);
}

void TestPictures::jpegKeepsWhatPeopleSee() {
  const Image image = waves(64, 48);
  const Image read = decoded(jpegOf(image));
  QCOMPARE(read.width, 64);
  QCOMPARE(read.height, 48);
  double error = 0;
  for (std::size_t i = 0; i < image.rgb.size(); ++i) {
    error += std::abs(int{image.rgb[i]} - int{read.rgb[i]});
  }
  QVERIFY(error / static_cast<double>(image.rgb.size()) < 3);
}

void TestPictures::cutOffPicturesAreRefused() {
  for (const std::string& whole : {jpegOf(waves(64, 48)), encodePng(waves(64, 48)), webp()}) {
    for (const double share : {0.3, 0.6, 0.9}) {
      const auto length = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
      QVERIFY2(has(failureOf(whole.substr(0, length)), "damaged"), std::to_string(share).c_str());
    }
  }
}

void TestPictures::damagedPicturesNeverCrash() {
  int refused = 0;
  for (const std::string& whole : {jpegOf(waves(40, 30)), encodePng(waves(40, 30)), webp()}) {
    for (std::size_t at = 3; at < whole.size(); at += 7) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
      refused += failureOf(damaged).empty() ? 0 : 1;
    }
  }
  QVERIFY(refused > 0);
}

void TestPictures::largePicturesAreRefusedByTheirHeader() {
  const PictureLimits narrow{.side = 63, .pixels = 1 << 20};
  const PictureLimits few{.side = 1000, .pixels = 64 * 48 - 1};
  const PictureLimits enough{.side = 64, .pixels = 64 * 48};
  for (const std::string& whole : {jpegOf(waves(64, 48)), encodePng(waves(64, 48))}) {
    QVERIFY(has(failureOf(whole, narrow), "64x48 pixels, more than are decoded"));
    QVERIFY(has(failureOf(whole, few), "64x48 pixels, more than are decoded"));
    QVERIFY(failureOf(whole, enough).empty());
  }
}

void TestPictures::otherFilesAreRefusedAndNamed() {
  QVERIFY(has(failureOf(""), "the file is empty"));
  QVERIFY(has(failureOf("some text"), "is no JPEG, PNG or WebP picture"));
  QVERIFY(has(failureOf("GIF89a..."), "is a GIF picture, not a JPEG"));
  QVERIFY(has(failureOf("BM..."), "is a BMP picture"));
  QVERIFY(has(failureOf(std::string("II*\0........", 12)), "is a TIFF picture"));
  QVERIFY(has(failureOf("....ftypheic"), "is a HEIC picture"));
  QVERIFY(has(failureOf("\n<!DOCTYPE html><html>"), "is a web page (HTML)"));
  QVERIFY(has(failureOf("<?xml version=\"1.0\"?><svg>"), "is an SVG drawing"));
  QVERIFY(has(failureOf("RIFF....WEBPVP8 "), "the WebP is damaged or cut off"));
}

void TestPictures::everyKindIsReadAsByPillowAndTheExport() {
  // Debian's Pillow has the libraries of this program, so that not a bit may differ.
  const test::TestPython python(QStringLiteral("/usr/bin/python3"));
  const QString missing = python.missing({QStringLiteral("PIL")});
  if (!missing.isEmpty()) QSKIP(qPrintable(missing));
  const TemporaryFolder folder;
  writeFileDurably(folder.path() / "network.py", std::string(pythonNetwork()));
  const std::filesystem::path pictures = folder.path() / "pictures";
  const test::PythonOutcome outcome =
      python.run("make_pictures.py", {folder.path() / "network.py", pictures});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  int compared = 0;
  std::string other;
  for (const auto& entry : std::filesystem::directory_iterator(pictures)) {
    if (entry.path().extension() == ".rgb") continue;
    const std::string expected = readFile(entry.path().string() + ".rgb", 1 << 20);
    const Image image = decoded(readFile(entry.path(), 1 << 20));
    const std::string read = std::to_string(image.width) + " " + std::to_string(image.height) +
                             "\n" + std::string(image.rgb.begin(), image.rgb.end());
    ++compared;
    if (read != expected) other += entry.path().filename().string() + " ";
  }
  QCOMPARE(other, std::string());
  QVERIFY2(compared > 200, std::to_string(compared).c_str());
  const Image sixteen = decoded(readFile(pictures / "sixteen-32768.png", 1 << 20));
  QVERIFY(std::ranges::all_of(sixteen.rgb, [](std::uint8_t value) { return value == 128; }));
}

void TestPictures::turnedAndTransparentPicturesAreMarked() {
  const auto marks = [](const std::string& name) {
    const std::string bytes =
        readFile(std::filesystem::path(LAMBDA_TEST_DATA "/fuzz/pictures") / name, 1 << 20);
    const Picture picture = decodePicture(std::as_bytes(std::span(bytes)), name);
    return std::pair(picture.isTurned, picture.isTransparent);
  };
  QCOMPARE(marks("rgb.png"), std::pair(false, false));
  QCOMPARE(marks("rgb.webp"), std::pair(false, false));
  QCOMPARE(marks("turned.jpg"), std::pair(true, false));
  QCOMPARE(marks("turned.webp"), std::pair(true, false));
  QCOMPARE(marks("turned.png"), std::pair(true, false));
  QCOMPARE(marks("alpha.png"), std::pair(false, true));
}

void TestPictures::aPictureOfTheRightSizeIsKept() {
  const Image image = waves(24, 24);
  const std::vector<std::uint8_t> planes = resizedToSquare(image, 24);
  for (std::size_t i = 0; i < 24 * 24; ++i) {
    for (std::size_t c = 0; c < 3; ++c) QCOMPARE(planes[c * 576 + i], image.rgb[3 * i + c]);
  }
}

void TestPictures::theMiddleSquareIsCutOut() {
  // Columns 0 to 7 are black, 8 to 15 white, 16 to 23 black.
  Image image = plainPicture(24, 8, 0, 0, 0);
  for (std::size_t y = 0; y < 8; ++y) {
    std::fill_n(image.rgb.begin() + static_cast<std::ptrdiff_t>(3 * (24 * y + 8)), 24, 255);
  }
  const std::vector<std::uint8_t> planes = resizedToSquare(image, 8);
  QVERIFY(std::ranges::all_of(planes, [](std::uint8_t p) { return p == 255; }));
}

void TestPictures::makingSmallerAveragesAndDoesNotAlias() {
  // A pattern finer than the result's pixels must become its mean at any phase.
  Image image{256, 256, {}};
  for (int i = 0; i < 256 * 256; ++i) {
    const auto value = static_cast<std::uint8_t>((i % 2 + i / 256 % 2) % 2 ? 255 : 0);
    image.rgb.insert(image.rgb.end(), 3, value);
  }
  for (const std::uint8_t pixel : resizedToSquare(image, 24)) {
    QVERIFY2(pixel >= 126 && pixel <= 129, std::to_string(pixel).c_str());
  }
}

void TestPictures::aRampStaysARamp() {
  Image image{128, 128, {}};
  for (int i = 0; i < 128 * 128; ++i) {
    image.rgb.insert(image.rgb.end(), 3, static_cast<std::uint8_t>(2 * (i % 128)));
  }
  // Away from the border, a pixel of the result is the mean of the pixels that it covers.
  const std::vector<std::uint8_t> smaller = resizedToSquare(image, 32);
  for (std::size_t x = 1; x < 31; ++x) QCOMPARE(int{smaller[16 * 32 + x]}, int(8 * x + 3));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestPictures)
#include "tst_pictures.moc"
