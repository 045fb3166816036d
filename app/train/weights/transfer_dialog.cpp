#include "app/train/weights/transfer_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "widgets/text/untrusted_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kDialogSize(760, 560);

QTreeWidgetItem* addGroup(QTreeWidget& tree, const QString& title, std::size_t count) {
  auto* group = new QTreeWidgetItem(&tree, {u"%1: %2"_s.arg(title).arg(count)});
  group->setFirstColumnSpanned(true);
  group->setDisabled(count == 0);
  return group;
}

void addRow(QTreeWidgetItem* group, const std::string& tensor, const std::string& from) {
  new QTreeWidgetItem(
      group, {oneLine(QString::fromStdString(tensor)), oneLine(QString::fromStdString(from))});
}

}  // namespace

TransferDialog::TransferDialog(const WeightTransfer& transfer, const QString& file, QWidget* parent)
    : QDialog(parent) {
  setWindowTitle(u"Weights of %1"_s.arg(oneLine(file)));
  auto* tree = new QTreeWidget(this);
  tree->setObjectName(u"tensors"_s);
  tree->setAccessibleName(u"Tensors"_s);
  tree->setHeaderLabels({u"Tensor"_s, u"From"_s});
  tree->setUniformRowHeights(true);
  QTreeWidgetItem* missing =
      addGroup(*tree, u"Keep their initial values"_s, transfer.missing.size());
  for (const std::string& name : transfer.missing) {
    addRow(missing, name, "the seed");
  }
  QTreeWidgetItem* left = addGroup(*tree, u"Left out of the file"_s, transfer.left.size());
  for (const WeightTransfer::Left& each : transfer.left) {
    addRow(left, each.name, each.reason);
  }
  QTreeWidgetItem* taken = addGroup(*tree, u"Taken"_s, transfer.taken.size());
  for (const WeightTransfer::Taken& each : transfer.taken) {
    addRow(taken, each.target, each.source);
  }
  tree->expandAll();
  tree->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addWidget(tree, 1);
  column->addWidget(buttons);
  resize(kDialogSize);
}

}  // namespace lambda
