#include "app/runs/library/metrics_follower.h"

#include <string_view>
#include <utility>

#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::string_view kMetricsFileName = "metrics.jsonl";

template <class T>
void append(std::vector<T>& all, std::vector<T>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void append(Metrics& all, Metrics&& more) {
  append(all.batches, std::move(more.batches));
  append(all.epochs, std::move(more.epochs));
  append(all.events, std::move(more.events));
  append(all.warnings, std::move(more.warnings));
}

}  // namespace

MetricsFollower::News MetricsFollower::follow(const fs::path& run) {
  const auto [entry, isNew] = followed_.try_emplace(run, run / kMetricsFileName);
  return read(run, entry->second);
}

std::vector<MetricsFollower::News> MetricsFollower::poll() {
  std::vector<News> news;
  for (auto& [run, followed] : followed_) {
    if (stampOf(run / kMetricsFileName) != followed.stamp) news.push_back(read(run, followed));
  }
  return news;
}

MetricsFollower::News MetricsFollower::read(const fs::path& run, Followed& followed) {
  // Taken before reading: a write in the meantime changes the stamp and causes another read.
  followed.stamp = stampOf(run / kMetricsFileName);
  followed.problem.clear();
  try {
    MetricsTail::Update update = followed.tail.poll();
    auto metrics = update.restarted ? std::make_shared<Metrics>()
                                    : std::make_shared<Metrics>(*followed.metrics);
    append(*metrics, std::move(update.metrics));
    followed.metrics = std::move(metrics);
  } catch (const Error& error) {
    followed.problem = error.what();
  }
  return {run, followed.metrics, followed.problem};
}

}  // namespace lambda
