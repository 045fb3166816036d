#include "app/remote/remote_connection.h"

#include <algorithm>
#include <chrono>
#include <unistd.h>
#include <utility>

#include "engine/formats/json/remote_json.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

using namespace std::chrono_literals;

/// The other side sends something at least every three seconds.
constexpr auto kLongestSilence = 20s;
constexpr std::chrono::seconds kLongestPause = 30s;
/// A login that is refused again and again may lock the account.
constexpr std::chrono::seconds kLongestPauseUnheard = 300s;
constexpr qsizetype kLongestReason = 500;

/// The checkpoint that represents a run among its files, as RunFolder chooses it.
bool isRepresentative(const RemoteFile& file, const std::vector<RemoteFile>& all) {
  constexpr const char* kBest = "checkpoints/best.safetensors";
  constexpr const char* kLast = "checkpoints/last.safetensors";
  if (file.name == kBest) return true;
  return file.name == kLast &&
         std::ranges::none_of(all, [&](const RemoteFile& other) { return other.name == kBest; });
}

}  // namespace

RemoteConnection::RemoteConnection(const QString& name,
                                   const QStringList& command,
                                   std::filesystem::path copy)
    : name_(name), command_(command), copy_(std::move(copy)) {
  retry_.setSingleShot(true);
  connect(&retry_, &QTimer::timeout, this, &RemoteConnection::connectNow);
  watchdog_.setSingleShot(true);
  watchdog_.setInterval(kLongestSilence);
  connect(&watchdog_, &QTimer::timeout, this, [this] {
    end(u"nothing was heard for %1 s"_s.arg(std::chrono::seconds(kLongestSilence).count()));
  });
}

RemoteConnection::~RemoteConnection() {
  if (process_) {
    process_->disconnect(this);
    process_->closeWriteChannel();
    process_->kill();
    process_->waitForFinished(1000);
  }
}

void RemoteConnection::release() {
  if (mirror_) mirror_->unmark();
}

void RemoteConnection::connectNow() {
  retry_.stop();
  if (process_) return;
  setState(RemoteState::connecting, u"Connecting …"_s);
  std::string greeting;
  try {
    if (!mirror_) {
      mirror_ = std::make_unique<RunMirror>(
          copy_,
          name_.toStdString(),
          RunMirror::Listener{
              .connected =
                  [this](const RemoteNews& hello) {
                    tries_ = 0;
                    wasHeard_ = true;
                    setState(RemoteState::connected,
                             u"Connected to %1, Lambda Studio %2"_s.arg(
                                 QString::fromStdString(terminalText(hello.host)),
                                 QString::fromStdString(terminalText(hello.program))));
                  },
              .changed = [this](const std::string& run) { Q_EMIT runChanged(run); },
              .answered = [this](std::uint64_t id,
                                 const std::string& run,
                                 const std::string& refusal) { answer(id, run, refusal); }});
    }
    greeting = mirror_->greeting();
  } catch (const Error& error) {
    setState(RemoteState::impossible, QString::fromStdString(error.what()));
    return;
  }
  process_ = std::make_unique<QProcess>();
  connect(process_.get(), &QProcess::readyReadStandardOutput, this, &RemoteConnection::read);
  connect(process_.get(), &QProcess::finished, this, [this] { end({}); });
  // It is emitted within start().
  connect(
      process_.get(),
      &QProcess::errorOccurred,
      this,
      [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
          end(u"%1 can't be started; is it installed?"_s.arg(command_.front()));
        }
      },
      Qt::QueuedConnection);
  connect(process_.get(), &QProcess::readyReadStandardError, this, [this] {
    complaints_ = (complaints_ + process_->readAllStandardError()).right(kLongestReason);
  });
  // Without a terminal ssh asks for nothing in the one that the studio was started from.
  process_->setChildProcessModifier([] { ::setsid(); });
  complaints_.clear();
  process_->start(command_.front(), command_.mid(1));
  process_->write(QByteArray::fromStdString(greeting));
}

void RemoteConnection::read() {
  const QByteArray bytes = process_->readAllStandardOutput();
  watchdog_.start();
  try {
    mirror_->feed({bytes.constData(), static_cast<std::size_t>(bytes.size())});
  } catch (const Error& error) {
    end(QString::fromStdString(error.what()));
  }
}

/// Ends the connection; without a reason of our own, that of the process.
void RemoteConnection::end(const QString& reason) {
  if (!process_) return;
  // This may be called by one of its signals.
  QProcess* process = process_.release();
  process->disconnect(this);
  watchdog_.stop();
  QString text = reason;
  if (text.isEmpty()) {
    const QByteArray said = (complaints_ + process->readAllStandardError()).right(kLongestReason);
    text = QString::fromStdString(terminalText(said.trimmed().toStdString(), LineBreaks::kept));
  }
  if (text.isEmpty()) text = u"the connection has ended"_s;
  process->kill();
  process->waitForFinished(1000);
  process->deleteLater();
  const QString refusal = u"%1: there is no connection: %2"_s.arg(name_, text);
  for (auto& [id, answer] : std::exchange(answers_, {})) answer({}, refusal);
  const auto longest = wasHeard_ ? kLongestPause : kLongestPauseUnheard;
  const auto pause = std::min<std::chrono::seconds>(longest, 1s * (1 << std::min(tries_++, 9)));
  setState(RemoteState::lost, text);
  retry_.start(pause);
}

void RemoteConnection::setState(RemoteState state, const QString& text) {
  state_ = state;
  Q_EMIT stateChanged(state, text);
}

void RemoteConnection::send(RemoteWish wish, Answer answer) {
  if (state_ != RemoteState::connected) {
    answer({}, u"%1: there is no connection"_s.arg(name_));
    return;
  }
  wish.id = ++lastId_;
  answers_.emplace(wish.id, std::move(answer));
  process_->write(QByteArray::fromStdString(toJson(wish) + "\n"));
}

void RemoteConnection::answer(std::uint64_t id,
                              const std::string& run,
                              const std::string& refusal) {
  const auto found = answers_.extract(id);
  if (found) found.mapped()(run, QString::fromStdString(refusal));
}

void RemoteConnection::fetch(const std::string& run, RemoteFiles which, Answer answer) {
  const FetchKey key(run, which);
  if (const auto running = fetches_.find(key); running != fetches_.end()) {
    running->second.answers.push_back(std::move(answer));
    return;
  }
  const std::vector<RemoteFile> all = mirror_ ? mirror_->filesOf(run) : std::vector<RemoteFile>();
  std::vector<RemoteFile> files = all;
  std::erase_if(files, [&](const RemoteFile& file) {
    const bool isCheckpoint = which == RemoteFiles::toInspect && isRepresentative(file, all);
    const bool isWanted = isCheckpoint || file.name.starts_with("inspection/");
    return !isWanted || mirror_->isHere(run, file);
  });
  if (files.empty()) return answer({}, {});
  if (state_ != RemoteState::connected) {
    answer({}, u"%1: there is no connection, and not everything of the run is here"_s.arg(name_));
    return;
  }
  Fetch& fetch = fetches_[key];
  fetch.left = files.size();
  fetch.answers.push_back(std::move(answer));
  for (const RemoteFile& file : files) {
    send({.kind = WishKind::fetch, .run = run, .file = file.name},
         [this, key](const std::string&, const QString& refusal) {
           Fetch& fetch = fetches_.at(key);
           if (!refusal.isEmpty()) fetch.problem = refusal;
           if (--fetch.left > 0) return;
           const Fetch done = std::move(fetch);
           fetches_.erase(key);
           for (const Answer& each : done.answers) each({}, done.problem);
         });
  }
}

}  // namespace lambda
