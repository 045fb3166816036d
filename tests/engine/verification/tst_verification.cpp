#include <algorithm>
#include <limits>
#include <string>

#include <ATen/Context.h>

#include <QJsonArray>
#include <QtTest/QtTest>

#include "engine/layers/lambda/lambda_layer.h"
#include "engine/verification/statements.h"
#include "engine/verification/verification.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const Statement& statementNamed(const std::string& name) {
  const auto found = std::find_if(statements().begin(), statements().end(), [&](const auto& each) {
    return name == each.name;
  });
  if (found == statements().end()) qFatal("there is no statement %s", name.c_str());
  return *found;
}

/// Changes one weight of each parameter.
void perturb(torch::nn::Module& layer) {
  for (at::Tensor& parameter : layer.parameters()) parameter.flatten()[0].add_(0.5);
}

/// Exchanges the embeddings of two offsets.
void exchangeRows(torch::nn::Module& layer) {
  at::Tensor& table = layer.as<LambdaLayer>()->embedding->table;
  const at::Tensor first = table[0].clone();
  table[0].copy_(table[1]);
  table[1].copy_(first);
}

}  // namespace

/// The statements of the papers, which hold in this build, and fail with a layer that is wrong.
class TestVerification : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void everyStatementHolds_data() { addStatements(); }

  void everyStatementHolds() {
    QFETCH(std::string, name);
    const StatementResult result = check(statementNamed(name));
    QVERIFY2(result.holds(), textOf(result).c_str());
    QVERIFY(result.residual >= 0 && result.limit <= 1e-4);
    QVERIFY(QString::fromStdString(result.statement).endsWith(u'.'));
    QVERIFY(!result.source.empty());
  }

  void aWrongWeightBreaksIt_data() { addStatements(); }

  void aWrongWeightBreaksIt() {
    QFETCH(std::string, name);
    const StatementResult result = check(statementNamed(name), perturb);
    QVERIFY2(!result.holds() && result.failure.empty(), textOf(result).c_str());
    QVERIFY(result.residual > 10 * result.limit);
    QVERIFY(textOf(result).starts_with("FAILED  " + name + ": residual "));
  }

  void exchangedEmbeddingsBreakIt_data() {
    QTest::addColumn<std::string>("name");
    for (const char* name :
         {"lambda-convolution", "contraction-orders", "fused-kernels", "contributions"}) {
      QTest::newRow(name) << std::string(name);
    }
  }

  void exchangedEmbeddingsBreakIt() {
    QFETCH(std::string, name);
    QVERIFY(!check(statementNamed(name), exchangeRows).holds());
  }

  void whatIsNotANumberDoesNotHold() {
    const StatementResult result =
        check(statementNamed("lambda-convolution"), [](torch::nn::Module& layer) {
          layer.parameters().back().fill_(std::numeric_limits<double>::quiet_NaN());
        });
    QVERIFY(!result.holds() && result.failure.empty());
    Trial trial(0);
    trial.count(std::numeric_limits<double>::quiet_NaN());
    trial.count(1e-20);
    QVERIFY(std::isnan(trial.residual()));
  }

  void whatALayerThrowsIsTheFailure() {
    const StatementResult result = check(
        statementNamed("shifts"), [](torch::nn::Module&) { TORCH_CHECK(false, "no such shape"); });
    QCOMPARE(result.failure, "no such shape"s);
    QVERIFY(!result.holds());
    QVERIFY(textOf(result).starts_with("FAILED  shifts: could not be checked: no such shape"));
  }

  void resultsComeOneByOneUntilTheEnd() {
    std::vector<std::string> names;
    QVERIFY(verifyStatements([&](const StatementResult& result, int count) {
      names.push_back(result.name);
      return count == std::ssize(statements()) && names.size() < 2;
    }));
    QCOMPARE(names.size(), 2u);
    QCOMPARE(names[1], std::string(statements()[1].name));
  }

  void randomNumbersStayAsTheyWere() {
    const at::Tensor before = at::globalContext().defaultGenerator(at::kCPU).get_state();
    check(statements().front());
    QVERIFY(before.equal(at::globalContext().defaultGenerator(at::kCPU).get_state()));
  }

  void theCommandPrintsEveryStatement() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    const ProgramOutcome text = program.run({u"verify"_s});
    QCOMPARE(text.status, 0);
    for (const Statement& statement : statements()) {
      QVERIFY2(text.output.contains(("ok      "s + statement.name + ": residual ").c_str()),
               text.output.constData());
      QVERIFY(text.output.contains(statement.text));
    }
    const ProgramOutcome outcome = program.run({u"verify"_s, u"--json"_s});
    QCOMPARE(outcome.status, 0);
    QVERIFY(outcome.json()[u"ok"_s].toBool());
    const QJsonArray list = outcome.json()[u"statements"_s].toArray();
    QCOMPARE(list.size(), std::ssize(statements()));
    for (const QJsonValue& each : list) {
      QVERIFY(each[u"ok"_s].toBool());
      QVERIFY(each[u"residual"_s].toDouble(1) <= each[u"limit"_s].toDouble());
    }
  }

 private:
  static void addStatements() {
    QTest::addColumn<std::string>("name");
    for (const Statement& statement : statements()) {
      QTest::newRow(statement.name) << std::string(statement.name);
    }
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestVerification)
#include "tst_verification.moc"
