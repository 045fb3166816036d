#pragma once

#include <vector>

#include "app/inspect/text/text_panels.h"
#include "widgets/theme/grip_splitter.h"

class QAction;
class QFrame;
class QSettings;
class QStackedWidget;
class QTabWidget;

namespace lambda {

class EmptyState;
class FittedArea;
class LayerList;
class TextPanel;
class TokenMapPanel;
class KeptPanel;
class ChannelsPanel;

/// The parts of the page for a network of tokens: its layers at the left, the text in the middle,
/// and beside it the map of all tokens, what the layer keeps, and its channels. All show one state.
class TextDeck : public GripSplitter {
  Q_OBJECT

 public:
  explicit TextDeck(QWidget* parent = nullptr);

  LayerList& layers() { return *layers_; }

  TextPanel& text() { return *text_; }

  TokenMapPanel& map() { return *map_; }

  KeptPanel& kept() { return *kept_; }

  ChannelsPanel& channels() { return *channels_; }

  void setLayers(const std::vector<InspectableLayer>& layers);

  /// Null = there is nothing to show yet.
  void setSnapshot(const TokensPointer& snapshot);

  ContributionKind quantity() const { return state_.quantity; }

  void setQuantity(ContributionKind quantity);
  void setHead(int head);

  /// Shows why there is nothing else to show.
  void showFailure(const QString& title, const QString& reason);
  bool showsFailure() const;

  QList<QAction*> panelActions() const;
  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 Q_SIGNALS:
  void positionChosen(int token);
  void retryRequested();
  void otherRunRequested();

 private:
  void showState();
  void addPanel(TextSidePanel* panel, const QString& title);

  TextState state_;
  QFrame* left_;
  LayerList* layers_;
  QStackedWidget* middle_;
  TextPanel* text_;
  FittedArea* textArea_;
  EmptyState* failure_;
  QTabWidget* tabs_;
  TokenMapPanel* map_;
  KeptPanel* kept_;
  ChannelsPanel* channels_;
  std::vector<TextSidePanel*> panels_;  ///< In the order of their tabs.
};

}  // namespace lambda
