// SPDX-License-Identifier: Apache-2.0

// Numbers of custom resources in the form that Go writes.
#pragma once

#include "base/json.h"

namespace fairway::apiserver::definitions {

/// Makes integers of numbers that have no fraction and were written with one or with an exponent. A real
/// server, whose Go code writes 5.0 as 5, reads them so from then on. Numbers beyond 2^53, which are no
/// integers for its validation, stay.
void make_whole_numbers_integers(json::Value& value);
/// Makes integers of such numbers in all members.
void make_whole_numbers_integers(json::Object& object);

}  // namespace fairway::apiserver::definitions
