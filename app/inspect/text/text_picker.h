#pragma once

#include <cstdint>

#include <QWidget>

#include "engine/values/inspection/inspection.h"

class QAction;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace lambda {

/// Chooses a text for a network of tokens: a sequence of the run's data by its number, or one that
/// the person types.
class TextPicker : public QWidget {
  Q_OBJECT

 public:
  explicit TextPicker(QWidget* parent = nullptr);

  /// Buttons for what the page does with the sequences.
  void addButtons(const QList<QAction*>& actions);

  /// Whether tokens are the bytes of a text, and how many the network takes.
  void setInput(bool areBytes, int length);

  /// The shown sequence of so many.
  void setSequence(Split split, std::uint64_t sequence, std::uint64_t count);

  /// Empties the field. Sends no signal.
  void forgetText();

  void step(int by);
  void chooseRandom();

 Q_SIGNALS:
  void sequenceChosen(lambda::Split split, std::uint64_t sequence);
  /// A person has given a text; an empty one stands for the run's.
  void textGiven(const QString& text);

 private:
  void fitToText();
  void showLength();
  void choose(std::uint64_t sequence);

  bool areBytes_ = true;
  int length_ = 0;
  std::uint64_t count_ = 0;
  QComboBox* splits_;
  QSpinBox* index_;
  QHBoxLayout* buttons_;
  QLabel* status_;
  QLineEdit* text_;
  QLabel* textLength_;
};

}  // namespace lambda
