#include "app/design/design_page.h"

#include <algorithm>
#include <initializer_list>

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QResizeEvent>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/design/gallery/mixer_gallery.h"
#include "app/design/notice_line.h"
#include "app/design/options/property_panel.h"
#include "app/design/problems/problem_groups.h"
#include "app/design/problems/problems_panel.h"
#include "app/design/templates/template_gallery.h"
#include "app/design/totals/epoch_time.h"
#include "app/design/totals/totals_bar.h"
#include "app/session/documents/document_actions.h"
#include "app/session/documents/project_document.h"
#include "app/session/studio_settings.h"
#include "app/variants/duplicate_dialog.h"
#include "widgets/forms/field_form.h"
#include "widgets/network/network_editor.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/grip_splitter.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/question_box.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

// Lengths in pixels at scale 1.
constexpr double kPanelWidth = 304;
constexpr double kLeastPanelWidth = 264;
constexpr double kLeastEditorWidth = 320;

constexpr double kPanelShare = 0.252;     ///< As a share of the page's width.
constexpr double kMostForProblems = 0.4;  ///< As a share of the column's height.
const QString kColumnsKey = u"columns"_s;
const QString kProblemsKey = u"problems-height"_s;

}  // namespace

DesignPage::DesignPage(ProjectDocument& document,
                       MachineService& machine,
                       DocumentActions& documentActions,
                       QWidget* parent)
    : Page(parent),
      document_(document),
      documentActions_(documentActions),
      editor_(new NetworkEditor(this)),
      columns_(new GripSplitter(Qt::Horizontal, this)),
      rows_(new GripSplitter(Qt::Vertical, this)) {
  makeActions();
  toolBar_ = makeToolBar();
  properties_ = new PropertyPanel(this);
  notice_ = new NoticeLine(this);
  problems_ = new ProblemsPanel(this);
  totals_ = new TotalsBar(machine, this);
  // The Tab order: the bar, the network, its options, then the widgets made after the bar.
  setTabOrder(trainButton_, editor_);
  makeColumns();
  auto* layout = makeBareLayout<QVBoxLayout>(this, 0);
  layout->addWidget(toolBar_);
  layout->addWidget(columns_, 1);
  layout->addWidget(totals_);
  gallery_ = new TemplateGallery(this);
  mixers_ = new MixerGallery(this);

  connectEditor();
  connectPanels();
  updateIcons();
  setEntry(editor_);
  refresh();
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange, QEvent::StyleChange}, [this] {
    updateIcons();
    fitColumns();
  });
}

DesignPage::~DesignPage() {
  // The focus moves again when the widgets are destroyed.
  disconnect(qApp, nullptr, this, nullptr);
}

void DesignPage::makeColumns() {
  columns_->setObjectName(u"columns"_s);
  rows_->setObjectName(u"rows"_s);
  auto* drawing = new QWidget(this);
  auto* layout = makeBareLayout<QVBoxLayout>(drawing, 0);
  layout->addWidget(editor_, 1);
  layout->addWidget(notice_);
  rows_->addWidget(drawing);
  rows_->addWidget(problems_);
  rows_->setStretchFactor(0, 1);
  columns_->addWidget(rows_);
  columns_->addWidget(properties_);
  columns_->setStretchFactor(0, 1);
  connect(columns_, &QSplitter::splitterMoved, this, [this] { hasChosenColumns_ = true; });
  connect(columns_, &GripSplitter::resetRequested, this, [this] {
    hasChosenColumns_ = false;
    fitColumns();
  });
  connect(
      rows_, &QSplitter::splitterMoved, this, [this] { problemsHeight_ = problems_->height(); });
  connect(rows_, &GripSplitter::resetRequested, this, [this] {
    problemsHeight_.reset();
    fitProblems();
  });
  // Queued: the panel's width, and with it the height of its texts, changes while the columns are
  // laid out.
  connect(problems_,
          &ProblemsPanel::heightChanged,
          this,
          &DesignPage::fitProblems,
          Qt::QueuedConnection);
}

void DesignPage::fitColumns() {
  const double scale = textScale();
  editor_->setMinimumWidth(qRound(kLeastEditorWidth * scale));
  properties_->setMinimumWidth(qRound(kLeastPanelWidth * scale));
  if (hasChosenColumns_) return;
  const int panel =
      qRound(std::clamp(kPanelShare * width(), kLeastPanelWidth * scale, kPanelWidth * scale));
  columns_->setSizes({std::max(1, width() - columns_->handleWidth() - panel), panel});
}

void DesignPage::fitProblems() {
  const int height = rows_->height() - rows_->handleWidth();
  const int wanted = std::min(problemsHeight_.value_or(problems_->sizeHint().height()),
                              qRound(kMostForProblems * height));
  rows_->setSizes({height - wanted, wanted});
}

void DesignPage::connectEditor() {
  connect(editor_, &NetworkEditor::architectureEdited, this, &DesignPage::edit);
  connect(editor_, &NetworkEditor::selectionChanged, this, &DesignPage::showProperties);
  connect(editor_, &NetworkEditor::templatesRequested, this, [this] { showTemplates(true); });
  connect(editor_, &NetworkEditor::propertiesRequested, properties_, &PropertyPanel::focusFirst);
  connect(editor_, &NetworkEditor::copyRequested, this, &DesignPage::copyToClipboard);
  connect(editor_, &NetworkEditor::pasteRequested, this, &DesignPage::pasteFromClipboard);
  connect(editor_, &NetworkEditor::told, notice_, &NoticeLine::tell);
  connect(properties_, &PropertyPanel::told, notice_, &NoticeLine::tell);
  connect(properties_, &PropertyPanel::varyRequested, this, &DesignPage::varyRequested);
  connect(&document_, &ProjectDocument::changed, this, &DesignPage::refresh);
}

void DesignPage::connectPanels() {
  connect(properties_, &PropertyPanel::architectureEdited, this, &DesignPage::edit);
  connect(properties_, &PropertyPanel::fixRequested, this, &DesignPage::applyFix);
  connect(problems_, &ProblemsPanel::fixRequested, this, &DesignPage::applyFixes);
  connect(problems_, &ProblemsPanel::activated, this, &DesignPage::showProblems);
  connect(gallery_, &TemplateGallery::chosen, this, &DesignPage::startFrom);
  connect(gallery_, &TemplateGallery::closed, this, [this] { templates_->setChecked(false); });
  connect(properties_, &PropertyPanel::mixerChoiceRequested, this, &DesignPage::openMixers);
  connect(mixers_, &MixerGallery::chosen, properties_, &PropertyPanel::chooseMixer);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    if (!now || !isAncestorOf(now)) return;
    for (CardGallery* gallery : std::initializer_list<CardGallery*>{gallery_, mixers_}) {
      const bool isElsewhere = now != gallery && !gallery->isAncestorOf(now);
      if (gallery->isVisible() && isElsewhere) gallery->hide();
    }
  });
}

void DesignPage::refresh() {
  notice_->hide();
  const RunConfig& config = document_.config();
  editor_->setArchitecture(config.architecture);
  editor_->setProblems(document_.problems());
  showProperties();
  problems_->setProblems(document_.problems());
  totals_->show(
      config, editor_->costs().total, document_.savedConfig(), !hasErrors(document_.problems()));
  measure_->setEnabled(totals_->epochTime().canMeasure());
}

void DesignPage::showProperties() {
  properties_->show(document_.config().architecture,
                    editor_->costs(),
                    editor_->selection(),
                    document_.problems());
}

void DesignPage::edit(const Architecture& architecture,
                      const QString& text,
                      const QString& gesture) {
  RunConfig next = document_.config();
  next.architecture = architecture;
  document_.edit(next, text, gesture);
}

void DesignPage::duplicate() {
  RunConfig config = document_.runConfig();
  config.parentRun.clear();
  config.experiment.clear();
  const std::string& name = config.name.empty() ? config.architecture.name : config.name;
  auto* dialog = new DuplicateDialog(config, QString::fromStdString(name), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &DuplicateDialog::openRequested, this, &DesignPage::variantRequested);
  connect(dialog, &DuplicateDialog::queueRequested, this, &DesignPage::variantsQueued);
  dialog->show();
}

void DesignPage::startFrom(const Template& from) {
  documentActions_.startFrom(withRunDefaults(startedFrom(from, document_.config())), [this] {
    editor_->setSelection({});
    editor_->setFocus();
  });
}

/// A fix of the form stands for all problems of its kind in the selected parts.
void DesignPage::applyFix(const Fix& fix) {
  const Selection blocks = blocksOf(editor_->architecture(), editor_->selection());
  for (const ProblemGroup& group : groupsOf(document_.problems())) {
    const auto isAsked = [&](const Problem& problem) { return problem.fix == fix; };
    if (std::none_of(group.begin(), group.end(), isAsked)) continue;
    ProblemGroup selected;
    for (const Problem& problem : group) {
      const std::optional<PartId> part = partAt(problem.path);
      if (isAsked(problem) || (part && blocks.contains(*part))) selected.push_back(problem);
    }
    applyFixes(fixesOf(selected));
    return;
  }
  applyFixes({fix});
}

void DesignPage::applyFixes(const std::vector<Fix>& fixes) {
  const QString step = stepTextOf(fixes);
  const QString reason = document_.applyFixes(fixes, step);
  if (reason.isEmpty()) return;
  notice_->tell(u"Could not do “%1”: %2. Change the field by hand."_s.arg(step, reason), true);
}

void DesignPage::showProblem(const std::string& path) {
  const std::optional<PartId> part = partAt(path);
  editor_->setSelection(part ? Selection{*part} : Selection{});
  if (!properties_->focusField(path)) editor_->setFocus();
}

void DesignPage::showProblems(const std::vector<Problem>& problems) {
  const std::string& path = problems.front().path;
  // Settings outside the network are in the form of the Train workspace.
  if (!path.starts_with("architecture")) {
    Q_EMIT trainRequested();
    return;
  }
  showProblem(path);
  if (problems.size() == 1) return;
  Selection parts;
  for (const Problem& problem : problems) {
    if (const std::optional<PartId> part = partAt(problem.path)) parts.insert(*part);
  }
  editor_->setSelection(parts);
  if (!properties_->focusField(path)) editor_->setFocus();
}

void DesignPage::showTemplates(bool visible) {
  templates_->setChecked(visible);
  if (!visible) {
    gallery_->hide();
    return;
  }
  openGallery();
}

QRect DesignPage::galleryArea() const {
  const int top = toolBar_->height() + 8;
  return {16, top, width() - 32, height() - top - 16};
}

void DesignPage::openGallery() {
  gallery_->open(galleryArea());
}

void DesignPage::openMixers(const std::vector<MixerOffer>& offers) {
  mixers_->open(offers, galleryArea());
}

QAction* DesignPage::undoAction() const {
  return documentActions_.undoAction();
}

QAction* DesignPage::redoAction() const {
  return documentActions_.redoAction();
}

void DesignPage::saveLayout(QSettings& settings) const {
  settings.setValue(kColumnsKey, hasChosenColumns_ ? columns_->saveState() : QByteArray());
  settings.setValue(kProblemsKey, problemsHeight_ ? QVariant(*problemsHeight_) : QVariant());
}

void DesignPage::restoreLayout(QSettings& settings) {
  hasChosenColumns_ = columns_->restoreState(settings.value(kColumnsKey).toByteArray());
  const int height = settings.value(kProblemsKey).toInt();
  problemsHeight_ = height > 0 ? std::optional(height) : std::nullopt;
  fitColumns();
  fitProblems();
}

void DesignPage::resizeEvent(QResizeEvent* event) {
  Page::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) fitColumns();
  if (event->size().height() != event->oldSize().height()) fitProblems();
  if (gallery_->isVisible()) gallery_->openOver(galleryArea());
  if (mixers_->isVisible()) mixers_->openOver(galleryArea());
}

}  // namespace lambda
