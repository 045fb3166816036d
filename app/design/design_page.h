#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/page.h"
#include "engine/runs/run_export.h"
#include "engine/values/config/run_config.h"
#include "widgets/forms/field_rows.h"
#include "widgets/work/work.h"

class QPushButton;
class QToolButton;

namespace lambda {

class DocumentActions;
struct Fix;
class GripSplitter;
class MachineService;
class MixerGallery;
class NetworkEditor;
class ProblemsPanel;
class ProjectDocument;
class PropertyPanel;
struct NetworkFragment;
struct MixerOffer;
class NoticeLine;
struct Problem;
struct Template;
class TemplateGallery;
class TotalsBar;

/// The workspace for designing a network: the network large in the middle, its problems below it,
/// the options of the selection at the right, the totals along the bottom.
class DesignPage : public Page {
  Q_OBJECT

 public:
  DesignPage(ProjectDocument& document,
             MachineService& machine,
             DocumentActions& documentActions,
             QWidget* parent = nullptr);
  ~DesignPage() override;

  QList<QAction*> pageActions() const override;
  QAction* undoAction() const override;
  QAction* redoAction() const override;

  QAction* exportAction() const override { return export_; }

  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

  /// Selects the part at the path of a problem and puts the cursor into its field.
  void showProblem(const std::string& path);

  /// Opens or closes the choice of templates.
  void showTemplates(bool visible);

  NetworkEditor& editor() { return *editor_; }

  PropertyPanel& properties() { return *properties_; }

  TotalsBar& totals() { return *totals_; }

 Q_SIGNALS:
  void trainRequested();
  /// The run, which repeats that of the document with other mixers, should be opened in Train.
  void variantRequested(const lambda::RunConfig& config);
  void variantsQueued(const std::vector<lambda::RunConfig>& configs);
  /// Several values of a field of the document should be compared in an experiment.
  void varyRequested(const lambda::FieldRow& row);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeActions();
  QWidget* makeToolBar();
  QToolButton* makePaintButton();
  QToolButton* makeExportButton();
  void makeColumns();
  QToolButton* makeButton(QAction* action, const QString& iconName);
  void connectEditor();
  void connectPanels();
  void refresh();
  void edit(const Architecture& architecture, const QString& text, const QString& gesture);
  void startFrom(const Template& from);
  void applyFix(const Fix& fix);
  void applyFixes(const std::vector<Fix>& fixes);
  void showProblems(const std::vector<Problem>& problems);
  void copyToClipboard(const NetworkFragment& fragment);
  void pasteFromClipboard();
  void askForFile();
  void duplicate();
  void exportTo(const QString& path, RunExport format);
  void showProperties();
  void updateIcons();
  void fitColumns();
  void fitProblems();
  void openGallery();
  void openMixers(const std::vector<MixerOffer>& offers);
  QRect galleryArea() const;

  ProjectDocument& document_;
  DocumentActions& documentActions_;
  NetworkEditor* editor_;
  PropertyPanel* properties_;
  NoticeLine* notice_;
  ProblemsPanel* problems_;
  TotalsBar* totals_;
  TemplateGallery* gallery_;
  MixerGallery* mixers_;
  GripSplitter* columns_;  ///< The network with its problems, and the options.
  GripSplitter* rows_;     ///< The network above its problems.
  bool hasChosenColumns_ = false;
  std::optional<int> problemsHeight_;  ///< The height that a person has chosen, if any.
  QAction* templates_;
  QAction* duplicate_;
  QAction* train_;
  QAction* measure_;
  QAction* export_;
  QWidget* toolBar_;
  QPushButton* trainButton_;
  std::vector<std::pair<QAction*, QString>> icons_;
  Work files_{*this};
};

}  // namespace lambda
