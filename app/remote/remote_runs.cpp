#include "app/remote/remote_runs.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <system_error>
#include <utility>

#include <QSettings>

#include "engine/runs/remote/mirrored_from.h"
#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"
#include "widgets/work/lane.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

using namespace std::chrono_literals;

constexpr auto kLongestAnswer = 15s;
constexpr char kCopiesFolder[] = "remote";

const QString kPlacesKey = u"places"_s;
const QString kHostKey = u"host"_s;
const QString kFolderKey = u"folder"_s;
const QString kProgramKey = u"program"_s;

}  // namespace

/// The connection for calls from any thread; null once it has ended.
struct RemoteRuns::Gate {
  std::mutex mutex;
  RemoteConnection* connection = nullptr;
};

struct RemoteRuns::Followed {
  RemotePlace place;
  fs::path copy;
  RemoteState state = RemoteState::connecting;
  QString text = {};
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  std::unique_ptr<RemoteConnection> connection;  ///< Only for the lane, on which it lives.
  Lane lane{0};

  ~Followed() {
    lane.run([this] {
      const std::lock_guard lock(gate->mutex);
      gate->connection = nullptr;
      connection.reset();
    });
  }

  /// The name there of a run whose copy lies at `run`; empty where it is none of this place.
  std::string nameOf(const fs::path& run) const {
    const fs::path name = run.lexically_relative(copy);
    return name.empty() || *name.begin() == ".." || name == "." ? std::string() : name.string();
  }
};

RemoteRuns::RemoteRuns(Command command, QObject* parent)
    : QObject(parent), command_(std::move(command)) {}

RemoteRuns::~RemoteRuns() = default;

RemoteRuns::Followed* RemoteRuns::find(const RemotePlace& place) const {
  const auto found = std::ranges::find_if(
      followed_, [&](const auto& followed) { return followed->place == place; });
  return found == followed_.end() ? nullptr : found->get();
}

RemoteRuns::Followed* RemoteRuns::ownerOf(const fs::path& run) const {
  const auto found = std::ranges::find_if(
      followed_, [&](const auto& followed) { return !followed->nameOf(run).empty(); });
  return found == followed_.end() ? nullptr : found->get();
}

void RemoteRuns::setLibrary(const fs::path& library) {
  if (library == library_) return;
  library_ = library;
  const std::vector<RemotePlace> all = places();
  for (const auto& followed : followed_) Q_EMIT leaving(followed->copy);
  followed_.clear();
  for (const RemotePlace& place : all) follow(place);
  Q_EMIT changed();
}

std::vector<RemotePlace> RemoteRuns::places() const {
  std::vector<RemotePlace> places;
  for (const auto& followed : followed_) places.push_back(followed->place);
  return places;
}

QString RemoteRuns::add(const RemotePlace& place) {
  if (QString problem = problemOf(place); !problem.isEmpty()) return problem;
  const bool isFollowed = std::ranges::any_of(
      followed_, [&](const auto& followed) { return nameOf(followed->place) == nameOf(place); });
  if (isFollowed) return u"%1 is followed already."_s.arg(nameOf(place));
  follow(place);
  Q_EMIT changed();
  return {};
}

/// The folder of its copy, which there may be already. Names of places that differ may give the
/// same name of a folder, and a copy that was ended has become one of runs.
fs::path RemoteRuns::freeCopyFor(const RemotePlace& place) const {
  const fs::path copies = library_ / kCopiesFolder;
  const QString name = copyNameOf(place);
  for (int number = 1;; ++number) {
    const fs::path copy =
        copies / toPath(number == 1 ? name : name + u'-' + QString::number(number));
    std::error_code ignored;
    const bool isOwn = mirroredFrom(copy) == nameOf(place).toStdString();
    if (isOwn || !fs::exists(copy, ignored) || fs::is_empty(copy, ignored)) return copy;
  }
}

void RemoteRuns::follow(const RemotePlace& place) {
  auto followed = std::make_unique<Followed>();
  followed->place = place;
  followed->copy = freeCopyFor(place);
  Followed* target = followed.get();
  followed_.push_back(std::move(followed));
  target->lane.run([this, target, name = nameOf(place), command = command_(place)] {
    target->connection = std::make_unique<RemoteConnection>(name, command, target->copy);
    RemoteConnection* connection = target->connection.get();
    // Their slots run on the GUI thread, where the place may be removed by then.
    connect(connection,
            &RemoteConnection::stateChanged,
            this,
            [this, place = target->place](RemoteState state, const QString& text) {
              Followed* found = find(place);
              if (!found) return;
              found->state = state;
              found->text = text;
              Q_EMIT changed();
            });
    connect(connection,
            &RemoteConnection::runChanged,
            this,
            [this, copy = target->copy](const std::string& run) { Q_EMIT runChanged(copy / run); });
    {
      const std::lock_guard lock(target->gate->mutex);
      target->gate->connection = connection;
    }
    connection->connectNow();
  });
}

void RemoteRuns::remove(const RemotePlace& place) {
  const auto found = std::ranges::find_if(
      followed_, [&](const auto& followed) { return followed->place == place; });
  if (found == followed_.end()) return;
  Q_EMIT leaving((*found)->copy);
  Followed* followed = found->get();
  followed->lane.run([followed] { followed->connection->release(); });
  followed_.erase(found);
  Q_EMIT changed();
}

RemoteState RemoteRuns::stateOf(const RemotePlace& place) const {
  const Followed* found = find(place);
  return found ? found->state : RemoteState::impossible;
}

QString RemoteRuns::stateTextOf(const RemotePlace& place) const {
  const Followed* found = find(place);
  return found ? found->text : QString();
}

void RemoteRuns::reconnect(const RemotePlace& place) {
  if (Followed* found = find(place)) {
    found->lane.run([found] { found->connection->connectNow(); });
  }
}

bool RemoteRuns::isRemote(const fs::path& run) const {
  return ownerOf(run) != nullptr;
}

RemoteConnection::Answer RemoteRuns::toThis(const Followed& followed, Answer answer) {
  return [this, copy = followed.copy, answer = std::move(answer)](const std::string& run,
                                                                  const QString& refusal) {
    QMetaObject::invokeMethod(
        this,
        [answer, path = run.empty() ? fs::path() : copy / run, refusal] { answer(path, refusal); },
        Qt::QueuedConnection);
  };
}

void RemoteRuns::send(Followed& followed, RemoteWish wish, Answer answer) {
  followed.lane.run(
      [&followed, wish = std::move(wish), answer = toThis(followed, std::move(answer))] {
        followed.connection->send(wish, answer);
      });
}

void RemoteRuns::fetch(const fs::path& run, RemoteFiles files, Answer answer) {
  Followed* owner = ownerOf(run);
  if (!owner) return answer({}, {});
  owner->lane.run(
      [owner, files, name = owner->nameOf(run), answer = toThis(*owner, std::move(answer))] {
        owner->connection->fetch(name, files, answer);
      });
}

void RemoteRuns::start(const RemotePlace& place, const RunConfig& config, Answer answer) {
  Followed* found = find(place);
  if (!found) return answer({}, u"%1 is not followed any more."_s.arg(nameOf(place)));
  send(*found, {.kind = WishKind::start, .config = config}, std::move(answer));
}

void RemoteRuns::resume(const fs::path& run, Answer answer) {
  Followed* owner = ownerOf(run);
  if (!owner) return answer({}, u"The machine of this run is not followed any more."_s);
  send(*owner, {.kind = WishKind::resume, .run = owner->nameOf(run)}, std::move(answer));
}

std::function<void(const RunRequest&)> RemoteRuns::requestsTo(const fs::path& run) const {
  const Followed* owner = ownerOf(run);
  if (!owner) return {};
  return [gate = owner->gate, name = owner->nameOf(run), place = nameOf(owner->place)](
             const RunRequest& request) {
    const auto refusal = std::make_shared<std::promise<QString>>();
    std::future<QString> answered = refusal->get_future();
    {
      const std::lock_guard lock(gate->mutex);
      if (!gate->connection) throw Error(place.toStdString(), "it is not followed any more");
      RemoteConnection* connection = gate->connection;
      QMetaObject::invokeMethod(
          connection,
          [connection, name, request, refusal] {
            connection->send({.kind = WishKind::ask, .run = name, .request = request},
                             [refusal](const std::string&, const QString& reason) {
                               refusal->set_value(reason);
                             });
          },
          Qt::QueuedConnection);
    }
    if (answered.wait_for(kLongestAnswer) != std::future_status::ready) {
      throw Error(place.toStdString(), "it does not answer the request");
    }
    const std::string reason = answered.get().toStdString();
    if (!reason.empty()) throw Error(place.toStdString(), reason);
  };
}

void RemoteRuns::saveTo(QSettings& settings) const {
  settings.beginWriteArray(kPlacesKey, static_cast<int>(followed_.size()));
  for (std::size_t i = 0; i < followed_.size(); ++i) {
    settings.setArrayIndex(static_cast<int>(i));
    const RemotePlace& place = followed_[i]->place;
    settings.setValue(kHostKey, place.host);
    settings.setValue(kFolderKey, place.folder);
    settings.setValue(kProgramKey, place.program);
  }
  settings.endArray();
}

void RemoteRuns::restoreFrom(QSettings& settings) {
  constexpr int kMostPlaces = 100;
  const int count = std::min(settings.beginReadArray(kPlacesKey), kMostPlaces);
  for (int i = 0; i < count; ++i) {
    settings.setArrayIndex(i);
    add({settings.value(kHostKey).toString(),
         settings.value(kFolderKey).toString(),
         settings.value(kProgramKey, u"lambda"_s).toString()});
  }
  settings.endArray();
}

}  // namespace lambda
