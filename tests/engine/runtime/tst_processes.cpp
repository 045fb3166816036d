#include <atomic>
#include <mutex>
#include <sys/socket.h>
#include <unistd.h>

#include <ATen/ATen.h>

#include <QTest>

#include <netinet/in.h>

#include "engine/runtime/environment.h"
#include "engine/runtime/error.h"
#include "tests/support/ranks_in_threads.h"

using namespace lambda;
using test::inThreads;

namespace {

bool succeeded(const std::vector<std::string>& failures) {
  for (const std::string& each : failures) {
    if (!each.empty()) qWarning("%s", each.c_str());
  }
  return std::ranges::all_of(failures, &std::string::empty);
}

bool contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  qWarning("\"%s\" lacks \"%s\"", text.c_str(), part.c_str());
  return false;
}

}  // namespace

class TestProcesses : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() {
    if (!canJoinProcesses()) QSKIP("this program was built without Gloo");
  }

  void valuesAreSummedAndTaken() {
    std::atomic<int> right = 0;
    const auto failures = inThreads(3, [&](Processes& processes) {
      const int rank = processes.rank();
      at::Tensor values = at::full({2, 3}, rank + 1, at::kDouble);
      processes.sum(values);
      at::Tensor first = at::full({4}, rank, at::kLong);
      processes.takeFromFirst(first);
      // A tensor that is not contiguous keeps its memory.
      at::Tensor columns = at::full({3, 2}, rank, at::kFloat);
      processes.takeFromFirst(std::vector{columns.t()});
      right += values.eq(6).all().item<bool>() && first.eq(0).all().item<bool>() &&
               columns.eq(0).all().item<bool>();
    });
    QVERIFY(succeeded(failures));
    QCOMPARE(right.load(), 3);
  }

  void textsOfAnyLengthArrive() {
    const std::string longText(100000, 'x');
    std::atomic<int> right = 0;
    const auto failures = inThreads(3, [&](Processes& processes) {
      const std::string own(static_cast<std::size_t>(processes.rank()), 'r');
      const bool isFirst = processes.isFirst();
      right += processes.fromFirst(isFirst ? longText : "other") == longText &&
               processes.fromFirst("").empty() &&
               processes.fromAll(own) == std::vector<std::string>{"", "r", "rr"} &&
               processes.fromAll("") == std::vector<std::string>{"", "", ""};
    });
    QVERIFY(succeeded(failures));
    QCOMPARE(right.load(), 3);
  }

  void ranksKnowTheirPlacesAndShareCores() {
    std::atomic<int> right = 0;
    const auto failures = inThreads(2, [&](Processes& processes) {
      const std::string process = ", process " + std::to_string(getpid());
      right +=
          processes.places() == std::vector<std::string>{"rank 0 on " + hostName() + process,
                                                         "rank 1 on " + hostName() + process} &&
          processes.coreSharers() == 2;
    });
    QVERIFY(succeeded(failures));
    QCOMPARE(right.load(), 2);
  }

  void aMissingRankIsNamed() {
    const std::uint16_t port = test::freePort();
    std::mutex mutex;
    std::string notes;
    Meeting meeting = test::shortMeeting();
    meeting.note = [&](const std::string& text) {
      const std::lock_guard lock(mutex);
      notes += text + "\n";
    };
    std::vector<std::string> failures(2);
    std::vector<std::thread> threads;
    for (const int rank : {0, 1}) {
      threads.emplace_back([&, rank] {
        try {
          joinProcesses(test::launchHere(rank, 4, port), meeting);
        } catch (const Error& error) {
          failures[static_cast<std::size_t>(rank)] = error.what();
        }
      });
    }
    for (std::thread& each : threads) each.join();
    const std::string place = "127.0.0.1:" + std::to_string(port);
    QVERIFY(contains(failures[0], "ranks 2 and 3 of 4 did not come to " + place));
    QVERIFY(contains(failures[0], "interface lo"));
    QVERIFY(contains(notes, "ranks 2 and 3 of 4"));
    QVERIFY(!failures[1].empty());
  }

  void rankZeroThatCanNotBeReachedIsNamed() {
    const std::uint16_t port = test::freePort();
    try {
      joinProcesses(test::launchHere(1, 2, port), test::shortMeeting());
      QFAIL("it joined nobody");
    } catch (const Error& error) {
      QVERIFY(contains(error.what(), "127.0.0.1:" + std::to_string(port)));
      QVERIFY(contains(error.what(), "rank 1 can't reach rank 0"));
    }
  }

  void aTakenPortIsSaid() {
    const int taken = socket(AF_INET6, SOCK_STREAM, 0);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    socklen_t bytes = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    QCOMPARE(bind(taken, any, bytes), 0);
    QCOMPARE(listen(taken, 1), 0);
    QCOMPARE(getsockname(taken, any, &bytes), 0);
    try {
      joinProcesses(test::launchHere(0, 2, ntohs(address.sin6_port)), test::shortMeeting());
      QFAIL("it uses a port of another program");
    } catch (const Error& error) {
      QVERIFY(contains(error.what(), "MASTER_PORT"));
    }
    close(taken);
  }

  void aRequestToStopReachesRankZero() {
    std::atomic<int> stops = 0;
    const auto failures = inThreads(3, [&](Processes& processes) {
      if (processes.isFirst()) processes.onStopRequest([&] { ++stops; });
      if (processes.rank() == 2) {
        processes.requestStop();
        processes.requestStop();
      }
      for (int i = 0; i < 100 && stops == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      std::this_thread::sleep_for(std::chrono::seconds(1));
      processes.fromAll("");
    });
    QVERIFY(succeeded(failures));
    QCOMPARE(stops.load(), 1);
  }

  void aRankThatLeavesSaysWhy() {
    const auto failures = inThreads(2, [&](Processes& processes) {
      if (processes.rank() == 1) throw Error("images", "they are gone");
      processes.fromAll("");
    });
    QVERIFY(contains(failures[0], "rank 1"));
    QVERIFY(contains(failures[0], "they are gone"));
  }

  void whatFailsWithAllRanksThereStaysWhatItIs() {
    const auto failures = inThreads(
        2,
        [&](Processes& processes) {
          try {
            throw std::runtime_error("no memory");
          } catch (const std::exception&) {
            processes.failed();
          }
        },
        test::shortMeeting());
    QVERIFY(failures[0] == "no memory" || failures[1] == "no memory");
  }
};

QTEST_GUILESS_MAIN(TestProcesses)
#include "tst_processes.moc"
