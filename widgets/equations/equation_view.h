#pragma once

#include <QStringList>
#include <QWidget>

class QLabel;
class QToolButton;

namespace lambda {

class FormulaLine;

/// An equation of a paper with what it says.
struct Equation {
  QStringList formulas;  ///< As Formula reads them; they stand in one line where they fit.
  QString number;        ///< At the right, as papers number equations: "(1)"; may be empty.
  QString source;        ///< Its name while it is folded away: "Equation 1 of the paper".
  QString explanation;   ///< One sentence.
  QString letters;       ///< What the letters are, with their sizes: "k = 16, v = 24".

  bool operator==(const Equation&) const = default;
};

/// An equation beside the picture that shows it. A click on its arrow folds it away.
class EquationView : public QWidget {
  Q_OBJECT

 public:
  explicit EquationView(QWidget* parent = nullptr);

  void setEquation(const Equation& equation);

  const Equation& equation() const { return equation_; }

  bool isOpen() const { return isOpen_; }

  void setOpen(bool open);

 private:
  void showEquation();

  Equation equation_;
  bool isOpen_ = true;
  QToolButton* toggle_;
  FormulaLine* formulas_;
  QLabel* number_;
  QLabel* text_;
};

}  // namespace lambda
