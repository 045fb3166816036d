#include "engine/runtime/processes/shared_work.h"

#include <chrono>

#include "engine/runtime/error.h"
#include "engine/runtime/processes/rank_store.h"

namespace lambda {

namespace {

constexpr const char* kTold = "told";
constexpr std::chrono::milliseconds kLongestPreparation = std::chrono::hours(24);

}  // namespace

struct SharedWork::State {
  RankStore store;
  std::string rank;
  bool hasLostFirst = false;
};

SharedWork::SharedWork(const Launch& launch, const Meeting& meeting)
    : state_(
          std::make_unique<State>(State{storeOf(launch, meeting), std::to_string(launch.rank)})) {}

SharedWork::~SharedWork() = default;

bool SharedWork::take(std::size_t piece) {
  try {
    // An expected value of nothing sets a name that is new.
    const auto owner = state_->store->compareSet(
        "piece/" + std::to_string(piece), bytesOf(""), bytesOf(state_->rank));
    return textOf(owner) == state_->rank;
  } catch (const std::exception&) {
    state_->hasLostFirst = true;
    return false;
  }
}

bool SharedWork::hasLostFirst() const {
  return state_->hasLostFirst;
}

void SharedWork::tell(const std::string& text) {
  state_->store->set(kTold, bytesOf(text));
}

std::string SharedWork::told() {
  try {
    // Rank 0 may look at large data before.
    state_->store->wait({kTold}, kLongestPreparation);
    return textOf(state_->store->get(kTold));
  } catch (const std::exception& error) {
    throw Error("rank 0", "it does not say what to do: " + reasonOf(error));
  }
}

}  // namespace lambda
