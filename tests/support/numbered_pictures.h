#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/formats/inspection/png.h"
#include "engine/values/config/run_config.h"
#include "tests/support/tiny_run.h"

namespace lambda {

/// Writes pictures of 16x16 pixels with a bright bar of a width from 1 to 14 and a brightness, and
/// numbers.csv, which lists both for each picture. Of `count` pictures a tenth is for the test.
inline std::filesystem::path writeNumberedPictures(const std::filesystem::path& folder, int count) {
  constexpr int kSide = 16;
  std::filesystem::create_directories(folder / "pictures");
  const std::filesystem::path file = folder / "numbers.csv";
  std::ofstream csv(file);
  csv << "picture,width,split,brightness\n";
  for (int i = 0; i < count; ++i) {
    const int width = 1 + i % 14, brightness = 120 + i * 37 % 130;
    Image image{kSide, kSide, std::vector<std::uint8_t>(3 * kSide * kSide, 20)};
    for (int row = 0; row < kSide; ++row) {
      for (int channel = 0; channel < 3 * width; ++channel) {
        image.rgb[static_cast<std::size_t>(3 * kSide * row + 3 + channel)] =
            static_cast<std::uint8_t>(brightness);
      }
    }
    const std::string name = "pictures/" + std::to_string(i) + ".png";
    writePng(folder / name, image);
    csv << name << ',' << width << ',' << (i % 10 == 9 ? "test" : "") << ',' << brightness / 100.0
        << '\n';
  }
  return file;
}

/// A run that learns these numbers.
inline RunConfig regressionRun(const std::filesystem::path& file) {
  RunConfig config = tinyRun();
  config.name = "bars";
  config.data.source = PictureNumbersSource{.path = file.string(), .size = 16};
  config.architecture.task = Task::regression;
  config.architecture.outputs = 2;
  config.architecture.input = {3, 16, 16};
  config.data.validationCount = 40;
  config.recipe.epochs = 12;
  config.recipe.batchSize = 20;
  return config;
}

}  // namespace lambda
