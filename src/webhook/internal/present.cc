// SPDX-License-Identifier: Apache-2.0

#include "webhook/internal/present.h"

#include <algorithm>

#include "k8s/equality.h"

namespace fairway::webhook {
namespace {

bool may_be_absent(const json::Value& wanted) {
  return wanted.is_null() || (wanted.is_bool() && !wanted.get_bool()) ||
         (wanted.is_string() && wanted.get_string().empty()) ||
         (wanted.is_array() && wanted.get_array().empty());
}

}  // namespace

bool is_present(const json::Value& wanted, const json::Value& there) {
  if (wanted.is_object()) {
    return there.is_object() && std::ranges::all_of(wanted.get_object(), [&](const auto& member) {
             const json::Value* const found = json::find(there, member.key());
             return found != nullptr ? is_present(member.value(), *found) : may_be_absent(member.value());
           });
  }
  if (wanted.is_array())
    return there.is_array() && std::ranges::equal(wanted.get_array(), there.get_array(), is_present);
  return k8s::equal(wanted, there);
}

}  // namespace fairway::webhook
