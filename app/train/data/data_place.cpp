#include "app/train/data/data_place.h"

#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "app/train/training_text.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

std::filesystem::path pathOf(const QString& text) {
  return {QFile::encodeName(text).toStdString()};
}

}  // namespace

DataPlace::DataPlace(QWidget* parent)
    : QWidget(parent), path_(new QLineEdit(this)), choose_(new QToolButton(this)) {
  path_->setAccessibleName(tr("Folder or archive with CIFAR-10"));
  path_->setToolTip(tr("A folder with the binary version's files, or cifar-10-binary.tar.gz"));
  choose_->setText(tr("Choose"));
  choose_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(choose_);
  menu->addAction(tr("Folder …"), this, [this] { choose(true); });
  menu->addAction(tr("Archive …"), this, [this] { choose(false); });
  choose_->setMenu(menu);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins({});
  row->setSpacing(4);
  row->addWidget(path_, 1);
  row->addWidget(choose_);
  connect(path_, &QLineEdit::editingFinished, this, [this] {
    const std::filesystem::path entered = pathOf(path_->text().trimmed());
    if (!entered.empty() && entered != place_) Q_EMIT placeChosen(entered);
  });
}

void DataPlace::setPlace(const std::filesystem::path& place) {
  place_ = place;
  path_->setText(toText(place));
}

void DataPlace::setReadOnly(bool readOnly) {
  path_->setReadOnly(readOnly);
  choose_->setEnabled(!readOnly);
}

void DataPlace::choose(bool isFolder) {
  auto* dialog = new QFileDialog(
      this, isFolder ? tr("Folder with CIFAR-10") : tr("Archive with CIFAR-10"), path_->text());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  if (isFolder) {
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
  } else {
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Archives (*.tar.gz *.tgz *.tar)"), tr("All files (*)")});
  }
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    Q_EMIT placeChosen(pathOf(path));
  });
  dialog->open();
}

}  // namespace lambda
