#include "app/train/data/class_examples.h"

#include <exception>

#include "engine/data/sources/data_sources.h"
#include "widgets/pictures/images/image_conversion.h"

namespace lambda {

ClassExamples readClassExamples(const DataSource& source, int count) {
  ClassExamples examples;
  try {
    const LabeledImages all = readTrainingImages(source).train;
    examples.ofClass.resize(all.classNames.size());
    for (std::size_t i = 0; i < all.labels.size(); ++i) {
      std::vector<QImage>& ofClass = examples.ofClass[all.labels[i]];
      if (ofClass.size() < static_cast<std::size_t>(count)) {
        ofClass.push_back(thumbnailAt(all, i));
      }
    }
  } catch (const std::exception& error) {
    examples = {};
    examples.problem = QString::fromStdString(error.what());
  }
  return examples;
}

}  // namespace lambda
