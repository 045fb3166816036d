#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/session/inspection_session.h"
#include "tests/support/scripted_engine.h"

namespace lambda::test {

using SnapshotPointer = std::shared_ptr<const InspectionSnapshot>;

class TestInspectionSession : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void answersCarryTheNumberOfTheirQuestion();
  void ofWaitingRequestsOfAViewTheNewestIsAnswered();
  void twoViewsAreBothAnswered();
  void predictionsTellTheirProgressAndCanBeCancelled();
  void anEstimateCanBeCancelledAndIsReplacedByANewerOne();
  void anInspectionIsAnsweredInTheMiddleOfALongTask();
  void whatCannotBeOpenedFailsWithItsReason();
  void endsInTheMiddleOfWork();

 private:
  std::shared_ptr<ScriptedEngine> engine_;
  QTemporaryDir folder_;
  std::filesystem::path run_;
};

void TestInspectionSession::initTestCase() {
  engine_ = std::make_shared<ScriptedEngine>();
  RunConfig config;
  config.name = "inspected";
  config.recipe.epochs = 1;
  Stage stage;
  stage.width = 16;
  stage.blocks = {Block{LambdaMixer{}}};
  config.architecture.family = Family::basic;
  config.architecture.stages = {stage};
  RunControl control;
  Observer observer;
  run_ = engine_->trainRun(config, folder_.path().toStdString(), control, observer).run;
}

void TestInspectionSession::answersCarryTheNumberOfTheirQuestion() {
  InspectionSession session(engine_);
  QSignalSpy inspected(&session, &InspectionSession::inspected);
  const quint64 id = session.inspect(run_, {.image = 7, .queryRow = 2, .queryColumn = 3});
  QVERIFY(inspected.wait());
  QCOMPARE(inspected.front().at(0).toULongLong(), id);
  const auto snapshot = inspected.front().at(1).value<SnapshotPointer>();
  QCOMPARE(snapshot->request.id, id);
  QCOMPARE(snapshot->request.image, 7);
  QCOMPARE(snapshot->queryRow, 2);
}

void TestInspectionSession::ofWaitingRequestsOfAViewTheNewestIsAnswered() {
  InspectionSession session(engine_);
  QSignalSpy inspected(&session, &InspectionSession::inspected);
  QSignalSpy cancelled(&session, &InspectionSession::cancelled);
  constexpr int kRequests = 50;
  quint64 last = 0;
  for (int i = 0; i < kRequests; ++i) last = session.inspect(run_, {.image = i});
  QTRY_VERIFY(!inspected.isEmpty() && inspected.back().at(0).toULongLong() == last);
  QTRY_COMPARE(inspected.count() + cancelled.count(), kRequests);
  QVERIFY(cancelled.count() > 0);
}

void TestInspectionSession::twoViewsAreBothAnswered() {
  InspectionSession session(engine_);
  QSignalSpy inspected(&session, &InspectionSession::inspected);
  session.inspect(run_, {.image = 1}, 0);
  session.inspect(run_, {.image = 2}, 1);
  QTRY_COMPARE(inspected.count(), 2);
}

void TestInspectionSession::predictionsTellTheirProgressAndCanBeCancelled() {
  InspectionSession session(engine_);
  QSignalSpy predicted(&session, &InspectionSession::predicted);
  QSignalSpy progressed(&session, &InspectionSession::progressed);
  session.predict(run_, Split::validation);
  QVERIFY(predicted.wait());
  QCOMPARE(progressed.back().at(1).toLongLong(), progressed.back().at(2).toLongLong());
  QSignalSpy cancelled(&session, &InspectionSession::cancelled);
  const quint64 first = session.predict(run_, Split::test);
  session.cancel(first);
  QTRY_COMPARE(cancelled.count() + predicted.count(), 2);
}

void TestInspectionSession::anEstimateCanBeCancelledAndIsReplacedByANewerOne() {
  InspectionSession session(engine_);
  QSignalSpy throughputEstimated(&session, &InspectionSession::throughputEstimated);
  QSignalSpy cancelled(&session, &InspectionSession::cancelled);
  QSignalSpy progressed(&session, &InspectionSession::progressed);
  const quint64 first = session.estimateThroughput({}, 1000000);
  QVERIFY(progressed.wait());
  const quint64 second = session.estimateThroughput({}, 3);
  QVERIFY(throughputEstimated.wait());
  QCOMPARE(cancelled.front().at(0).toULongLong(), first);
  QCOMPARE(throughputEstimated.front().at(0).toULongLong(), second);
  const quint64 third = session.estimateThroughput({}, 1000000);
  QVERIFY(progressed.wait());
  session.cancel(third);
  QTRY_COMPARE(cancelled.count(), 2);
}

void TestInspectionSession::anInspectionIsAnsweredInTheMiddleOfALongTask() {
  InspectionSession session(engine_);
  QSignalSpy progressed(&session, &InspectionSession::progressed);
  QSignalSpy inspected(&session, &InspectionSession::inspected);
  QSignalSpy throughputEstimated(&session, &InspectionSession::throughputEstimated);
  session.estimateThroughput({}, 1000000);
  QVERIFY(progressed.wait());
  session.inspect(run_, {.image = 1});
  QVERIFY(inspected.wait());
  QVERIFY(throughputEstimated.isEmpty());
}

void TestInspectionSession::whatCannotBeOpenedFailsWithItsReason() {
  InspectionSession session(engine_);
  QSignalSpy failed(&session, &InspectionSession::failed);
  const quint64 id = session.inspect(folder_.filePath(QStringLiteral("nothing")).toStdString(), {});
  QVERIFY(failed.wait());
  QCOMPARE(failed.front().at(0).toULongLong(), id);
  QVERIFY(failed.front().at(1).toString().contains(QStringLiteral("nothing")));
}

void TestInspectionSession::endsInTheMiddleOfWork() {
  InspectionSession session(engine_);
  QSignalSpy progressed(&session, &InspectionSession::progressed);
  session.estimateThroughput({}, 1000000);
  QVERIFY(progressed.wait());
  session.inspect(run_, {});
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestInspectionSession)

#include "tst_inspection_session.moc"
