// SPDX-License-Identifier: Apache-2.0

// The plural of a kind's name, in which a server serves its objects.
#pragma once

#include <string>
#include <string_view>

namespace fairway::cli {

/// Returns the plural of a lower-case word by three rules: -s, -x, -z, -ch and -sh get "es", a consonant with
/// "y" becomes "ies", and everything else gets "s". Words that English treats otherwise are up to the caller.
std::string plural_of(std::string_view word);

}  // namespace fairway::cli
