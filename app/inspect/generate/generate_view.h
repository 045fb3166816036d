#pragma once

#include <QWidget>

#include "app/inspect/feed/inspection_source.h"
#include "app/session/engine_calls.h"
#include "widgets/forms/field_rows.h"
#include "widgets/work/work.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace lambda {

class ElidedLabel;
class FieldForm;
class GeneratedText;
class GenerationClock;
class GenerationService;
class Segmented;
struct GenerationNews;

/// Lets a network of tokens continue a prompt: the prompt and how tokens are drawn at the left, the
/// text as it comes at the right, with the probability of each character.
class GenerateView : public QWidget {
  Q_OBJECT

 public:
  explicit GenerateView(GenerationService& service, QWidget* parent = nullptr);

  /// The weights from now on. Those of another network or checkpoint end the text.
  void setSource(const InspectionSource& source);

  bool isWriting() const { return isWriting_; }

  /// Begins a text, or ends the one that is being written.
  void startOrStop();

  /// The number of tokens, for the line at the top; empty before the first text.
  QString status() const;

  /// What stands below the view: the character under the pointer, and what the colours mean.
  QWidget* footer() const { return footer_; }

 Q_SIGNALS:
  void writingChanged(bool isWriting);
  void statusChanged();
  /// A person wants to know what the network looked at as it drew a token: the tokens up to that
  /// one, as many as the network takes.
  void lookRequested(const std::vector<std::int64_t>& tokens);

 private:
  QWidget* makeControls();
  QWidget* makeText();
  void makeFooter();
  void showForm();
  void edit(const std::string& path, const FieldValue& value);
  void start();
  void look(std::size_t token);
  void take(const GenerationNews& news);
  void end();
  void fail(const QString& reason);
  void measureBound();
  void showState();

  GenerationService& service_;
  InspectionSource source_;
  GenerationOptions options_;
  std::optional<GenerationFacts> facts_;  ///< Those of the shown text; none before it.
  std::int64_t asked_ = 0;                ///< Its tokens when it is complete,
  std::int64_t drawn_ = 0;                ///< and now.
  bool isWriting_ = false;

  QPlainTextEdit* prompt_;
  FieldForm* form_;
  Segmented* reading_;
  QPushButton* start_;
  QLabel* problem_;
  GenerationClock* clock_;
  GeneratedText* text_;
  QToolButton* copy_;
  QWidget* footer_;
  ElidedLabel* readout_;
  Work writing_{*this};
  Work bound_{*this};
};

}  // namespace lambda
