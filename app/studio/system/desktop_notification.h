#pragma once

#include <QString>

namespace lambda {

/// Shows a notification of the desktop, by org.freedesktop.Notifications, without waiting for it.
/// `body` is plain text. Desktops without such a service, and systems without a session bus, show
/// nothing.
void showDesktopNotification(const QString& title, const QString& body);

}  // namespace lambda
