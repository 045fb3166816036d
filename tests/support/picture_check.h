#pragma once

#include <QImage>
#include <QString>

namespace lambda::test {

/// The mean absolute difference of the channels of two pictures of the same size, 0..255. They are
/// compared at a sixteenth of their size, so that the place of a panel matters but not the shape of
/// a letter.
double distanceBetween(const QImage& a, const QImage& b);

/// Compares a picture with the stored tests/data/pages/NAME.png. Returns an empty text if they
/// match, else the difference and what to do. If LAMBDA_WRITE_PICTURES is set, it writes the stored
/// picture instead, so that a developer can check and commit it.
QString differenceFromKept(const QImage& picture, const QString& name);

}  // namespace lambda::test
