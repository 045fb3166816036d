#include <map>
#include <string>
#include <unistd.h>

#include <QTest>

#include "engine/runtime/error.h"
#include "engine/runtime/processes/launch.h"
#include "engine/runtime/processes/reachable_address.h"

using namespace lambda;

namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Launch> launchWith(const Variables& variables) {
  return launchOf([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

const Variables kTorchrun = {{"RANK", "3"},
                             {"WORLD_SIZE", "8"},
                             {"LOCAL_RANK", "1"},
                             {"LOCAL_WORLD_SIZE", "2"},
                             {"MASTER_ADDR", "node1"},
                             {"MASTER_PORT", "29500"}};

const Variables kSlurm = {{"SLURM_STEP_NUM_TASKS", "8"},
                          {"SLURM_PROCID", "5"},
                          {"SLURM_LOCALID", "1"},
                          {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"},
                          {"SLURM_STEP_NODELIST", "node[07-08]"},
                          {"SLURM_JOB_ID", "4711"}};

const Variables kOpenMpi = {{"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_RANK", "2"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                            {"PMIX_NAMESPACE", "123456"}};

Variables with(Variables variables, const std::string& name, const std::string& value) {
  variables[name] = value;
  return variables;
}

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

/// The variable that an Error names; empty if there is none.
std::string refusedVariable(const Variables& variables) {
  try {
    launchWith(variables);
    return {};
  } catch (const Error& error) {
    return error.place();
  }
}

}  // namespace

class TestLaunch : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void aProcessByItselfHasNone() {
    QVERIFY(!launchWith({}));
    // A batch script of Slurm, and the only task of a step, are no ranks.
    QVERIFY(!launchWith({{"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "4711"}, {"SLURM_PROCID", "0"}}));
    Variables only = with(kSlurm, "SLURM_STEP_NUM_TASKS", "1");
    only["SLURM_PROCID"] = only["SLURM_LOCALID"] = "0";
    QVERIFY(!launchWith(only));
  }

  void aChildCanBelongToNoLaunch() {
    for (Variables variables : {kTorchrun, kSlurm, kOpenMpi}) {
      for (const std::string& each : variablesOfNoLaunch()) {
        const std::size_t end = each.find('=');
        variables[each.substr(0, end)] = each.substr(end + 1);
      }
      QVERIFY(!launchWith(variables));
    }
  }

  void torchrunSaysAll() {
    Launch expected;
    expected.launcher = "torchrun";
    expected.rank = 3;
    expected.size = 8;
    expected.localRank = 1;
    expected.localSize = 2;
    expected.host = "node1";
    expected.port = 29500;
    QVERIFY(launchWith(kTorchrun) == expected);
    expected.storeIsServed = true;
    expected.attempt = 2;
    QVERIFY(launchWith(with(with(kTorchrun, "TORCHELASTIC_USE_AGENT_STORE", "True"),
                            "TORCHELASTIC_RESTART_COUNT",
                            "2")) == expected);
  }

  void srunMeetsAtItsFirstHost() {
    const Launch launch = *launchWith(kSlurm);
    QCOMPARE(launch.launcher, "srun");
    QCOMPARE(launch.rank, 5);
    QCOMPARE(launch.size, 8);
    QCOMPARE(launch.localRank, 1);
    QCOMPARE(launch.localSize, 4);
    QCOMPARE(launch.host, "node07");
    // All tasks of a job find the same port, those of another job another one.
    QCOMPARE(launchWith(with(kSlurm, "SLURM_PROCID", "0"))->port, launch.port);
    QVERIFY(launchWith(with(kSlurm, "SLURM_JOB_ID", "4712"))->port != launch.port);
    QCOMPARE(launchWith(with(kSlurm, "MASTER_PORT", "1234"))->port, 1234);
    QCOMPARE(launchWith(with(kSlurm, "MASTER_ADDR", "login"))->host, "login");
  }

  void mpirunNeedsAHostOnlyForSeveral() {
    const Launch launch = *launchWith(kOpenMpi);
    QCOMPARE(launch.rank, 2);
    QCOMPARE(launch.localRank, 2);
    QCOMPARE(launch.host, "127.0.0.1");
    QVERIFY(launchWith(with(kOpenMpi, "PMIX_NAMESPACE", "123457"))->port != launch.port);
    const Variables hosts =
        with(with(kOpenMpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "2"), "OMPI_COMM_WORLD_LOCAL_RANK", "0");
    QCOMPARE(refusedVariable(hosts), "MASTER_ADDR");
    QCOMPARE(launchWith(with(hosts, "MASTER_ADDR", "node1"))->host, "node1");
  }

  void whatIsMissingOrHasNoMeaningIsNamed() {
    for (const auto& [name, value] : kTorchrun) {
      if (name == "RANK" || name.starts_with("LOCAL")) continue;
      QCOMPARE(refusedVariable(without(kTorchrun, name)), name);
    }
    for (const char* value : {"8", "-1", "x", "3 ", "99999999999999999999"}) {
      QCOMPARE(refusedVariable(with(kTorchrun, "RANK", value)), "RANK");
    }
    QCOMPARE(refusedVariable(with(kTorchrun, "MASTER_PORT", "65536")), "MASTER_PORT");
    QCOMPARE(refusedVariable(without(kSlurm, "SLURM_STEP_NODELIST")), "SLURM_STEP_NODELIST");
    QCOMPARE(refusedVariable(with(kOpenMpi, "OMPI_COMM_WORLD_RANK", "4")), "OMPI_COMM_WORLD_RANK");
  }

  void theFirstOfAListOfHosts() {
    QCOMPARE(firstHostOf("node7"), "node7");
    QCOMPARE(firstHostOf("node7,node9"), "node7");
    QCOMPARE(firstHostOf("node[07-12,20],login1"), "node07");
    QCOMPARE(firstHostOf("rack[2,4]-gpu,x"), "rack2-gpu");
    QCOMPARE(firstHostOf("n[1-2].cluster.org"), "n1.cluster.org");
    for (const char* list : {"", ",a", "node[1-2", "node]", "a b", "[", "[]"}) {
      QVERIFY_THROWS_EXCEPTION(Error, firstHostOf(list));
    }
  }

  void theAddressTowardsAHostIsOneOfThisHost() {
    QCOMPARE(addressTowards("127.0.0.1", 1234), "127.0.0.1");
    QCOMPARE(interfaceOf("127.0.0.1"), "lo");
    QCOMPARE(interfaceOf("192.0.2.1"), "");
    QVERIFY_THROWS_EXCEPTION(Error, addressTowards("no-such-host.invalid", 1));
    const ListeningSocket socket = listenOnThisHost();
    QVERIFY(socket.port > 1023);
    close(socket.file);
  }
};

QTEST_GUILESS_MAIN(TestLaunch)
#include "tst_launch.moc"
