#pragma once

#include <cstdint>

#include "engine/values/architecture/architecture.h"

namespace lambda {

// Operations on the tones of an 8-bit image [c, h, w], in place, as in the TensorFlow source of
// RandAugment (Cubuk et al., 2020). Fractions are cut off, as there.

/// Stretches each channel to 0 to 255; a channel of one tone stays.
void autoContrast(const MapShape& shape, std::uint8_t* image);

/// Makes the histogram of each channel even.
void equalize(const MapShape& shape, std::uint8_t* image);

void invert(const MapShape& shape, std::uint8_t* image);

/// Keeps the `bits` most significant bits, 0 to 8.
void posterize(const MapShape& shape, int bits, std::uint8_t* image);

/// Inverts the tones from `threshold` on.
void solarize(const MapShape& shape, int threshold, std::uint8_t* image);

/// Adds `addition` to the tones below 128.
void solarizeAdd(const MapShape& shape, int addition, std::uint8_t* image);

// The next four blend the image with a poorer one: factor 0 gives the poorer one, 1 the image, and
// more than 1 exaggerates the difference.

/// Blends with the grey image. An image that has not three channels stays.
void changeColor(const MapShape& shape, double factor, std::uint8_t* image);

/// Blends with the mean of the grey image, which PIL and the paper's first source use; the
/// TensorFlow source divides the number of pixels by 256 instead, which depends on the image size.
void changeContrast(const MapShape& shape, double factor, std::uint8_t* image);

/// Blends with black.
void changeBrightness(const MapShape& shape, double factor, std::uint8_t* image);

/// Blends with the image smoothed by a 3x3 kernel of ones with 5 in its centre. Pixels at the edge
/// stay.
void changeSharpness(const MapShape& shape, double factor, std::uint8_t* image);

}  // namespace lambda
