#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/runtime/processes/processes.h"

namespace lambda {

/// Pieces of work that the ranks of a launch share out. Each goes to the rank that asks first, and
/// never to another one, so that no two ranks can do the same piece, however late one of them is.
/// Lives on one thread.
class SharedWork {
 public:
  /// Throws Error as storeOf().
  SharedWork(const Launch& launch, const Meeting& meeting);
  ~SharedWork();

  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;

  /// Whether a piece is this rank's. None is after rank 0 has ended.
  bool take(std::size_t piece);

  /// Whether rank 0 had ended when this rank asked for a piece.
  bool hasLostFirst() const;

  /// Rank 0 tells the others a text; once.
  void tell(const std::string& text);

  /// Waits for the text that rank 0 tells. Throws Error if it does not come.
  std::string told();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lambda
