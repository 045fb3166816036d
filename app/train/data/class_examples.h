#pragma once

#include <vector>

#include <QImage>
#include <QString>

#include "engine/values/config/data_source.h"

namespace lambda {

/// The first training images of each class.
struct ClassExamples {
  std::vector<std::vector<QImage>> ofClass;  ///< In the order of the labels.
  QString problem;                           ///< Why there are no images.
};

/// Reads the training images and keeps at most `count` of each class. Blocks; never throws.
ClassExamples readClassExamples(const DataSource& source, int count);

}  // namespace lambda
