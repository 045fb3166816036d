#pragma once

#include <QString>
#include <QStringList>

namespace lambda {

/// A folder of runs on another machine.
struct RemotePlace {
  QString host;    ///< As ssh takes it: a name, USER@NAME, or a Host of the person's ssh config.
  QString folder;  ///< From the home folder there, or absolute.
  QString program = QStringLiteral("lambda");  ///< The command there.

  bool operator==(const RemotePlace&) const = default;
};

/// "HOST:FOLDER".
QString nameOf(const RemotePlace& place);

/// A name for the folder of its copy.
QString copyNameOf(const RemotePlace& place);

/// Why there can be no such place; empty where there can.
QString problemOf(const RemotePlace& place);

/// The command that follows the folder, with the program first: the person's own ssh, or what the
/// environment variable LAMBDA_SSH names in its place. It asks for no password in a terminal.
QStringList followCommand(const RemotePlace& place);

}  // namespace lambda
