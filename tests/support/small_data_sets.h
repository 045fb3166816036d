#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <jpeglib.h>
#include <zlib.h>

#include "engine/formats/cifar/cifar_files.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/png.h"
#include "engine/values/images/image.h"

namespace lambda {

// ---- CIFAR-100 ----

inline CifarLayout cifar100WithImages(Cifar100Labels labels,
                                      std::size_t trainImages,
                                      std::size_t testImages) {
  CifarLayout layout = cifar100Layout(labels);
  layout.files[0].images = trainImages;
  layout.files[1].images = testImages;
  return layout;
}

/// A small CIFAR-100: two training images and one test image of each class.
inline CifarLayout smallCifar100Layout(Cifar100Labels labels) {
  return cifar100WithImages(labels, 200, 100);
}

/// Image i has the fine label i % 100, the coarse label i % 20, and pixels (seed + i + p) % 251.
inline std::string smallCifar100(std::size_t images, std::size_t seed) {
  std::string bytes;
  for (std::size_t i = 0; i < images; ++i) {
    bytes.push_back(static_cast<char>(i % 20));
    bytes.push_back(static_cast<char>(i % 100));
    for (std::size_t p = 0; p < 3072; ++p) {
      bytes.push_back(static_cast<char>((seed + i + p) % 251));
    }
  }
  return bytes;
}

/// Lines of the word and a number from 0, for example "fine 0", "fine 1", ...
inline std::string numberedLines(const std::string& word, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += word + " " + std::to_string(i) + "\n";
  return text;
}

inline void writeSmallCifar100(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  writeFileDurably(folder / "train.bin", smallCifar100(200, 0));
  writeFileDurably(folder / "test.bin", smallCifar100(100, 7));
  writeFileDurably(folder / "fine_label_names.txt", numberedLines("fine", 100));
  writeFileDurably(folder / "coarse_label_names.txt", numberedLines("coarse", 20));
}

// ---- IDX ----

inline void appendBigEndian(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift));
}

/// Images of height x width: pixel p of image i is (i + p) % 256.
inline std::string idxImages(std::uint32_t count, std::uint32_t height, std::uint32_t width) {
  std::string bytes{'\0', '\0', '\x08', '\x03'};
  for (const std::uint32_t side : {count, height, width}) appendBigEndian(bytes, side);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t p = 0; p < height * width; ++p) bytes.push_back(static_cast<char>(i + p));
  }
  return bytes;
}

/// Labels first, first + 1, ..., first + classes - 1, first, ...
inline std::string idxLabels(std::uint32_t count, std::uint32_t classes, std::uint32_t first = 0) {
  std::string bytes{'\0', '\0', '\x08', '\x01'};
  appendBigEndian(bytes, count);
  for (std::uint32_t i = 0; i < count; ++i) bytes.push_back(static_cast<char>(first + i % classes));
  return bytes;
}

inline std::string gzipped(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

/// Writes 60 training and 20 test images, grey, of 12 x 10 pixels in ten classes; the file of
/// training images is gzipped.
inline void writeSmallIdx(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  writeFileDurably(folder / "train-images-idx3-ubyte.gz", gzipped(idxImages(60, 12, 10)));
  writeFileDurably(folder / "train-labels-idx1-ubyte", idxLabels(60, 10));
  writeFileDurably(folder / "t10k-images-idx3-ubyte", idxImages(20, 12, 10));
  writeFileDurably(folder / "t10k-labels-idx1-ubyte", idxLabels(20, 10));
}

// ---- pictures ----

/// A picture of one colour.
inline Image plainPicture(
    int width, int height, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i) image.rgb.insert(image.rgb.end(), {red, green, blue});
  return image;
}

/// A JPEG file's bytes, quality 95.
inline std::string jpegOf(const Image& image) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<std::uint8_t*>(
        &image.rgb[std::size_t{3} * info.next_scanline * static_cast<std::size_t>(image.width)]);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string result(reinterpret_cast<char*>(bytes), size);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return result;
}

/// Writes two classes of plain pictures, "blue" and "red", as PNG and JPEG; `count` in each class.
inline void writePictures(const std::filesystem::path& folder, int count) {
  for (const bool isRed : {false, true}) {
    const std::filesystem::path place = folder / (isRed ? "red" : "blue");
    std::filesystem::create_directories(place);
    for (int i = 0; i < count; ++i) {
      const Image image = plainPicture(20 + i, 16, isRed ? 250 : 0, 0, isRed ? 0 : 250);
      const bool isJpeg = i % 2 == 1;
      writeFileDurably(place / (std::to_string(i) + (isJpeg ? ".JPG" : ".png")),
                       isJpeg ? jpegOf(image) : encodePng(image));
    }
  }
}

}  // namespace lambda
