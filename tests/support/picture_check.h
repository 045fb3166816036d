#pragma once

#include <QImage>
#include <QString>

namespace lambda::test {

/// How far apart two pictures of one size are: the mean difference of their channels, 0..255. They
/// are compared at a sixteenth of their size, so that the shape of a letter does not count and the
/// place of a panel does.
double distanceBetween(const QImage& a, const QImage& b);

/// Compares a picture with the one kept as tests/data/pages/NAME.png. Returns an empty text, or
/// what is different and what to do: with LAMBDA_WRITE_PICTURES set the kept one is written
/// instead, to be looked at and committed.
QString differenceFromKept(const QImage& picture, const QString& name);

}  // namespace lambda::test
