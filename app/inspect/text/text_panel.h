#pragma once

#include "app/inspect/text/text_panels.h"
#include "widgets/pictures/explanation.h"

class QComboBox;
class QLabel;

namespace lambda {

class BarList;
class ColoredText;
class ColoredTextScale;
class ContributionFacts;
class EquationView;
class FittedArea;
class Segmented;

/// The text, coloured by what each token adds to the output at the chosen one, the proof that this
/// is all of it, and the probabilities of the next token.
class TextPanel : public Panel {
  Q_OBJECT

 public:
  explicit TextPanel(QWidget* parent = nullptr);

  ColoredText& text() { return *text_; }

  BarList& next() { return *next_; }

  ContributionFacts& facts() { return *facts_; }

  /// "Token 12, “e”. Next: “r” 34.5 %, truly “s” 12.1 %."
  QString sentence() const;

  void show(const TextState& state);

  std::vector<const Exportable*> exports() const;
  QList<QAction*> panelActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  void positionChosen(int token);
  void quantityChosen(lambda::ContributionKind quantity);
  void headChosen(int head);

 private:
  void makeActions();
  void showHeads(int heads);
  void showNext();
  ExplanationText explanation() const;

  TextState state_;
  QList<QAction*> actions_;
  Segmented* quantities_;
  QComboBox* heads_;
  QLabel* sentence_;
  EquationView* equation_;
  ColoredText* text_;
  FittedArea* textArea_;
  ColoredTextScale* scale_;
  ContributionFacts* facts_;
  BarList* next_;
};

}  // namespace lambda
