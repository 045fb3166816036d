#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/metrics/csv.h"
#include "engine/formats/metrics/network_table.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

namespace lambda::test {

class TestNetworkTable : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void aWrittenTableIsRead() {
    const TemporaryFolder folder;
    const NetworkMeasurement first{.network = "a, \"b\"",
                                   .pattern = "C-L",
                                   .height = 32,
                                   .width = 48,
                                   .parameters = 12'345'678'901,
                                   .flops = 42,
                                   .forwardImagesPerSecond = 0.1,
                                   .trainingImagesPerSecond = 1e-3,
                                   .forwardPeakBytes = 7,
                                   .batch = 4};
    const NetworkMeasurement second{.network = "second",
                                    .parameters = 1,
                                    .flops = 2,
                                    .forwardImagesPerSecond = 3,
                                    .trainingImagesPerSecond = 4};
    const std::string csv = encodeNetworkTable({first, second});
    QVERIFY(csv.starts_with("network,pattern,height,width,parameters,flops,activationBytes,"));
    const std::string line = "\n\"a, \"\"b\"\"\",C-L,32,48,12345678901,42,0,0.1,0.001,7,,4,";
    QVERIFY2(csv.find(line) != std::string::npos, csv.c_str());
    writeFileDurably(folder.path() / "t.csv", csv);
    const std::vector<NetworkTableRow> rows = readNetworkTable(folder.path() / "t.csv");
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(rows[0].network, first.network);
    QCOMPARE(rows[0].parameters, 12'345'678'901.0);
    QCOMPARE(rows[0].flops, std::optional(42.0));
    QCOMPARE(rows[0].forwardImagesPerSecond, std::optional(0.1));
    QCOMPARE(rows[0].trainingImagesPerSecond, std::optional(1e-3));
    QCOMPARE(rows[0].accuracy, std::optional<double>());
    QCOMPARE(rows[1].network, std::string("second"));
  }

  void tablesFromElsewhereAreRead() {
    const std::vector<NetworkTableRow> rows = decodeNetworkTable(
        "\xef\xbb\xbfparameters,accuracy,remark,network\r\n1e6,81.3 %,\"two\nlines\",a\r\n"
        "\r\n2000000,0.9,,b\r\n3,50%,,c",
        "t");
    QCOMPARE(rows.size(), std::size_t{3});
    QCOMPARE(rows[0].network, std::string("a"));
    QCOMPARE(rows[0].parameters, 1e6);
    QVERIFY(std::abs(*rows[0].accuracy - 0.813) < 1e-12);
    QCOMPARE(rows[0].flops, std::optional<double>());
    QCOMPARE(rows[1].accuracy, std::optional(0.9));
    QCOMPARE(rows[2].accuracy, std::optional(0.5));
  }

  void faultsAreNamedWithTheirLine_data() {
    QTest::addColumn<QByteArray>("csv");
    QTest::addColumn<QByteArray>("place");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* name, const char* csv, const char* place, const char* reason) {
      QTest::newRow(name) << QByteArray(csv) << QByteArray(place) << QByteArray(reason);
    };
    row("empty", "", "t", "the table is empty");
    row("no names", "1,2\n", "t", "the first line names no column \"network\"");
    row("no parameters", "network\na\n", "t", "no column \"parameters\"");
    row("cells", "network,parameters\na,1\nb\n", "t, line 3", "it has 1 cells");
    row("text", "network,parameters\na,many\n", "t, line 2", "the parameters is \"many\"");
    row("rest", "network,parameters\na,1x\n", "t, line 2", "the parameters is \"1x\"");
    row("infinite", "network,parameters\na,inf\n", "t, line 2", "the parameters is \"inf\"");
    row("zero", "network,parameters,flops\na,1,0\n", "t, line 2", "the flops is \"0\"");
    row("no count", "network,parameters\na,\n", "t, line 2", "the parameters is \"\"");
    row("no network", "network,parameters\n,1\n", "t, line 2", "the network is \"\"");
    row("share", "network,parameters,accuracy\na,1,81\n", "t, line 2", "the accuracy is \"81\"");
    row("after a break",
        "network,parameters,remark\na,1,\"x\ny\"\nb,0,\n",
        "t, line 4",
        "the parameters is \"0\"");
    row("quotes",
        "network,parameters\n\"a,1\n",
        "t, line 3",
        "the quotes of a cell are not closed");
    row("beside quotes", "network,parameters\n\"a\"b,1\n", "t, line 2", "other text than a comma");
    row("bytes", "network,parameters\n\xff,1\n", "t", "not a text in UTF-8");
  }

  void faultsAreNamedWithTheirLine() {
    QFETCH(QByteArray, csv);
    QFETCH(QByteArray, place);
    QFETCH(QByteArray, reason);
    const auto error = errorOf([&] { decodeNetworkTable(csv.toStdString(), "t"); });
    QVERIFY(error);
    QCOMPARE(QByteArray::fromStdString(error->place()), place);
    QVERIFY2(error->reason().find(reason.toStdString()) != std::string::npos,
             error->reason().c_str());
  }

  void damagedTablesAreReadOrRefused() {
    const std::string csv =
        "network,parameters,flops,accuracy\n\"a,\"\"\",10,20,0.5\r\nb,1e3,,50 %\n";
    for (std::uint64_t number = 0; number < 20'000; ++number) {
      const std::string damaged = mutated(csv, 18, number);
      errorOf([&] {
        for (const NetworkTableRow& row : decodeNetworkTable(damaged, "t")) {
          QVERIFY(!row.network.empty() && row.parameters > 0);
        }
      });
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestNetworkTable)
#include "tst_network_table.moc"
