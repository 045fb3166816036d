#include <atomic>
#include <csignal>
#include <fstream>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <QTest>

#include "engine/experiments/run_claim.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace lambda;

namespace {

constexpr std::chrono::seconds kLease{60};

/// A process that has ended.
ProcessIdentity deadProcess() {
  ProcessIdentity dead = currentProcess();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  dead.pid = child;
  return dead;
}

ProcessIdentity processElsewhere() {
  return {.host = "another-machine", .boot = "another", .pid = 1, .started = 1};
}

void abandonedBy(const ProcessIdentity& owner, const fs::path& claims) {
  auto claim = RunClaim::take(claims, "run", owner, kLease);
  QVERIFY(claim.has_value());
  claim->abandon();
}

/// Makes the claims as old as their owner's silence.
void age(const fs::path& claims, std::chrono::seconds by) {
  for (const auto& each : fs::directory_iterator(claims)) {
    fs::last_write_time(each.path(), fs::file_time_type::clock::now() - by);
  }
}

}  // namespace

/// The exclusive right to train a run, among processes that may be killed at any moment.
class TestRunClaim : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void aClaimExcludesOthersUntilItIsReleased() {
    const TemporaryFolder folder;
    {
      const auto first = RunClaim::take(folder.path(), "run");
      QVERIFY(first.has_value());
      QVERIFY(!RunClaim::take(folder.path(), "run").has_value());
      QVERIFY(RunClaim::take(folder.path(), "another").has_value());
      QVERIFY(livingOwnerOf(folder.path(), "run") == currentProcess());
    }
    QVERIFY(!livingOwnerOf(folder.path(), "run").has_value());
    QVERIFY(fs::is_empty(folder.path()));
    QVERIFY(RunClaim::take(folder.path(), "run").has_value());
  }

  void theClaimOfADeadProcessIsTakenOver() {
    const TemporaryFolder folder;
    abandonedBy(deadProcess(), folder.path());
    QVERIFY(!livingOwnerOf(folder.path(), "run").has_value());
    QVERIFY(RunClaim::take(folder.path(), "run").has_value());
    QVERIFY(fs::is_empty(folder.path()));
  }

  void claimsOfDeadProcessesAreSwept() {
    const TemporaryFolder folder;
    abandonedBy(deadProcess(), folder.path());
    sweepClaims(folder.path(), "run");
    QVERIFY(fs::is_empty(folder.path()));
    const auto living = RunClaim::take(folder.path(), "run");
    sweepClaims(folder.path(), "run");
    QVERIFY(livingOwnerOf(folder.path(), "run").has_value());
  }

  void workersThatAreKilledAtAnyMomentLeaveNothingBehindASweep() {
    const TemporaryFolder folder;
    std::mt19937 random(1);
    int leftBehind = 0;
    for (int kill = 0; kill < 200; ++kill) {
      const pid_t worker = fork();
      if (worker == 0) {
        while (true) RunClaim::take(folder.path(), "run");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(1000 + random() % 4000));
      ::kill(worker, SIGKILL);
      waitpid(worker, nullptr, 0);
      for (const auto& each : fs::directory_iterator(folder.path())) {
        if (each.path().filename().string().starts_with(".")) ++leftBehind;
      }
      sweepClaims(folder.path(), "run");
      sweepUnfinishedClaims(folder.path(), kLease);
      QVERIFY(fs::is_empty(folder.path()));
    }
    QVERIFY2(leftBehind > 0, "some are killed in the middle of a claim");
  }

  void whatALivingWorkerIsWritingStays() {
    const TemporaryFolder folder;
    const pid_t worker = fork();
    if (worker == 0) {
      while (true) RunClaim::take(folder.path(), "run");
    }
    std::optional<fs::path> unfinished;
    while (!unfinished) {
      std::error_code error;
      for (fs::directory_iterator each(folder.path(), error), end; !error && each != end;
           each.increment(error)) {
        if (each->path().filename().string().starts_with(".")) unfinished = each->path();
      }
    }
    // The worker may be removing the file at this moment: it must have stopped before it is
    // written.
    ::kill(worker, SIGSTOP);
    QCOMPARE(waitpid(worker, nullptr, WUNTRACED), worker);
    std::ofstream(*unfinished) << "stopped while it wrote";
    sweepUnfinishedClaims(folder.path(), kLease);
    QVERIFY(fs::exists(*unfinished));
    ::kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0);
    sweepUnfinishedClaims(folder.path(), kLease);
    QVERIFY(!fs::exists(*unfinished));
  }

  void whatAnotherMachineIsWritingStaysForTheLease() {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / ".claim-another-1-1-0") << "{";
    sweepUnfinishedClaims(folder.path(), kLease);
    QVERIFY(!fs::is_empty(folder.path()));
    age(folder.path(), 2 * kLease);
    sweepUnfinishedClaims(folder.path(), kLease);
    QVERIFY(fs::is_empty(folder.path()));
  }

  void aProcessIdThatWasGivenAgainIsNotTheOwner() {
    const TemporaryFolder folder;
    ProcessIdentity before = currentProcess();
    --before.started;
    abandonedBy(before, folder.path());
    QVERIFY(RunClaim::take(folder.path(), "run").has_value());
  }

  void aClaimOfAnotherMachineHoldsForItsLease() {
    const TemporaryFolder folder;
    abandonedBy(processElsewhere(), folder.path());
    QVERIFY(!RunClaim::take(folder.path(), "run", currentProcess(), kLease).has_value());
    age(folder.path(), kLease + std::chrono::seconds(10));
    QVERIFY(RunClaim::take(folder.path(), "run", currentProcess(), kLease).has_value());
  }

  void aRenewedClaimHoldsOn() {
    const TemporaryFolder folder;
    auto remote = RunClaim::take(folder.path(), "run", processElsewhere(), kLease);
    age(folder.path(), kLease + std::chrono::seconds(10));
    QVERIFY(remote->renew());
    QVERIFY(!RunClaim::take(folder.path(), "run", currentProcess(), kLease).has_value());
  }

  void anOwnerThatWasThoughtDeadLearnsIt() {
    const TemporaryFolder folder;
    auto remote = RunClaim::take(folder.path(), "run", processElsewhere(), kLease);
    age(folder.path(), kLease + std::chrono::seconds(10));
    const auto next = RunClaim::take(folder.path(), "run", currentProcess(), kLease);
    QVERIFY(next.has_value());
    QVERIFY(!remote->renew());
    remote.reset();
    QVERIFY2(livingOwnerOf(folder.path(), "run") == currentProcess(),
             "the old owner must not release the claim of the new one");
  }

  void aDamagedClaimHoldsForTheLeaseToo() {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "run.1") << "{\"host\": 5";
    QVERIFY(!RunClaim::take(folder.path(), "run", currentProcess(), kLease).has_value());
    age(folder.path(), kLease + std::chrono::seconds(10));
    QVERIFY(RunClaim::take(folder.path(), "run", currentProcess(), kLease).has_value());
  }

  void ofManyWorkersOneHasTheRun() {
    const TemporaryFolder folder;
    abandonedBy(deadProcess(), folder.path());
    std::atomic<int> owners = 0;
    std::atomic<int> most = 0;
    std::atomic<int> taken = 0;
    std::vector<std::thread> workers;
    for (int i = 0; i < 8; ++i) {
      workers.emplace_back([&] {
        for (int attempt = 0; attempt < 100; ++attempt) {
          const auto claim = RunClaim::take(folder.path(), "run");
          if (!claim) continue;
          const int now = ++owners;
          if (now > most) most = now;
          ++taken;
          std::this_thread::yield();
          --owners;
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    QVERIFY(taken > 0);
    QCOMPARE(most.load(), 1);
  }
};

QTEST_APPLESS_MAIN(TestRunClaim)
#include "tst_run_claim.moc"
