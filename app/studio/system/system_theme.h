#pragma once

#include <optional>

#include <QObject>

class QDBusVariant;

namespace lambda {

/// Whether the desktop prefers dark windows, at the start and after each change: the setting
/// "color-scheme" of the desktop portal. Desktops without a portal never answer.
class SystemTheme : public QObject {
  Q_OBJECT

 public:
  /// Sends the query and does not wait for the answer.
  explicit SystemTheme(QObject* parent = nullptr);

 Q_SIGNALS:
  void darkPreferred(bool isDark);

 private:
  void take(const QVariant& value);

 private Q_SLOTS:
  void onSettingChanged(const QString& group, const QString& key, const QDBusVariant& value);
};

}  // namespace lambda
