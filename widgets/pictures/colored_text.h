#pragma once

#include <optional>
#include <vector>

#include <QString>
#include <QWidget>

#include "engine/values/inspection/colormap.h"
#include "widgets/export/exportable.h"

namespace lambda {

/// A token as a ColoredText draws and describes it.
struct ShownToken {
  QString label;            ///< One visible word, most often one character.
  QString name;             ///< In tooltips and for screen readers: "line break".
  bool endsLine = false;    ///< What follows begins a line.
  bool isBreakable = true;  ///< A line may end behind it.
  bool isFaint = false;     ///< The label stands for what is not seen, such as a space.

  bool operator==(const ShownToken&) const = default;
};

/// A value of each token from the first one to the chosen one.
struct TokenValues {
  std::vector<float> values = {};
  ColorMap map = ColorMap::diverging;
  ColorRange range = {};
  QString quantity = {};  ///< In the read-out: "A total".

  bool operator==(const TokenValues&) const = default;
};

/// A text of tokens, one cell each, in a font whose characters have one width. Lines are wrapped.
/// The colour behind a token is its value; those behind the chosen token have none. A click or the
/// arrow keys choose a token: left and right the one beside it, up and down the one above or below,
/// Home and End those at the ends of the text.
class ColoredText : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit ColoredText(QWidget* parent = nullptr);

  /// The tokens, none of them chosen and without values.
  void setTokens(std::vector<ShownToken> tokens);

  const std::vector<ShownToken>& tokens() const { return tokens_; }

  void setValues(TokenValues values);

  const TokenValues& values() const { return values_; }

  /// Frames a token and makes it the place of the arrow keys; -1 = none. Sends no signal.
  void setChosen(int token);

  int chosen() const { return chosen_; }

  /// The token at a point of the widget; -1 = none.
  int tokenAt(const QPointF& at) const;
  QRectF cellOf(int token) const;

  /// "12: line break, A total 0.031"
  QString readoutOf(int token) const;

  /// Stem of exported files, and what the picture shows.
  void setExport(const QString& name, const QString& caption);

  QString exportName() const override { return exportName_; }

  QString exportCaption() const override { return exportCaption_; }

  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  bool hasHeightForWidth() const override { return true; }

  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// A person has chosen a token.
  void tokenChosen(int token);
  /// The chosen token has another place.
  void chosenMoved(const QRectF& cell);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::vector<QRectF> cellsFor(double width) const;
  void arrange();
  void choose(int token);
  int tokenBeside(int lines) const;
  void setHovered(int token);

  std::vector<ShownToken> tokens_;
  TokenValues values_;
  std::vector<QRectF> cells_;  ///< Of the tokens in the widget.
  int chosen_ = -1;
  int hovered_ = -1;
  QString exportName_ = QStringLiteral("text");
  QString exportCaption_;
};

/// The colour behind a token: that of the map, but for signed values the ground, the more of one of
/// the map's two colours the greater the value, so that 0 has no colour in a dark window too.
QColor tokenColor(const TokenValues& values, float value, const Colors& colors);

/// The colours between the numbers of their ends, one line of small text high.
class ColoredTextScale : public QWidget {
 public:
  explicit ColoredTextScale(QWidget* parent = nullptr);

  void setValues(ColorMap map, const ColorRange& range);

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  TokenValues scale_;
};

}  // namespace lambda
