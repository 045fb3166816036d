#include <QDBusConnection>
#include <QDBusContext>
#include <QDBusMessage>
#include <QProcess>
#include <QStandardPaths>
#include <QtTest/QtTest>

#include "app/studio/system/desktop_notification.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

/// A notification service that stores the notifications.
class Desktop : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

 public:
  QStringList told;

 public Q_SLOTS:

  uint Notify(const QString& program,
              uint /*replaces*/,
              const QString& /*icon*/,
              const QString& title,
              const QString& body,
              const QStringList& /*actions*/,
              const QVariantMap& /*hints*/,
              int /*milliseconds*/) {
    told = {program, title, body};
    return 1;
  }
};

class TestDesktopNotification : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void isShownWithItsTextAsPlainText();
  void cleanupTestCase();

 private:
  QProcess daemon_;
};

void TestDesktopNotification::initTestCase() {
  const QString daemon = QStandardPaths::findExecutable(u"dbus-daemon"_s);
  if (daemon.isEmpty()) QSKIP("dbus-daemon is not installed.");
  daemon_.start(daemon, {u"--session"_s, u"--nofork"_s, u"--print-address"_s});
  QVERIFY(daemon_.waitForReadyRead());
  qputenv("DBUS_SESSION_BUS_ADDRESS", daemon_.readLine().trimmed());
}

void TestDesktopNotification::isShownWithItsTextAsPlainText() {
  Desktop desktop;
  // A separate connection: the sender would else find the object in its own process.
  QDBusConnection bus = QDBusConnection::connectToBus(QDBusConnection::SessionBus, u"desktop"_s);
  QVERIFY(bus.isConnected());
  QVERIFY(bus.registerObject(
      u"/org/freedesktop/Notifications"_s, &desktop, QDBusConnection::ExportAllSlots));
  QVERIFY(bus.registerService(u"org.freedesktop.Notifications"_s));
  showDesktopNotification(u"run <1> has finished"_s, u"best validation 91 % & more"_s);
  QTRY_COMPARE(desktop.told.size(), 3);
  QCOMPARE(desktop.told[1], u"run <1> has finished"_s);
  QCOMPARE(desktop.told[2], u"best validation 91 % &amp; more"_s);
}

void TestDesktopNotification::cleanupTestCase() {
  daemon_.kill();
  daemon_.waitForFinished();
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestDesktopNotification)

#include "tst_desktop_notification.moc"
