#pragma once

#include <QTimer>

#include "app/inspect/modes/inspect_mode.h"
#include "app/session/inspection/checkpoint_service.h"
#include "engine/values/inspection/token_inspection.h"

namespace lambda {

class TextDeck;
class TextPicker;

/// A text through the chosen weights of a network of tokens. While one trains, the weights are
/// those of its best checkpoint so far.
class TextMode : public InspectMode {
  Q_OBJECT

 public:
  /// `checkpoints` outlives the mode.
  explicit TextMode(CheckpointService& checkpoints, QObject* parent = nullptr);

  TextDeck& deck() { return *deck_; }

  TextPicker& picker() { return *picker_; }

  /// The choice of layer, text and token.
  const TokenInspectionRequest& request() const { return request_; }

  void chooseLayer(const std::string& layer);
  void choosePosition(int token);
  void chooseSequence(Split split, std::uint64_t sequence);

  /// The person's own text; empty = the run's.
  void chooseText(const QString& text);

  /// Shows what the network looked at where it predicted the last of these tokens, of which there
  /// are at least two.
  void choosePrediction(const std::vector<std::int64_t>& tokens);

  Parts parts() override;
  void setSource(const InspectionSource& source) override;
  void show(const InspectSelection& selection) override;
  void setInView(bool isInView) override;
  QString status() const override;

 Q_SIGNALS:
  void otherRunRequested();

 private:
  void ask();
  void take(const TokensPointer& snapshot);
  void fail(const QString& reason);
  void endWaiting();
  void followTraining();

  CheckpointService& checkpoints_;
  InspectionSource source_;
  TokenInspectionRequest request_;
  TokensPointer snapshot_;
  bool isInView_ = false;
  TextDeck* deck_;      ///< Belongs to the page that shows it.
  TextPicker* picker_;  ///< Likewise.
  Work inspection_{*this};
  QTimer busyTimer_;
  QTimer liveTimer_;
};

}  // namespace lambda
