// SPDX-License-Identifier: Apache-2.0

// The rows of each library.
#pragma once

#include <span>

#include "cel/values/functions.h"

namespace fairway::cel {

std::span<const Overload> operator_overloads();
std::span<const Overload> conversion_overloads();
std::span<const Overload> text_overloads();
std::span<const Overload> time_overloads();
std::span<const Overload> optional_overloads();
std::span<const Overload> string_overloads();
std::span<const Overload> list_overloads();
std::span<const Overload> set_overloads();
std::span<const Overload> regex_overloads();
std::span<const Overload> url_overloads();
std::span<const Overload> network_overloads();
std::span<const Overload> quantity_overloads();
std::span<const Overload> format_overloads();
std::span<const Overload> semver_overloads();
std::span<const Overload> authorizer_overloads();

}  // namespace fairway::cel
