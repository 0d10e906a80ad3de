// SPDX-License-Identifier: Apache-2.0

// Equality, type and text of the libraries' values.
#pragma once

#include <string>

#include "cel/values/value.h"

namespace fairway::cel {

const Type& opaque_type_of(const Opaque& value);
bool equal_opaque(const Opaque& a, const Opaque& b);
std::string opaque_text(const Opaque& value);

}  // namespace fairway::cel
