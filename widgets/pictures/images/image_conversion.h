#pragma once

#include <cstddef>

#include <QImage>

#include "engine/values/images/image.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// A picture for Qt to draw; null for one without size.
QImage toQImage(const Image& image);

/// One image of a set, grey ones in three equal channels; null for an index outside the set.
Image imageAt(const LabeledImages& images, std::size_t index);
QImage thumbnailAt(const LabeledImages& images, std::size_t index);

/// Any picture as an input of this size: its middle is cut out in the input's proportions and
/// scaled without distortion; transparent parts become white.
Image fittedPicture(const QImage& picture, int width, int height);

}  // namespace lambda
