#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/values/fields/problem.h"
#include "widgets/forms/field_form.h"
#include "widgets/network/parts/mixer_memory.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

// The options of the selection in a network, as a form. Options of several blocks or stages share
// one row, whose path begins with "block" or "stage"; all other paths are those in the run's
// configuration.

/// The row of the mixer's kind, which is picked from a gallery.
inline constexpr char kMixerKindPath[] = "block.mixer.kind";

/// The form of a selection; for an empty one that of the network as a whole.
std::vector<FormSection> sectionsFor(const Architecture& architecture, const Selection& selection);

/// The network after a row's field was set in all selected parts. None where there is no such
/// field. What fitting has changed of other options is appended to `fittings`.
std::optional<Architecture> withField(const Architecture& architecture,
                                      const Selection& selection,
                                      const std::string& path,
                                      const FieldValue& value,
                                      const MixerMemory& memory,
                                      QStringList* fittings = nullptr);

/// The path of a row's field in a run's configuration, as experiments vary it:
/// "architecture.stages[1].blocks[2].mixer.h", and with "[*]" where the row stands for every part
/// that has the field. None where it stands for several parts but not for all.
std::optional<std::string> variedPathOf(const Architecture& architecture,
                                        const Selection& selection,
                                        const FieldRow& row);

/// The problems of the selected parts, with the paths of the form's rows.
std::vector<Problem> problemsOf(const std::vector<Problem>& problems,
                                const Architecture& architecture,
                                const Selection& selection);

/// The row that shows the field at a path of the configuration.
std::string rowPathOf(const std::string& path);

}  // namespace lambda
