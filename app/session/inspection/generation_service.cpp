#include "app/session/inspection/generation_service.h"

#include <chrono>
#include <utility>

namespace lambda {

namespace {

/// A window that redraws for each of many tokens a second would not answer any more.
constexpr std::chrono::milliseconds kNewsInterval{33};

}  // namespace

QFuture<GenerationNews> GenerationService::generate(const GenerationRequest& request) {
  return lanes_.longTasks.run<GenerationNews>(
      [engine = lanes_.engine, request](QPromise<GenerationNews>& promise) mutable {
        using Clock = std::chrono::steady_clock;
        GenerationNews news;
        Clock::time_point told = Clock::now();
        const auto tell = [&] {
          promise.addResult(std::exchange(news, {}));
          told = Clock::now();
        };
        engine->generate(
            request,
            [&](const GenerationFacts& facts) {
              news.facts = facts;
              tell();
            },
            [&](const GeneratedToken& token) {
              news.tokens.push_back(token);
              if (Clock::now() - told >= kNewsInterval) tell();
              return !promise.isCanceled();
            });
        if (!news.tokens.empty()) tell();
      });
}

QFuture<double> GenerationService::copyBandwidth(int threads) {
  return lanes_.longTasks.run([engine = lanes_.engine, known = bandwidth_, threads]() mutable {
    if (!*known) *known = engine->copyBandwidth(threads);
    return **known;
  });
}

}  // namespace lambda
