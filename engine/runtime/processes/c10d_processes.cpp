#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "engine/runtime/device.h"
#include "engine/runtime/environment.h"
#include "engine/runtime/error.h"
#include "engine/runtime/processes/nccl_plugin.h"
#include "engine/runtime/processes/processes.h"
#include "engine/runtime/processes/rank_store.h"
#include "engine/runtime/processes/reachable_address.h"
#include "engine/runtime/seconds_since.h"

namespace lambda {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPoll{50};
constexpr milliseconds kBeat{500};

/// A collective call waits as long as a training is paused: the heartbeat tells of lost ranks.
constexpr milliseconds kOperationTimeout = std::chrono::hours(24 * 365);

std::string keyOf(const char* what, int rank) {
  return std::string(what) + "/" + std::to_string(rank);
}

std::string listOf(const std::vector<int>& ranks) {
  std::string list = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) list += i + 1 < ranks.size() ? ", " : " and ";
    list += std::to_string(ranks[i]);
  }
  return list;
}

std::vector<std::string> keysOf(const char* what, int size) {
  std::vector<std::string> keys;
  for (int rank = 0; rank < size; ++rank) keys.push_back(keyOf(what, rank));
  return keys;
}

/// What all ranks have set under a name, in their order.
std::vector<std::string> textsOf(c10d::Store& store, const std::vector<std::string>& keys) {
  std::vector<std::string> texts;
  if (keys.empty()) return texts;  // A process that is alone watches nobody.
  for (const std::vector<std::uint8_t>& each : store.multiGet(keys)) texts.push_back(textOf(each));
  return texts;
}

/// The ranks that have not come, and where they were to come.
std::string missingText(c10d::Store& store, const Launch& launch) {
  std::vector<int> missing;
  for (int rank = 0; rank < launch.size; ++rank) {
    if (!store.check({keyOf("here", rank)})) missing.push_back(rank);
  }
  const std::string interface = interfaceOf(addressTowards(launch.host, launch.port));
  return listOf(missing) + " of " + std::to_string(launch.size) + " did not come to " +
         meetingPlaceOf(launch) + (interface.empty() ? "" : ", interface " + interface);
}

/// Waits on rank 0 until all ranks have said that they are there, and names those that have not.
void waitForAll(c10d::Store& store, const Launch& launch, const Meeting& meeting) {
  const auto start = Clock::now();
  const std::vector<std::string> here = keysOf("here", launch.size);
  bool isNoted = false;
  while (!store.check(here)) {
    const auto waited = Clock::now() - start;
    if (!isNoted && waited > meeting.noted) {
      isNoted = true;
      meeting.note(missingText(store, launch) + " yet");
    }
    if (waited > meeting.givenUp) {
      throw Error("processes",
                  missingText(store, launch),
                  "Look whether they have started, and whether their hosts may connect to "
                  "this one.");
    }
    std::this_thread::sleep_for(kPoll);
  }
}

/// Waits until all ranks are there. Rank 0 alone looks for them, and tells the others.
void meet(c10d::Store& store, const Launch& launch, const Meeting& meeting) {
  constexpr const char* kAllAreHere = "all are here";
  if (!launch.isFirst()) return store.wait({kAllAreHere}, meeting.givenUp + meeting.noted);
  waitForAll(store, launch, meeting);
  store.set(kAllAreHere, bytesOf(""));
}

/// The sockets of this process that are connected over a network.
std::set<int> connections() {
  std::set<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int file = std::stoi(entry.path().filename().string());
    sockaddr_storage peer{};
    socklen_t bytes = sizeof peer;
    if (getpeername(file, reinterpret_cast<sockaddr*>(&peer), &bytes) != 0) continue;
    if (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) found.insert(file);
  }
  return found;
}

/// Connections of LibTorch, which itself can't end an operation that waits for a process which has
/// stopped.
class Connections {
 public:
  /// Those that `open` makes. All other ranks are already connected to a store that this process
  /// may serve, so that meanwhile no other connection begins.
  template <class Open>
  explicit Connections(const Open& open) {
    const std::set<int> before = connections();
    open();
    std::ranges::set_difference(connections(), before, std::back_inserter(files_));
  }

  /// Lets all operations on them fail, also those that wait.
  void shutDown() const {
    for (const int file : files_) shutdown(file, SHUT_RDWR);
  }

 private:
  std::vector<int> files_;
};

/// A store with its connection.
struct ConnectedStore {
  ConnectedStore(const Launch& launch, const Meeting& meeting)
      : connections([&] { store = connectedStore(launch, meeting.givenUp); }) {}

  RankStore store;
  Connections connections;
};

/// Tells the other ranks that this one lives, and notices when they do not. Rank 0 watches all, the
/// others watch rank 0. Uses a connection to the store of its own.
class Heartbeat {
 public:
  Heartbeat(const ConnectedStore& connected,
            const Launch& launch,
            std::vector<std::string> places,
            milliseconds lostAfter,
            std::function<void()> onLost)
      : store_(connected.store),
        connections_(connected.connections),
        launch_(launch),
        places_(std::move(places)),
        lostAfter_(lostAfter),
        onLost_(std::move(onLost)) {
    store_->set(keyOf("alive", launch_.rank), bytesOf("0"));
    for (int rank = 0; rank < launch_.size; ++rank) {
      if (!isWatched(rank)) continue;
      watched_.push_back({.rank = rank});
      watchedKeys_.push_back(keyOf("alive", rank));
    }
  }

  ~Heartbeat() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    // The watch ends last: a beat may wait for a store that has stopped.
    if (beats_.joinable()) beats_.join();
    {
      const std::lock_guard lock(mutex_);
      watchEnds_ = true;
    }
    changed_.notify_all();
    if (watch_.joinable()) watch_.join();
    leave();
  }

  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  void start() {
    answered_ = Clock::now();
    beats_ = std::thread([this] { beat(); });
    watch_ = std::thread([this] { watchStore(); });
  }

  void requestStop() { wantsStop_ = true; }

  void leaveWith(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    reason_ = reason;
  }

  void onStopRequest(std::function<void()> stop) {
    const std::lock_guard lock(stopMutex_);
    stop_ = std::move(stop);
  }

  /// Why the ranks can't go on; waits until that is known, but no longer than it takes to notice.
  std::optional<std::string> lossWithin(milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return loss_.has_value(); });
    return loss_;
  }

 private:
  static constexpr const char* kStop = " stop";
  static constexpr const char* kLeft = "left";
  static constexpr const char* kFailed = "failed: ";

  struct Watched {
    int rank;
    std::string value = {};
    Clock::time_point changed = Clock::now();
  };

  static bool hasLeft(const std::string& value) {
    return value == kLeft || value.starts_with(kFailed);
  }

  bool isWatched(int rank) const {
    return rank != launch_.rank && (launch_.isFirst() || rank == 0);
  }

  /// Whether this process has slept between two beats, and then knows nothing of the others.
  static bool hasSlept(Clock::time_point last, Clock::time_point now) {
    return now - last > 4 * kBeat;
  }

  void beat() {
    Clock::time_point last = Clock::now();
    for (std::int64_t beat = 1; !waitFor(ends_); ++beat) {
      const Clock::time_point now = Clock::now();
      const bool knowsNothing = hasSlept(last, now);
      last = now;
      try {
        store_->set(keyOf("alive", launch_.rank),
                    bytesOf(std::to_string(beat) + (wantsStop_ ? kStop : "")));
        const std::vector<std::string> values = textsOf(*store_, watchedKeys_);
        for (std::size_t i = 0; i < watched_.size(); ++i)
          look(watched_[i], values[i], knowsNothing);
        const std::lock_guard lock(mutex_);
        answered_ = Clock::now();
      } catch (const std::exception& error) {
        const bool isStoreOfFirst = !launch_.isFirst() && !launch_.storeIsServed;
        return lose(isStoreOfFirst ? places_[0] + " has ended"
                                   : "the store of the ranks has failed: " + reasonOf(error));
      }
    }
  }

  /// An operation of the store may wait forever where the process that serves it has stopped.
  void watchStore() {
    Clock::time_point last = Clock::now();
    while (!waitFor(watchEnds_)) {
      const Clock::time_point now = Clock::now();
      Clock::duration waited;
      {
        const std::lock_guard lock(mutex_);
        if (hasSlept(last, now)) answered_ = now;
        waited = now - answered_;
      }
      last = now;
      if (waited < lostAfter_) continue;
      lose(textOfLost(0));
      connections_.shutDown();
      return;
    }
  }

  std::string textOfLost(int rank) const {
    return places_[static_cast<std::size_t>(rank)] +
           " does not answer: it was killed or stopped, had no memory left, or its host is gone";
  }

  void look(Watched& watched, const std::string& value, bool knowsNothing) {
    const Clock::time_point now = Clock::now();
    if (value.ends_with(kStop)) callStop();
    if (value.starts_with(kFailed)) {
      return lose(places_[static_cast<std::size_t>(watched.rank)] + ": " +
                  value.substr(std::string(kFailed).size()));
    }
    // At the second sight: what rank 0 said before may still be on its way.
    if (value == kLeft && watched.value == kLeft && watched.rank == 0) {
      return lose(places_[0] + " has ended");
    }
    if (value != watched.value || value == kLeft || knowsNothing) {
      watched.value = value;
      watched.changed = now;
    } else if (now - watched.changed > lostAfter_) {
      lose(textOfLost(watched.rank));
    }
  }

  void callStop() {
    // The lock is held during the call, because what is called may go when it is registered no
    // more.
    const std::lock_guard lock(stopMutex_);
    if (stop_) std::exchange(stop_, nullptr)();
  }

  void lose(const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      if (loss_) return;
      loss_ = text;
    }
    changed_.notify_all();
    onLost_();
  }

  /// Waits for a flag as long as a beat is; returns it.
  bool waitFor(const bool& flag) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kBeat, [&flag] { return flag; });
  }

  /// The store of rank 0 outlives the others' use of it.
  void leave() {
    if (loss_ && !launch_.isFirst()) return;
    try {
      store_->set(keyOf("alive", launch_.rank), bytesOf(reason_ ? kFailed + *reason_ : kLeft));
      if (!launch_.isFirst() || loss_) return;
      const auto start = Clock::now();
      while (!std::ranges::all_of(textsOf(*store_, watchedKeys_), hasLeft) &&
             Clock::now() - start < lostAfter_) {
        std::this_thread::sleep_for(kPoll);
      }
    } catch (const std::exception&) {
      // Nobody is left to tell.
    }
  }

  RankStore store_;
  Connections connections_;
  Launch launch_;
  std::vector<std::string> places_;
  milliseconds lostAfter_;
  std::function<void()> onLost_;
  std::vector<Watched> watched_;
  std::vector<std::string> watchedKeys_;  // Theirs in the store.
  std::atomic<bool> wantsStop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  bool watchEnds_ = false;
  std::optional<std::string> loss_;
  std::optional<std::string> reason_;
  std::mutex stopMutex_;
  std::function<void()> stop_;
  Clock::time_point answered_;
  std::thread beats_;
  std::thread watch_;
};

class C10dProcesses : public Processes {
 public:
  C10dProcesses(const Launch& launch, const Meeting& meeting)
      : launch_(launch), lostAfter_(meeting.lost) {
    // Gloo writes to ranks that may have gone: that is an error of the write.
    std::signal(SIGPIPE, SIG_IGN);
    store_ = storeOf(launch, meeting);
    join(meeting);
  }

  /// The group waits for its operations: those that others have not begun fail when these learn
  /// that this rank has left. Those of GPUs are over on all ranks, or one of them is lost.
  ~C10dProcesses() override {
    heartbeat_.reset();
    abortGpus();
  }

  C10dProcesses(const C10dProcesses&) = delete;
  C10dProcesses& operator=(const C10dProcesses&) = delete;

  const Launch& launch() const override { return launch_; }

  const std::vector<std::string>& places() const override { return places_; }

  int coreSharers() const override { return coreSharers_; }

  double communicationSeconds() const override { return communicationSeconds_; }

  void sum(at::Tensor& values) override {
    complete(values,
             [this](std::vector<at::Tensor>& tensors) { return group_->allreduce(tensors); });
  }

  void takeFromFirst(at::Tensor& values) override {
    complete(values,
             [this](std::vector<at::Tensor>& tensors) { return group_->broadcast(tensors); });
  }

  void connectGpu(int index) override {
    const NcclPlugin& plugin = ncclPlugin();
    const GpuRank rank{.store = c10::make_intrusive<c10d::PrefixStore>("gpus", store_),
                       .rank = launch_.rank,
                       .size = launch_.size,
                       .gpu = at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index)),
                       .interface = interfaceOf(addressTowards(launch_.host, launch_.port))};
    c10::intrusive_ptr<c10d::Backend> gpus;
    try {
      TORCH_CHECK(plugin.connect != nullptr, plugin.obstacle);
      plugin.connect(rank, gpus);
    } catch (const std::exception& error) {
      if (heartbeat_->lossWithin(timeUntilLoss())) failed();
      throw Error(gpuName(index),
                  "NCCL can't connect it to the GPUs of the other ranks: " + reasonOf(error),
                  "NCCL_DEBUG=INFO lets NCCL say what it does.");
    }
    gpus->setTimeout(kOperationTimeout);
    group_->setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL, gpus);
    {
      const std::lock_guard lock(gpusMutex_);
      gpus_ = std::move(gpus);
    }
    // A loss that was noticed before has not aborted them.
    if (heartbeat_->lossWithin(milliseconds(0))) failed();
  }

  c10d::ProcessGroup& group() override { return *group_; }

  void requestStop() override { heartbeat_->requestStop(); }

  void leave(const std::string& reason) override { heartbeat_->leaveWith(reason); }

  void onStopRequest(std::function<void()> stop) override {
    heartbeat_->onStopRequest(std::move(stop));
  }

  [[noreturn]] void failed() override {
    // Whoever died closed its connections: the heartbeat learns a little later who that was. If it
    // was nobody, the operation itself has failed.
    const std::optional<std::string> loss = heartbeat_->lossWithin(timeUntilLoss());
    if (!loss) throw;
    throw Error(
        "processes",
        *loss,
        "If the run has begun, its last checkpoint is whole: continue it with lambda resume.");
  }

 private:
  void join(const Meeting& meeting) {
    const std::string address = addressTowards(launch_.host, launch_.port);
    const std::string program = programVersion() + " " + programCommit();
    try {
      heartbeatStore_.emplace(launch_, meeting);
      store_->set(keyOf("program", launch_.rank), bytesOf(program));
      const std::string cores = hostName() + ": " + availableCoresText();
      store_->set(keyOf("cores", launch_.rank), bytesOf(cores));
      store_->set(keyOf("here", launch_.rank),
                  bytesOf("rank " + std::to_string(launch_.rank) + " on " + hostName() +
                          ", process " + std::to_string(getpid())));
      meet(*store_, launch_, meeting);
      places_ = textsOf(*store_, keysOf("here", launch_.size));
      const std::vector<std::string> allCores = textsOf(*store_, keysOf("cores", launch_.size));
      coreSharers_ = static_cast<int>(std::ranges::count(allCores, cores));
      requireSamePrograms();
      requireReachable(address, allCores);
      connect(address, meeting);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      throw Error(meetingPlaceOf(launch_),
                  "rank " + std::to_string(launch_.rank) +
                      " could not join the others: " + reasonOf(error));
    }
  }

  /// All ranks compare all, so that none waits for one that has gone.
  void requireSamePrograms() {
    const std::vector<std::string> programs = textsOf(*store_, keysOf("program", launch_.size));
    for (std::size_t rank = 1; rank < programs.size(); ++rank) {
      if (programs[rank] == programs[0]) continue;
      throw Error("processes",
                  places_[rank] + " is lambda " + programs[rank] + ", " + places_[0] +
                      " is lambda " + programs[0],
                  "Start the same program on all hosts.");
    }
  }

  /// A host often knows its own name by an address that leads nowhere else. `cores`: of each rank,
  /// with the name of its host first.
  void requireReachable(const std::string& address, const std::vector<std::string>& cores) {
    const bool isLoopback = address.starts_with("127.") || address == "::1";
    for (std::size_t rank = 0; isLoopback && rank < cores.size(); ++rank) {
      if (cores[rank].starts_with(hostName() + ":")) continue;
      throw Error("MASTER_ADDR",
                  launch_.host + " is the address " + address + " on " + hostName() +
                      ", by which " + places_[rank] + " can't reach it",
                  "Give the address of rank 0's host in the network of all hosts.");
    }
  }

  void connect(const std::string& address, const Meeting& meeting) {
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->timeout = meeting.givenUp;
    options->devices = {c10d::ProcessGroupGloo::createDeviceForHostname(address)};
    c10::intrusive_ptr<c10d::Backend> gloo;
    const Connections connections([&] {
      gloo =
          c10::make_intrusive<c10d::ProcessGroupGloo>(store_, launch_.rank, launch_.size, options);
    });
    group_ = c10::make_intrusive<c10d::ProcessGroup>(store_, launch_.rank, launch_.size);
    group_->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO, gloo);
    group_->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
    heartbeat_ = std::make_unique<Heartbeat>(
        *heartbeatStore_, launch_, places_, lostAfter_, [this, connections] {
          connections.shutDown();
          abortGpus();
        });
    std::vector<at::Tensor> all{at::ones({1})};
    group_->allreduce(all)->wait();  // All have set their first beat.
    gloo->setTimeout(kOperationTimeout);
    heartbeat_->start();
  }

  /// How long it takes at most until the heartbeat knows of a loss.
  milliseconds timeUntilLoss() const { return lostAfter_ + 4 * kBeat; }

  /// Ends the operations of GPUs, which wait forever for a lost rank. Any thread may call it.
  void abortGpus() {
    const std::lock_guard lock(gpusMutex_);
    try {
      if (gpus_) gpus_->abort();
    } catch (const std::exception&) {
      // The loss is reported, not what it does to NCCL.
    }
  }

  /// Starts an operation on values and waits until all ranks have done it.
  template <class Start>
  void complete(const at::Tensor& values, const Start& start) {
    const auto began = Clock::now();
    try {
      std::vector<at::Tensor> tensors{values};
      start(tensors)->wait();
    } catch (const std::exception&) {
      failed();
    }
    // What is aborted on a GPU ends without a failure.
    if (values.is_cuda() && heartbeat_->lossWithin(milliseconds(0))) failed();
    communicationSeconds_ += secondsSince(began);
  }

  Launch launch_;
  milliseconds lostAfter_;
  int coreSharers_ = 0;
  double communicationSeconds_ = 0;
  RankStore store_;
  std::optional<ConnectedStore> heartbeatStore_;
  std::vector<std::string> places_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::mutex gpusMutex_;
  c10::intrusive_ptr<c10d::Backend> gpus_;  // That of the group for GPUs; null = none is connected.
  std::unique_ptr<Heartbeat> heartbeat_;    // Uses the group.
};

}  // namespace

bool canJoinProcesses() {
  return true;
}

std::shared_ptr<Processes> joinProcesses(const Launch& launch, const Meeting& meeting) {
  return std::make_shared<C10dProcesses>(launch, meeting);
}

}  // namespace lambda
