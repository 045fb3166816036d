#include "app/remote/remote_place.h"

#include "engine/values/text/text_safety.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::size_t kLongestCopyName = 120;

QString shellText(const QString& text) {
  return QString::fromStdString(shellPath(text.toStdString()));
}

}  // namespace

QString nameOf(const RemotePlace& place) {
  return place.host + u':' + place.folder;
}

QString copyNameOf(const RemotePlace& place) {
  std::string name = fileNamePart(nameOf(place).toStdString(), kLongestCopyName);
  // A hidden folder would not be searched for runs.
  while (name.starts_with('.')) name.erase(0, 1);
  return QString::fromStdString(name);
}

QString problemOf(const RemotePlace& place) {
  if (place.host.isEmpty()) return u"The name of the other machine is missing."_s;
  if (place.host.startsWith(u'-') || place.host.contains(u' ')) {
    return u"A name of a machine does not begin with '-' and has no spaces."_s;
  }
  if (place.folder.isEmpty()) return u"The folder of runs there is missing, such as runs."_s;
  if (place.program.isEmpty()) return u"The command there is missing, such as lambda."_s;
  return {};
}

QStringList followCommand(const RemotePlace& place) {
  // A quoted ~ is no home folder, which ssh begins in.
  QString folder = place.folder;
  if (folder == u"~"_s) folder = u"."_s;
  if (folder.startsWith(u"~/"_s)) folder = folder.mid(2);
  // A program has no folder to begin in.
  const QString program = place.program.startsWith(u"~/"_s)
                              ? u"\"$HOME\"/"_s + shellText(place.program.mid(2))
                              : shellText(place.program);
  const QString command = program + u" follow "_s + shellText(folder);
  const QString ssh = qEnvironmentVariable("LAMBDA_SSH", u"ssh"_s);
  return {ssh,
          u"-T"_s,
          u"-o"_s,
          u"ConnectTimeout=10"_s,
          u"-o"_s,
          u"ServerAliveInterval=5"_s,
          u"-o"_s,
          u"Compression=yes"_s,
          u"--"_s,
          place.host,
          command};
}

}  // namespace lambda
