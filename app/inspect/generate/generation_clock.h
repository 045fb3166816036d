#pragma once

#include <optional>

#include <QWidget>

#include "app/session/engine_calls.h"

class QLabel;

namespace lambda {

/// How long a token takes: read with what is kept of those before, read again with all of them, and
/// the least time, in which its weights come from the memory.
class GenerationClock : public QWidget {
  Q_OBJECT

 public:
  explicit GenerationClock(QWidget* parent = nullptr);

  /// Forgets the times: of other weights.
  void clear();

  /// A text begins.
  void begin(bool isParallel);

  void add(const GeneratedToken& token);

  /// `bandwidth`: of copying in the memory, in bytes per second.
  void setBound(std::int64_t weightBytes, double bandwidth);

 private:
  /// The mean over the tokens after the first, which waits for the prompt too.
  struct Mean {
    double seconds = 0;
    std::int64_t tokens = 0;
  };

  void showTimes();

  bool isParallel_ = false;
  bool isFirst_ = true;
  Mean recurrent_;
  Mean parallel_;
  QLabel* recurrentTime_;
  QLabel* parallelTime_;
  QLabel* boundTime_;
};

}  // namespace lambda
