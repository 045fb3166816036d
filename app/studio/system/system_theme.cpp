#include "app/studio/system/system_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kPortal = u"org.freedesktop.portal.Desktop"_s;
const QString kPortalPath = u"/org/freedesktop/portal/desktop"_s;
const QString kInterface = u"org.freedesktop.portal.Settings"_s;
const QString kGroup = u"org.freedesktop.appearance"_s;
const QString kKey = u"color-scheme"_s;

/// The portal's values are 0 = no preference, 1 = dark, 2 = light.
constexpr uint kPrefersDark = 1;
constexpr uint kNoPreference = 0;

}  // namespace

SystemTheme::SystemTheme(QObject* parent) : QObject(parent) {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  bus.connect(kPortal,
              kPortalPath,
              kInterface,
              u"SettingChanged"_s,
              this,
              SLOT(onSettingChanged(QString, QString, QDBusVariant)));
  QDBusMessage question =
      QDBusMessage::createMethodCall(kPortal, kPortalPath, kInterface, u"Read"_s);
  question << kGroup << kKey;
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(question), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
    const QDBusPendingReply<QDBusVariant> reply = *watcher;
    if (reply.isValid()) take(reply.value().variant());
    watcher->deleteLater();
  });
}

void SystemTheme::onSettingChanged(const QString& group,
                                   const QString& key,
                                   const QDBusVariant& value) {
  if (group == kGroup && key == kKey) take(value.variant());
}

void SystemTheme::take(const QVariant& value) {
  // The older call wraps its answer twice.
  const QVariant inner =
      value.canConvert<QDBusVariant>() ? value.value<QDBusVariant>().variant() : value;
  bool isNumber = false;
  const uint preference = inner.toUInt(&isNumber);
  if (isNumber && preference != kNoPreference) Q_EMIT darkPreferred(preference == kPrefersDark);
}

}  // namespace lambda
