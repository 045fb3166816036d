#include <algorithm>
#include <cmath>

#include <QtTest/QtTest>

#include "engine/formats/pictures/picture_decoding.h"
#include "engine/formats/pictures/picture_resizing.h"
#include "engine/runtime/error.h"
#include "tests/support/small_data_sets.h"

namespace lambda {

namespace {

Image decoded(const std::string& bytes, const PictureLimits& limits = {}) {
  return decodePicture(std::as_bytes(std::span(bytes)), "picture", limits);
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
  void otherFilesAreRefused();
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
  for (const std::string& whole : {jpegOf(waves(64, 48)), encodePng(waves(64, 48))}) {
    for (const double share : {0.3, 0.6, 0.9}) {
      const auto length = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
      QVERIFY2(has(failureOf(whole.substr(0, length)), "damaged"), std::to_string(share).c_str());
    }
  }
}

void TestPictures::damagedPicturesNeverCrash() {
  int refused = 0;
  for (const std::string& whole : {jpegOf(waves(40, 30)), encodePng(waves(40, 30))}) {
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

void TestPictures::otherFilesAreRefused() {
  QVERIFY(has(failureOf(""), "neither a JPEG nor a PNG"));
  QVERIFY(has(failureOf("GIF89a..."), "neither a JPEG nor a PNG"));
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
