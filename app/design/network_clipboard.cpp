#include "app/design/network_clipboard.h"

#include <QMimeData>

#include "engine/formats/json/fragment_json.h"
#include "engine/runtime/error.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr qsizetype kLargestText = 4 << 20;

}  // namespace

std::unique_ptr<QMimeData> mimeDataOf(const NetworkFragment& fragment) {
  const std::string json = toJson(fragment);
  auto data = std::make_unique<QMimeData>();
  data->setData(QString::fromLatin1(kFragmentType), QByteArray::fromStdString(json));
  data->setText(QString::fromStdString(json));
  return data;
}

std::optional<NetworkFragment> fragmentFrom(const QMimeData* data, QString& reason) {
  QByteArray json;
  if (data) json = data->data(QString::fromLatin1(kFragmentType));
  if (data && json.isEmpty()) json = data->text().toUtf8();
  const std::string_view text(json.constData(), static_cast<std::size_t>(json.size()));
  if (json.size() > kLargestText || !claimsToBeFragment(text)) {
    reason =
        u"the clipboard has no blocks or stages. Copy some in Design, here or in another "
        "window, and paste again."_s;
    return {};
  }
  try {
    return fragmentFromJson(text, u"the copied text is damaged"_s.toStdString());
  } catch (const Error& error) {
    reason = QString::fromStdString(error.what());
    return {};
  }
}

}  // namespace lambda
