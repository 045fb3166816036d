#include <algorithm>
#include <map>
#include <string>

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/python/python_network.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "tests/support/exported_networks.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_python.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// Writes the weights of a network, and images with its logits. Returns their rounding.
double writeCase(const std::filesystem::path& folder,
                 const std::string& name,
                 const Architecture& architecture) {
  const at::Tensor images = inputFor(architecture);
  Network network = trainedNetwork(architecture, images);
  saveTensors(
      folder / (name + ".safetensors"), stateOf(*network), metadataOf(descriptionOf(architecture)));
  const ExpectedLogits expected = expectedLogits(network, images);
  saveTensors(folder / (name + ".io.safetensors"),
              {{"images", images}, {"logits", expected.logits}},
              {{"format", "pt"}});
  return expected.rounding;
}

}  // namespace

/// Compares the exported program in PyTorch with the networks of this build.
class TestPythonNetwork : public QObject {
  Q_OBJECT

 private:
  TestPython python_;

 private Q_SLOTS:

  void initTestCase() {
    at::manual_seed(19);
    const QString missing = python_.missing({u"torch"_s, u"safetensors"_s});
    if (!missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void itsLogitsAreThoseOfTheNetwork() {
    const TemporaryFolder folder;
    writeFileDurably(folder.path() / "network.py", std::string(pythonNetwork()));
    std::map<std::string, double> limits;
    for (const auto& [name, architecture] : exportedNetworks()) {
      limits[name] = std::max(1e-5, kRoundings * writeCase(folder.path(), name, architecture));
    }
    const PythonOutcome outcome =
        python_.run("check_python_network.py", {folder.path() / "network.py", folder.path()});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QCOMPARE(beyondLimits(outcome.output, limits), std::string());
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestPythonNetwork)
#include "tst_python_network.moc"
