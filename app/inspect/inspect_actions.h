#pragma once

#include <array>

#include <QObject>

class QAction;
class QWidget;

namespace lambda {

/// The actions of the Inspect page that belong to no panel: their texts and keys. The page connects
/// what they do.
class InspectActions : public QObject {
  Q_OBJECT

 public:
  /// `page` outlives this.
  explicit InspectActions(QWidget& page);

  void updateIcons();

  /// Names the actions that choose an image, or another text where the network takes tokens.
  void nameFor(bool takesTokens);

  QAction* showLive;
  std::array<QAction*, 5> modes;  ///< In the order of InspectModeKind; one of them is checked.
  QAction* play;
  QAction* previousLayer;
  QAction* nextLayer;
  QAction* previousImage;
  QAction* nextImage;
  QAction* randomImage;
  QAction* wrongImages;
  QAction* ownPicture;

 private:
  QWidget& page_;
};

}  // namespace lambda
