#include <atomic>
#include <csignal>
#include <fstream>
#include <optional>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <QTest>

#include "engine/experiments/child_process.h"
#include "engine/experiments/run_claim.h"
#include "engine/runtime/error.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace lambda;

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
      QVERIFY(isClaimed(folder.path(), "run"));
    }
    QVERIFY(!isClaimed(folder.path(), "run"));
    QVERIFY(fs::is_empty(folder.path()));
    QVERIFY(RunClaim::take(folder.path(), "run").has_value());
  }

  void aClaimEndsWithItsProcess() {
    const TemporaryFolder folder;
    const pid_t worker = fork();
    if (worker == 0) {
      const auto claim = RunClaim::take(folder.path(), "run");
      while (true) ::pause();
    }
    QVERIFY(QTest::qWaitFor([&] { return isClaimed(folder.path(), "run"); }));
    QVERIFY(!RunClaim::take(folder.path(), "run").has_value());
    sweepClaim(folder.path(), "run");
    QVERIFY2(fs::exists(folder.path() / "run"), "a living worker's claim is not swept");
    ::kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0);
    QVERIFY(!isClaimed(folder.path(), "run"));
    QVERIFY(fs::exists(folder.path() / "run"));
    sweepClaim(folder.path(), "run");
    QVERIFY(fs::is_empty(folder.path()));
  }

  void theTrainingOfAKilledWorkerKeepsTheClaim() {
    const TemporaryFolder folder;
    const TemporaryFolder claims;
    const pid_t worker = fork();
    if (worker == 0) {
      const auto claim = RunClaim::take(claims.path(), "run");
      // It ignores the signal that the death of its parent sends.
      const ChildProcess training({"/bin/sh", "-c", "trap '' TERM; echo begun; exec sleep 100"},
                                  {.log = folder.path() / "log", .inherited = claim->descriptor()});
      while (true) ::pause();
    }
    const auto hasBegun = [&] {
      std::error_code error;
      return fs::file_size(folder.path() / "log", error) == 6;
    };
    QVERIFY(QTest::qWaitFor(hasBegun));
    std::ifstream list("/proc/" + std::to_string(worker) + "/task/" + std::to_string(worker) +
                       "/children");
    pid_t training = 0;
    QVERIFY(list >> training);
    ::kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0);
    QVERIFY(isClaimed(claims.path(), "run"));
    QVERIFY(!RunClaim::take(claims.path(), "run").has_value());
    ::kill(training, SIGKILL);
    QVERIFY(QTest::qWaitFor([&] { return !isClaimed(claims.path(), "run"); }));
    QVERIFY(RunClaim::take(claims.path(), "run").has_value());
  }

  void workersThatAreKilledAtAnyMomentLeaveNothingBehindASweep() {
    const TemporaryFolder folder;
    std::mt19937 random(1);
    for (int kill = 0; kill < 200; ++kill) {
      const pid_t worker = fork();
      if (worker == 0) {
        while (true) RunClaim::take(folder.path(), "run");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(1000 + random() % 4000));
      ::kill(worker, SIGKILL);
      waitpid(worker, nullptr, 0);
      sweepClaim(folder.path(), "run");
      QVERIFY(fs::is_empty(folder.path()));
    }
  }

  void ofManyWorkersOneHasTheRun() {
    const TemporaryFolder folder;
    std::atomic<int> owners = 0;
    std::atomic<int> most = 0;
    std::atomic<int> taken = 0;
    std::vector<std::thread> workers;
    for (int i = 0; i < 8; ++i) {
      workers.emplace_back([&] {
        for (int attempt = 0; attempt < 1000; ++attempt) {
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

  void aFolderThatIsNotThereIsAnError() {
    const TemporaryFolder folder;
    QVERIFY_THROWS_EXCEPTION(Error, RunClaim::take(folder.path() / "none", "run"));
  }
};

QTEST_APPLESS_MAIN(TestRunClaim)
#include "tst_run_claim.moc"
