#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lambda {

/// A line of a file of predictions: what a network predicts for one image.
struct ImagePrediction {
  std::uint16_t label = 0;       ///< The class that the image has in the data.
  std::uint16_t prediction = 0;  ///< The most probable class.
  double probability = 0;        ///< Of that class, 0..1.
};

/// The first line of a file of predictions, which names its columns: index, label, prediction, loss
/// and the probability of each class. It ends in "\n".
std::string predictionsHead(const std::vector<std::string>& classNames);

/// Reads predictions in CSV, as `lambda export --to predictions` writes them, of `count` images
/// with these classes, which the file may have in another order. The lines may be in any order.
/// Returns the prediction of each image, by its index. Throws Error, naming the file and the line,
/// for other classes, images that are missing or listed twice, classes and numbers out of their
/// range, probabilities whose sum is not 1, and a prediction that is not the most probable class.
std::vector<ImagePrediction> readPredictionsCsv(const std::filesystem::path& file,
                                                const std::vector<std::string>& classNames,
                                                std::size_t count);

}  // namespace lambda
