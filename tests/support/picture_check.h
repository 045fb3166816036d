#pragma once

#include <QImage>
#include <QString>

namespace lambda::test {

/// The mean absolute difference of the channels of two pictures of the same size, 0..255. They are
/// compared at a sixteenth of their size, so that the place of a panel matters but not the shape of
/// a letter.
double distanceBetween(const QImage& a, const QImage& b);

/// Compares a picture with the stored tests/data/pages/NAME.png. Returns an empty text if they
/// match, else the difference and what to do.
///
/// Where this machine draws letters as the one that wrote the pictures did (tests/data/pages/
/// letters.png), every part of the picture must match, so that a changed word is found. Elsewhere
/// only the places of panels are compared.
///
/// If LAMBDA_WRITE_PICTURES is set, it writes the stored picture instead, so that a developer can
/// check and commit it. A picture that differs is written beside the test's other temporary files.
QString differenceFromKept(const QImage& picture, const QString& name);

}  // namespace lambda::test
