#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <QColor>
#include <QTextEdit>

#include "engine/data/sequences/token_text.h"
#include "engine/trained/generator.h"

class QMimeData;

namespace lambda {

struct Colors;

/// The ground of a character with this probability, 0..1: none at 1, strong at 0.
QColor probabilityColor(const Colors& colors, double probability);

/// A text that a network writes: what it was given is dimmed, and each character that it drew has
/// the colour of its probability. The character under the pointer or behind the text cursor is
/// described by readoutChanged() and in a tool tip.
class GeneratedText : public QTextEdit {
  Q_OBJECT

 public:
  explicit GeneratedText(QWidget* parent = nullptr);

  /// Begins anew. `given`: the tokens that the network continues.
  void begin(const TokenText& tokens, std::vector<std::int64_t> given);

  void add(std::span<const GeneratedToken> drawn);

  /// Shows the bytes at the end that are no whole character.
  void finish();

  /// What was given and drawn, without the marks that are shown in it.
  QString plainText() const;

  /// What was given, and what was drawn.
  std::vector<std::int64_t> tokens() const;

  /// The ground of the character at a place of what is shown, for tests.
  QColor groundAt(int position) const;

 Q_SIGNALS:
  /// What is known about a character; empty = none is meant.
  void readoutChanged(const QString& text);
  /// A person has clicked a character, or pressed Enter at it: the index of its first token among
  /// tokens().
  void tokenChosen(std::size_t token);

 protected:
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  QMimeData* createMimeDataFromSelection() const override;

 private:
  /// A character with its tokens.
  struct Piece {
    int end = 0;         ///< The place behind it in the document.
    std::size_t first;   ///< Its first token in drawn_.
    std::size_t behind;  ///< The token behind its last.
    QString text;
  };

  void rewrite();
  void append(const QString& text, std::size_t behind);
  const Piece* pieceAt(int position) const;
  const Piece* pieceAt(const QPoint& place) const;
  std::span<const GeneratedToken> tokensOf(const Piece& piece) const;
  QStringList factsOf(const Piece* piece) const;
  void choose(const Piece* piece);

  TokenText tokens_;
  std::optional<TokenWriter> writer_;
  std::vector<std::int64_t> given_;
  std::vector<GeneratedToken> drawn_;
  bool isFinished_ = false;
  int givenEnd_ = 0;  ///< The place behind what was given.
  std::vector<Piece> pieces_;
};

}  // namespace lambda
