#pragma once

#include <functional>

#include <QString>

#include "engine/values/images/image.h"

class QMimeData;
class QWidget;

namespace lambda {

// A person's own picture as the input of a network.

/// The middle of a picture file, scaled to a network's input, or what is wrong with the file.
struct OwnPicture {
  Image image;
  QString name;     ///< Of the file, without its folder.
  QString problem;  ///< Empty = none.
};

OwnPicture readOwnPicture(const QString& path, int width, int height);

/// The file that a drop contains, if Qt may read it as a picture by its name; otherwise empty.
QString pictureIn(const QMimeData& data);

/// Asks for a picture file, without blocking: `chosen` gets its path.
void askForPicture(QWidget& parent, const std::function<void(const QString&)>& chosen);

}  // namespace lambda
