#pragma once

#include <QDialog>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace lambda {

class RemoteRuns;

/// The folders of runs on other machines that are followed, with the state of each connection, and
/// a form to follow another one. Not modal.
class RemoteDialog : public QDialog {
  Q_OBJECT

 public:
  explicit RemoteDialog(RemoteRuns& remote, QWidget* parent = nullptr);

 private:
  QWidget* makeForm();
  void showPlaces();
  void updateButtons();
  void follow();

  RemoteRuns& remote_;
  QListWidget* places_;
  QLabel* none_;
  QPushButton* connect_;
  QPushButton* remove_;
  QLineEdit* host_;
  QLineEdit* folder_;
  QLineEdit* program_;
  QLabel* problem_;
};

}  // namespace lambda
