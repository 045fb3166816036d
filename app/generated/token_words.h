#pragma once

#include <cstdint>
#include <span>

#include <QString>

#include "engine/trained/generator.h"

namespace lambda {

/// A text as it is shown: a mark before each line break, and signs in place of control characters
/// and of marks that turn the direction of writing.
QString shownText(const QString& text);

/// A token by its name: "“e”", "space", "line break", "byte 0xC3"; a number where tokens are not
/// bytes.
QString tokenWords(std::int64_t token, bool isByte);

/// The probability of a character, which is one token or more: "“e”: 43.2 %".
QString probabilityText(const QString& character,
                        std::span<const GeneratedToken> tokens,
                        bool isOfBytes);

/// The likeliest tokens where the character begins: "“e” 43.2 %, “a” 20.1 %, space 9.0 %".
QString likeliestText(std::span<const GeneratedToken> tokens, bool isOfBytes);

/// A loss in what it means for a token: "1.934 bits per byte", "perplexity 3.82".
QString lossText(double nats, bool isOfBytes);

/// The probability of a character: the product over its tokens.
double probabilityOf(std::span<const GeneratedToken> tokens);

}  // namespace lambda
