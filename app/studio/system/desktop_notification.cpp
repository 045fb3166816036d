#include "app/studio/system/desktop_notification.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCall>
#include <QGuiApplication>
#include <QVariantMap>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kNotifications = u"org.freedesktop.Notifications"_s;
const QString kNotificationsPath = u"/org/freedesktop/Notifications"_s;

/// Requests a new notification instead of replacing an earlier one.
constexpr uint kReplacesNone = 0;
/// The desktop decides how long the notification is shown.
constexpr int kStandardDuration = -1;

}  // namespace

void showDesktopNotification(const QString& title, const QString& body) {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  QDBusMessage call = QDBusMessage::createMethodCall(
      kNotifications, kNotificationsPath, kNotifications, u"Notify"_s);
  call << QGuiApplication::applicationDisplayName() << kReplacesNone << u"lambda-studio"_s << title
       << body.toHtmlEscaped() << QStringList() << QVariantMap() << kStandardDuration;
  bus.asyncCall(call);
}

}  // namespace lambda
