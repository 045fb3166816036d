#pragma once

#include <filesystem>
#include <vector>

#include <QTimer>

#include "app/session/panel.h"
#include "engine/values/config/run_config.h"
#include "engine/values/run/text_sample.h"
#include "widgets/work/work.h"

class QLabel;
class QListWidget;
class QStackedLayout;

namespace lambda {

class ElidedLabel;
class GeneratedText;

/// What the network of a run wrote after each epoch. Reads the run's files while the panel is
/// visible; the newest is shown until a person chooses another one.
class TextSamplesPanel : public Panel {
  Q_OBJECT

 public:
  explicit TextSamplesPanel(QWidget* parent = nullptr);

  /// Replaces the run; empty = none. `isTraining`: more texts can come.
  void showRun(const std::filesystem::path& run, const RunConfig& config, bool isTraining);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  struct News;

  QWidget* makeContent();
  void read();
  void take(News news);
  void showSample();
  void showState();

  std::filesystem::path run_;  ///< Empty without a run on a text.
  bool isTraining_ = false;
  QString textWithoutRun_;
  QString problem_;  ///< Why a file can't be read; empty if all can.
  std::vector<TextSample> samples_;
  QStackedLayout* views_;  ///< The texts, or the reason why there are none.
  QLabel* nothing_;
  QListWidget* epochs_;
  ElidedLabel* when_;
  GeneratedText* text_;
  ElidedLabel* readout_;
  QTimer timer_;
  Work tasks_;
};

}  // namespace lambda
