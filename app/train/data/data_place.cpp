#include "app/train/data/data_place.h"

#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "app/train/training_text.h"
#include "widgets/text/path_text.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

std::filesystem::path pathOf(const QString& text) {
  return {QFile::encodeName(text).toStdString()};
}

}  // namespace

DataPlace::DataPlace(QWidget* parent)
    : QWidget(parent), path_(new QLineEdit(this)), choose_(new QToolButton(this)) {
  choose_->setText(u"Choose"_s);
  choose_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(choose_);
  menu->addAction(u"Folder …"_s, this, [this] { choose(true); });
  file_ = menu->addAction(QString(), this, [this] { choose(false); });
  choose_->setMenu(menu);
  auto* row = makeBareLayout<QHBoxLayout>(this, 4);
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

void DataPlace::setKind(const DataSource& source) {
  const DataSourceTraits traits = traitsOf(source);
  title_ = QString::fromUtf8(traits.title);
  path_->setAccessibleName(u"Place of the data: %1"_s.arg(title_));
  path_->setToolTip(toolTipText(QString::fromUtf8(traits.layout)));
  isArchive_ = traits.layout.find(".tar.gz") != std::string_view::npos;
  file_->setText(isArchive_ ? u"Archive …"_s : u"File …"_s);
  file_->setVisible(isArchive_ || traits.isSequences);
}

void DataPlace::setReadOnly(bool readOnly) {
  path_->setReadOnly(readOnly);
  choose_->setEnabled(!readOnly);
}

void DataPlace::choose(bool isFolder) {
  const QString title = isFolder ? u"Folder: %1"_s : isArchive_ ? u"Archive: %1"_s : u"File: %1"_s;
  auto* dialog = new QFileDialog(this, title.arg(title_), path_->text());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  if (isFolder) {
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
  } else {
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(
        {isArchive_ ? u"Archives (*.tar.gz *.tgz *.tar)"_s : u"Texts (*.txt *.md)"_s,
         u"All files (*)"_s});
  }
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    Q_EMIT placeChosen(pathOf(path));
  });
  dialog->open();
}

}  // namespace lambda
