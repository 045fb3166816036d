#include "app/session/studio_settings.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSettings>

#include "app/session/set_aside.h"
#include "engine/formats/json/config_override.h"
#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr qint64 kLargestSettings = 1 << 20;

const QString kAskTestScoreKey = u"ask/beforeTestScore"_s;
const QString kAskStoppingKey = u"ask/beforeStopping"_s;
const QString kEndNotificationKey = u"notify/endOfTraining"_s;
const QString kFileThreadsKey = u"threads/files"_s;
const QString kInspectionThreadsKey = u"threads/inspections"_s;
const QString kDataFolderKey = u"folders/data"_s;
const QString kRunDefaultsKey = u"newRuns/settings"_s;

/// Reads values and notes those that make no sense.
class Reader {
 public:
  explicit Reader(QStringList* ignored) : ignored_(ignored) {}

  void read(const QString& key, bool& value) {
    const QString text = settings_.value(key, value).toString();
    if (text == u"true"_s || text == u"false"_s) {
      value = text == u"true"_s;
    } else {
      note(key, text);
    }
  }

  void read(const QString& key, int& value, int least, int most) {
    const QString text = settings_.value(key, value).toString();
    bool isNumber = false;
    const int number = text.toInt(&isNumber);
    if (isNumber && number >= least && number <= most) {
      value = number;
    } else {
      note(key, text);
    }
  }

  void read(const QString& key, QString& value) { value = settings_.value(key).toString(); }

  void read(const QString& key, std::vector<std::string>& overrides) {
    RunConfig trial;
    for (const QString& text : settings_.value(key).toStringList()) {
      try {
        applyOverride(trial, text.toStdString());
        overrides.push_back(text.toStdString());
      } catch (const Error&) {
        note(key, text);
      }
    }
  }

 private:
  void note(const QString& key, const QString& text) {
    if (ignored_) *ignored_ << u"%1 = %2"_s.arg(key, text.left(40));
  }

  QSettings settings_;
  QStringList* ignored_;
};

}  // namespace

QString settingsFolder() {
  const QString chosen = qEnvironmentVariable("XDG_CONFIG_HOME");
  return QDir::isAbsolutePath(chosen) ? chosen : QDir::homePath() + u"/.config"_s;
}

QStringList setUnusableSettingsAside(const QString& folder) {
  QStringList texts;
  const QString organization = folder + u'/' + QCoreApplication::organizationName();
  for (const QString& file :
       {organization + u".conf"_s,
        organization + u'/' + QCoreApplication::applicationName() + u".conf"_s}) {
    const QFileInfo facts(file);
    if (!facts.exists() || (facts.isFile() && facts.size() <= kLargestSettings)) continue;
    const QString aside = toText(setAside(toPath(file)));
    // Settings are neither read nor kept where that is impossible.
    if (aside.isEmpty()) {
      QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, u"/dev/null"_s);
    }
    texts << (aside.isEmpty() ? u"all in %1"_s.arg(file)
                              : u"all in %1, which is kept as %2"_s.arg(file, aside));
  }
  return texts;
}

StudioSettings readStudioSettings(QStringList* ignored) {
  StudioSettings settings;
  Reader reader(ignored);
  reader.read(kAskTestScoreKey, settings.asksBeforeTestScore);
  reader.read(kAskStoppingKey, settings.asksBeforeStopping);
  int notification = static_cast<int>(settings.endNotification);
  reader.read(kEndNotificationKey, notification, 0, static_cast<int>(EndNotification::never));
  settings.endNotification = static_cast<EndNotification>(notification);
  reader.read(kFileThreadsKey, settings.fileThreads, 1, kMostOwnThreads);
  reader.read(kInspectionThreadsKey, settings.inspectionThreads, 1, kMostOwnThreads);
  reader.read(kDataFolderKey, settings.dataFolder);
  reader.read(kRunDefaultsKey, settings.runDefaults);
  return settings;
}

void writeStudioSettings(const StudioSettings& settings) {
  QSettings stored;
  stored.setValue(kAskTestScoreKey, settings.asksBeforeTestScore);
  stored.setValue(kAskStoppingKey, settings.asksBeforeStopping);
  stored.setValue(kEndNotificationKey, static_cast<int>(settings.endNotification));
  stored.setValue(kFileThreadsKey, settings.fileThreads);
  stored.setValue(kInspectionThreadsKey, settings.inspectionThreads);
  stored.setValue(kDataFolderKey, settings.dataFolder);
  QStringList overrides;
  for (const std::string& text : settings.runDefaults) overrides << QString::fromStdString(text);
  stored.setValue(kRunDefaultsKey, overrides);
}

RunConfig withRunDefaults(RunConfig config) {
  for (const std::string& text : readStudioSettings().runDefaults) {
    try {
      applyOverride(config, text);
    } catch (const Error&) {
      // It is a setting of another data set or recipe.
    }
  }
  return config;
}

}  // namespace lambda
