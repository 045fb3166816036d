#pragma once

#include <functional>

#include <QImage>
#include <QString>

class QMimeData;
class QWidget;

namespace lambda {

// A person's own picture as the input of a network.

/// A picture file, or what is wrong with it.
struct OwnPicture {
  QImage image;
  QString name;     ///< Of the file, without its folder.
  QString problem;  ///< Empty = none.
};

OwnPicture readOwnPicture(const QString& path);

/// The file that a drop contains, if Qt may read it as a picture by its name; otherwise empty.
QString pictureIn(const QMimeData& data);

/// Asks for a picture file, without blocking: `chosen` gets its path.
void askForPicture(QWidget& parent, const std::function<void(const QString&)>& chosen);

}  // namespace lambda
