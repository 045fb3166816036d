#include "app/studio/settings/folder_row.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryFile>

#include "app/studio/settings/section_parts.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString folderProblem(const QString& folder) {
  const QFileInfo info(folder);
  if (info.isRelative())
    return u"Type the whole path, which begins with “/”, or choose a folder."_s;
  if (!info.exists()) return u"There is no such folder. Create it first, or choose another one."_s;
  if (!info.isDir()) return u"This is a file. Choose a folder."_s;
  QTemporaryFile probe(QDir(folder).filePath(u".lambda-studio-XXXXXX"_s));
  if (probe.open()) return {};
  return u"No file can be written there: %1. Choose another folder, or change its permissions."_s
      .arg(probe.errorString());
}

FolderRow::FolderRow(const QString& name, const QString& standard, QWidget* parent)
    : QWidget(parent),
      name_(name),
      path_(new QLineEdit),
      standard_(new QPushButton(standard)),
      state_(new QLabel),
      check_(*this) {
  auto* column = makeBareLayout<QVBoxLayout>(this, 6);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(path_, 1);
  auto* choose = new QPushButton(u"Choose …"_s);
  choose->setAccessibleName(u"Choose the folder: %1"_s.arg(name));
  standard_->setAccessibleName(u"%1: %2"_s.arg(name, standard));
  row->addWidget(choose);
  row->addWidget(standard_);
  column->addLayout(row);
  column->addWidget(state_);
  path_->setAccessibleName(u"Folder: %1"_s.arg(name));
  state_->setWordWrap(true);
  state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  state_->hide();
  connect(choose, &QPushButton::clicked, this, &FolderRow::choose);
  connect(standard_, &QPushButton::clicked, this, [this] {
    check_.cancel();
    state_->hide();
    path_->setText(folder_);
    Q_EMIT folderChosen({});
  });
  connect(path_, &QLineEdit::editingFinished, this, [this] {
    const QString typed = path_->text().trimmed();
    if (!typed.isEmpty() && typed != folder_) take(typed);
    if (typed.isEmpty()) path_->setText(folder_);
  });
}

void FolderRow::setFolder(const QString& folder, bool isStandard) {
  // What is being typed stays.
  if (folder != folder_) path_->setText(folder);
  folder_ = folder;
  standard_->setEnabled(!isStandard);
}

void FolderRow::choose() {
  auto* dialog = new QFileDialog(this, u"Folder: %1"_s.arg(name_), folder_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, &FolderRow::take);
  dialog->open();
}

void FolderRow::take(const QString& folder) {
  path_->setText(folder);
  tell(u"Trying to write there …"_s, u"secondary"_s);
  check_.runNewest([folder] { return folderProblem(folder); },
                   [this, folder](const QString& problem) {
                     if (problem.isEmpty()) {
                       tell(u"In use: files can be written there."_s, u"success"_s);
                       Q_EMIT folderChosen(folder);
                     } else {
                       tell(u"Could not use this folder. "_s + problem, u"error"_s);
                     }
                   });
}

void FolderRow::tell(const QString& text, const QString& role) {
  state_->setText(text);
  setRole(*state_, role);
  state_->show();
}

}  // namespace lambda
