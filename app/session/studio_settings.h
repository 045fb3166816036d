#pragma once

#include <string>
#include <vector>

#include <QString>
#include <QStringList>

#include "engine/values/config/run_config.h"

namespace lambda {

/// When a notification of the desktop reports the end of a training.
enum class EndNotification { inBackground, always, never };

/// The decisions of a person that hold for all documents. They are read where they are needed, so
/// that a change takes effect with the next use.
struct StudioSettings {
  bool asksBeforeTestScore = true;
  bool asksBeforeStopping = true;  ///< Where closing stops a training.
  EndNotification endNotification = EndNotification::inBackground;
  int fileThreads = 2;        ///< Files of one disk: more threads would hardly read faster.
  int inspectionThreads = 1;  ///< Beside a training.
  QString dataFolder;         ///< For downloaded data sets; empty = the standard one.
  /// The settings of new configurations that differ from the standard, as applyOverride() takes
  /// them: "device.threads=2".
  std::vector<std::string> runDefaults;

  bool operator==(const StudioSettings&) const = default;
};

inline constexpr int kMostOwnThreads = 16;

/// The folder in which QSettings keeps the person's files.
QString settingsFolder();

/// Sets aside the files of settings in such a folder that can't be read: far larger than settings
/// are, or no files, such as a pipe, on which reading would wait for ever. To be called before the
/// first QSettings. Returns a text for each of them, to be listed.
QStringList setUnusableSettingsAside(const QString& folder = settingsFolder());

/// The stored settings. Damaged ones have their standard values, and `ignored` names them.
StudioSettings readStudioSettings(QStringList* ignored = nullptr);

void writeStudioSettings(const StudioSettings& settings);

/// A new configuration with those of the person's defaults that it has.
RunConfig withRunDefaults(RunConfig config);

}  // namespace lambda
