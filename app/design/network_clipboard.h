#pragma once

#include <memory>
#include <optional>

#include <QString>

#include "engine/values/architecture/network_fragment.h"

class QMimeData;

namespace lambda {

/// The type of copied parts on the clipboard; the same JSON is also there as plain text, so that it
/// can be pasted into an editor and back.
inline constexpr char kFragmentType[] = "application/x-lambda-studio-network+json";

std::unique_ptr<QMimeData> mimeDataOf(const NetworkFragment& fragment);

/// The parts on the clipboard. Where there are none, `reason` says why.
std::optional<NetworkFragment> fragmentFrom(const QMimeData* data, QString& reason);

}  // namespace lambda
