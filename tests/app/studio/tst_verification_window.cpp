#include <condition_variable>
#include <mutex>

#include <QAction>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QtTest/QtTest>

#include "app/studio/verification_window.h"
#include "tests/support/studio_window.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

StatementResult resultOf(const std::string& name, double residual) {
  return {.name = name,
          .statement = "What " + name + " says is so.",
          .source = "Section 3.3",
          .residual = residual,
          .limit = 1e-12,
          .failure = {}};
}

/// Lets the engine report one statement after another.
class Gate {
 public:
  void pass(int count) {
    const std::lock_guard lock(mutex_);
    open_ += count;
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_ > 0; });
    --open_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int open_ = 0;
};

}  // namespace

/// Help > Verify the paper's statements, by clicks.
class TestVerificationWindow : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() {
    studio_ = std::make_unique<StudioWindow>();
    gate_ = std::make_shared<Gate>();
    studio_->engine->statements = {
        resultOf("first", 2e-16), resultOf("second", 0.5), resultOf("third", 0)};
    studio_->engine->beforeStatement = [gate = gate_] { gate->wait(); };
  }

  void cleanup() {
    gate_->pass(1000);
    studio_.reset();
  }

  void linesComeAsTheyAreChecked() {
    VerificationWindow& window = open();
    QVERIFY(!shows(window, u"What first says is so."_s));
    gate_->pass(1);
    QTRY_VERIFY(shows(window, u"What first says is so."_s));
    QVERIFY(shows(window, u"1 of 3 statements are checked."_s));
    QVERIFY(shows(window, u"Holds"_s) && !shows(window, u"Fails"_s));
    gate_->pass(2);
    QTRY_VERIFY(shows(window, u"1 of 3 statements do not hold in this build."_s));
    QVERIFY(shows(window, u"Fails"_s));
    QVERIFY(shows(window, u"Residual 0.50, limit 1e−12. Section 3.3."_s));
    visibleButton(window, u"Copy as text"_s)->click();
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY2(text.startsWith(u"ok      first: residual 2.0e-16, limit 1e-12\n        What first"_s),
             qPrintable(text));
    QVERIFY(text.contains(u"FAILED  second: residual 0.50"_s));
  }

  void aCheckCanBeCancelledAndRepeated() {
    VerificationWindow& window = open();
    gate_->pass(1);
    QTRY_VERIFY(shows(window, u"What first says is so."_s));
    visibleButton(window, u"Cancel"_s)->click();
    QVERIFY(shows(window, u"Cancelled after 1 statement."_s));
    gate_->pass(1);
    QTest::qWait(50);
    QVERIFY(!shows(window, u"What second says is so."_s));
    studio_->engine->statements = {resultOf("other", 0)};
    gate_->pass(10);
    visibleButton(window, u"Check again"_s)->click();
    QTRY_VERIFY(shows(window, u"All 1 statements hold in this build."_s));
    QVERIFY(!shows(window, u"What first says is so."_s));
  }

  void closingTheWindowEndsTheCheck() {
    VerificationWindow& window = open();
    window.close();
    gate_->pass(1);
    QTest::qWait(50);
    QVERIFY(window.findChildren<QLabel*>().size() > 0 &&
            !shows(window, u"What first says is so."_s));
  }

  void aReasonIsShownWhereItCannotBeChecked() {
    studio_->engine->refusal = "The engine is not there.";
    VerificationWindow& window = open();
    QTRY_VERIFY(std::ranges::any_of(window.findChildren<QLabel*>(), [](const QLabel* label) {
      return label->text().startsWith(u"Could not check the statements: "_s) &&
             label->text().contains(u"The engine is not there."_s);
    }));
  }

 private:
  VerificationWindow& open() {
    for (QAction* action : (*studio_)->actionsOfMenus()) {
      if (action->text() == u"Verify the paper's statements …"_s) action->trigger();
    }
    auto* window = (*studio_)->findChild<VerificationWindow*>();
    if (!window || !window->isVisible()) qFatal("the window did not open");
    return *window;
  }

  static bool shows(const QWidget& window, const QString& text) {
    return std::ranges::any_of(window.findChildren<QLabel*>(),
                               [&](const QLabel* label) { return label->text() == text; });
  }

  std::unique_ptr<StudioWindow> studio_;
  std::shared_ptr<Gate> gate_;
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestVerificationWindow)
#include "tst_verification_window.moc"
