#include "app/generated/generated_text.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <QHelpEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTextDocumentFragment>
#include <QToolTip>

#include "app/generated/token_words.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The share of the strongest colour: text on it has a contrast of at least 4.5:1.
constexpr double kStrongest = 0.45;

TokenText bytesText() {
  return {TextSource(), TextSource::vocabulary};
}

}  // namespace

QColor probabilityColor(const Colors& colors, double probability) {
  return blended(colors.raised, colors.warning, kStrongest * (1 - probability));
}

GeneratedText::GeneratedText(QWidget* parent) : QTextEdit(parent), tokens_(bytesText()) {
  writer_.emplace(tokens_);
  setReadOnly(true);
  setUndoRedoEnabled(false);
  setAcceptRichText(false);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setTabChangesFocus(true);
  viewport()->setMouseTracking(true);
  setAccessibleName(u"Text of the network"_s);
  connect(this, &QTextEdit::cursorPositionChanged, this, [this] {
    if (hasFocus()) {
      Q_EMIT readoutChanged(factsOf(pieceAt(textCursor().position())).join(u" · "_s));
    }
  });
  onPaletteChange(*this, [this] { rewrite(); });
}

void GeneratedText::begin(const TokenText& tokens, std::vector<std::int64_t> given) {
  tokens_ = tokens;
  given_ = std::move(given);
  drawn_.clear();
  isFinished_ = false;
  rewrite();
  Q_EMIT readoutChanged({});
}

void GeneratedText::add(std::span<const GeneratedToken> drawn) {
  QScrollBar& bar = *verticalScrollBar();
  const bool isAtEnd = bar.value() == bar.maximum();
  QTextCursor edited(document());
  edited.beginEditBlock();  // The text is laid out once for all of them.
  for (const GeneratedToken& token : drawn) {
    drawn_.push_back(token);
    append(QString::fromStdString(writer_->add(token.token)), drawn_.size());
  }
  edited.endEditBlock();
  if (isAtEnd) bar.setValue(bar.maximum());
}

void GeneratedText::finish() {
  isFinished_ = true;
  append(QString::fromStdString(writer_->finish()), drawn_.size());
}

/// Writes the whole text, with the colours of the theme.
void GeneratedText::rewrite() {
  clear();
  pieces_.clear();
  writer_.emplace(tokens_);
  std::string given;
  for (const std::int64_t token : given_) given += writer_->add(token);
  QTextCharFormat dimmed;
  dimmed.setForeground(colorsOf(*this).textSecondary);
  QTextCursor cursor(document());
  cursor.insertText(shownText(QString::fromStdString(given)), dimmed);
  givenEnd_ = cursor.position();
  moveCursor(QTextCursor::Start);
  add(std::exchange(drawn_, {}));
  if (isFinished_) finish();
}

void GeneratedText::append(const QString& text, std::size_t behind) {
  if (text.isEmpty()) return;
  const std::size_t first = pieces_.empty() ? 0 : pieces_.back().behind;
  Piece piece{.first = first, .behind = behind, .text = text};
  const Colors& colors = colorsOf(*this);
  QTextCharFormat format;
  format.setForeground(colors.text);
  format.setBackground(probabilityColor(colors, probabilityOf(tokensOf(piece))));
  QTextCursor cursor(document());
  cursor.movePosition(QTextCursor::End);
  cursor.insertText(shownText(text), format);
  piece.end = cursor.position();
  pieces_.push_back(std::move(piece));
}

QString GeneratedText::plainText() const {
  TokenWriter writer(tokens_);
  std::string text;
  for (const std::int64_t token : given_) text += writer.add(token);
  for (const GeneratedToken& token : drawn_) text += writer.add(token.token);
  return QString::fromStdString(text + writer.finish());
}

std::vector<std::int64_t> GeneratedText::tokens() const {
  std::vector<std::int64_t> tokens = given_;
  for (const GeneratedToken& token : drawn_) tokens.push_back(token.token);
  return tokens;
}

QColor GeneratedText::groundAt(int position) const {
  QTextCursor cursor(document());
  cursor.setPosition(position + 1);
  return cursor.charFormat().background().color();
}

std::span<const GeneratedToken> GeneratedText::tokensOf(const Piece& piece) const {
  return std::span(drawn_).subspan(piece.first, piece.behind - piece.first);
}

const GeneratedText::Piece* GeneratedText::pieceAt(int position) const {
  if (position < givenEnd_) return nullptr;
  const auto found = std::ranges::upper_bound(pieces_, position, {}, &Piece::end);
  return found == pieces_.end() || found->first == found->behind ? nullptr : &*found;
}

const GeneratedText::Piece* GeneratedText::pieceAt(const QPoint& place) const {
  // The cursor is placed between two characters, of which the place lies in one.
  const QTextCursor cursor = cursorForPosition(place);
  const QRect rect = cursorRect(cursor);
  if (place.y() < rect.top() || place.y() > rect.bottom()) return nullptr;
  if (cursor.atBlockEnd() && place.x() > rect.right()) return nullptr;
  return pieceAt(cursor.position() - (place.x() < rect.left() ? 1 : 0));
}

QStringList GeneratedText::factsOf(const Piece* piece) const {
  if (!piece) return {};
  QStringList facts{probabilityText(piece->text, tokensOf(*piece), tokens_.isOfBytes())};
  const QString likeliest = likeliestText(tokensOf(*piece), tokens_.isOfBytes());
  if (!likeliest.isEmpty()) facts << u"likeliest: %1"_s.arg(likeliest);
  return facts;
}

void GeneratedText::mouseMoveEvent(QMouseEvent* event) {
  QTextEdit::mouseMoveEvent(event);
  Q_EMIT readoutChanged(factsOf(pieceAt(event->position().toPoint())).join(u" · "_s));
}

void GeneratedText::choose(const Piece* piece) {
  if (piece) Q_EMIT tokenChosen(given_.size() + piece->first);
}

/// A drag selects text.
void GeneratedText::mouseReleaseEvent(QMouseEvent* event) {
  QTextEdit::mouseReleaseEvent(event);
  if (event->button() != Qt::LeftButton || textCursor().hasSelection()) return;
  choose(pieceAt(event->position().toPoint()));
}

void GeneratedText::keyPressEvent(QKeyEvent* event) {
  QTextEdit::keyPressEvent(event);
  const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (isEnter && event->modifiers() == Qt::NoModifier) choose(pieceAt(textCursor().position()));
}

void GeneratedText::leaveEvent(QEvent* event) {
  QTextEdit::leaveEvent(event);
  Q_EMIT readoutChanged({});
}

bool GeneratedText::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QTextEdit::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString facts = factsOf(pieceAt(help->pos())).join(u'\n');
  if (facts.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), toolTipText(facts), viewport());
  }
  return true;
}

/// The text without the marks of line breaks.
QMimeData* GeneratedText::createMimeDataFromSelection() const {
  auto copied = std::make_unique<QMimeData>();
  copied->setText(textCursor().selection().toPlainText().replace(u"↵\n"_s, u"\n"_s));
  return copied.release();
}

}  // namespace lambda
