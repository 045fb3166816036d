#pragma once

#include "app/runs/panels/runs_panel.h"

namespace lambda {

class TextSamplesPanel;

/// What the network of the selected run wrote after each epoch.
class RunTexts : public RunsPanel {
  Q_OBJECT

 public:
  explicit RunTexts(const RunsContext& context);

  void setCurrentRun(const std::filesystem::path& run) override;

 private:
  const RunTableModel& runs_;
  std::filesystem::path run_;
  TextSamplesPanel* panel_;
};

}  // namespace lambda
