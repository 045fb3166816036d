#pragma once

#include <map>
#include <optional>
#include <vector>

#include <QAbstractScrollArea>
#include <QPointF>
#include <QRectF>

#include "engine/values/architecture/network_fragment.h"
#include "engine/values/fields/problem.h"
#include "widgets/export/exportable.h"
#include "widgets/network/drawing/network_hit.h"
#include "widgets/network/drawing/network_layout.h"
#include "widgets/network/drawing/network_painter.h"
#include "widgets/network/network_drag.h"
#include "widgets/network/network_selection.h"
#include "widgets/network/opened_blocks.h"
#include "widgets/network/parts/edit_steps.h"
#include "widgets/network/parts/mixer_memory.h"
#include "widgets/network/parts/part_costs.h"

class QFrame;

namespace lambda {

class NetworkActions;
struct NetworkPicture;

/// What a drag over the blocks does.
struct EditTool {
  std::optional<std::size_t> paints;  ///< Index of kMixerTraits; none = the drag selects.

  bool operator==(const EditTool&) const = default;
};

inline constexpr EditTool kSelectTool{};

/// A network as a pipeline that can be edited: the feature maps in a row at the top, a column of
/// chips below each stage, with the costs beside them. It never changes its own value:
/// architectureEdited() requests every edit, and setArchitecture() shows the answer.
///
/// Click selects (Ctrl toggles, Shift extends, a drag draws a rubber band); double-click and Enter
/// open a block and show its operations; the letter of a kind turns blocks into it, Space into the
/// next kind; + and - add and remove blocks,
/// Ins and Shift+Ins blocks and stages; Alt with arrows moves; arrows walk, Shift extends; with a
/// painting tool a drag turns what it passes over, as one undo step.
class NetworkEditor : public QAbstractScrollArea, public Exportable {
  Q_OBJECT

 public:
  explicit NetworkEditor(QWidget* parent = nullptr);
  ~NetworkEditor() override;

  void setArchitecture(const Architecture& architecture);

  /// Parts of the network with a problem get a sign.
  void setProblems(const std::vector<Problem>& problems);

  const Architecture& architecture() const { return architecture_; }

  const NetworkCosts& costs() const { return costs_; }

  const Selection& selection() const { return selection_.parts(); }

  /// The part with the keyboard focus.
  const std::optional<PartId>& current() const { return selection_.current(); }

  /// Selects those of the parts that the network has, and scrolls to the first.
  void setSelection(const Selection& selection);

  EditTool tool() const { return tool_; }

  void setTool(EditTool tool);

  /// All actions of the editor, for menus and tool bars.
  const NetworkActions& actions() const { return *actions_; }

  /// The visible place of a part in the coordinates of viewport(); empty where the network lacks
  /// it.
  QRectF boxOf(const PartId& part) const;

  /// Whether the block shows its operations.
  bool isOpen(const PartId& block) const { return opened_.contains(block); }

  /// Opens the selected blocks, or closes them where all are open.
  void toggleOpen();

  /// The operations of a block, as they are shown when it is open.
  std::vector<Operation> operationsIn(const PartId& block) const;

  /// The operation with the keyboard focus.
  const std::optional<OperationMark>& operation() const { return selection_.operation(); }

  /// The visible place of an operation of an opened block; empty where there is none.
  QRectF boxOf(const OperationMark& operation) const;

  // Edits of the selection, each one undo step.
  void turnInto(std::size_t kind);
  void turnIntoNext();
  void addBlock();
  void addStage();
  void removeSelected();
  void removeBlock();
  void move(Direction direction);
  void selectAll();

  /// Whether the selection can be copied: stages, or blocks.
  bool canCopy() const;
  /// Asks for the selection on the clipboard.
  void copySelected();
  void cutSelected();
  /// Inserts a copy of the selection behind it.
  void duplicateSelected();
  /// Inserts parts behind the selection; tells where there is no place for them.
  void paste(const NetworkFragment& fragment);

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;

 Q_SIGNALS:
  /// A person requests this network. `text` names the undo step; all changes of one drag have the
  /// same non-empty `gesture`.
  void architectureEdited(const lambda::Architecture& architecture,
                          const QString& text,
                          const QString& gesture);
  void selectionChanged(const lambda::Selection& selection);
  /// The parts should be put on the clipboard.
  void copyRequested(const lambda::NetworkFragment& fragment);
  /// The parts on the clipboard should be given to paste().
  void pasteRequested();
  /// Something to tell the person: what an edit has also changed or, for a failure, why nothing was
  /// changed.
  void told(const QString& text, bool isFailure);
  void toolChanged(lambda::EditTool tool);
  /// The button "Templates" of an empty network was pressed.
  void templatesRequested();
  /// F2, or Enter on a part that has no operations, was pressed: the keyboard focus should move to
  /// the options of the selection.
  void propertiesRequested();

 protected:
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void relayout();
  void paintHint(QPainter& painter, const Colors& colors) const;
  void request(const Edited& edited, const QString& text);
  void request(const EditStep& step);
  void insert(const NetworkFragment& fragment, const QString& step, const QString& failure);
  bool takes(std::size_t kind);
  void tell(const QStringList& fittings);
  void select(const Selection& selection, std::optional<PartId> current);

  void select(const NetworkSelection::Step& step) { select(step.parts, step.current); }

  void lookAt(const OperationMark& operation);
  void describe(const QString& text);
  void announceFocus();
  void reveal(const PartId& part);
  void revealOperation(const OperationMark& operation);
  void setOpen(const Selection& blocks, bool isOpen);
  bool walkOperations(int key);
  void placeEmptyState();
  QFrame* makeEmptyState();

  QPointF toBody(const QPointF& position) const;
  NetworkHit hitAt(const QPointF& position) const;
  void hover(const QPointF& position);
  void paintAlong(const QPointF& from, const QPointF& to);
  void scrollTowards(const QPointF& position);
  NetworkMarks marks() const;
  NetworkPicture picture() const;

  Architecture architecture_;
  NetworkCosts costs_;
  NetworkLayout layout_;
  MixerMemory memory_;
  std::map<PartId, Severity> problems_;
  NetworkSelection selection_;
  OpenedBlocks opened_;
  std::optional<PartId> hovered_;
  std::optional<OperationMark> hoveredOperation_;
  EditTool tool_;
  NetworkDrag drag_;
  NetworkActions* actions_;
  QFrame* emptyState_;
};

}  // namespace lambda
