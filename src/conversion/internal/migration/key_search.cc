// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/key_search.h"

#include <algorithm>

#include "base/base64.h"
#include "base/json.h"

namespace fairway::conversion {

namespace {

/// The bytes of names (DNS subdomains) in their order; the namespace ends with '/', which comes before the
/// digits.
constexpr std::string_view of_names = "-.0123456789abcdefghijklmnopqrstuvwxyz",
                           of_namespaces = "-./0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view form = "meta.k8s.io/v1";
/// After every byte of a name.
constexpr char behind_all = '~';
/// The longest namespace, '/', and the longest name.
constexpr std::size_t longest_key = 63 + 1 + 253;

}  // namespace

Result<std::string> find_last_unread_key(bool with_namespace, const MeetsObject& meets) {
  std::string known;  // a proper beginning of the key
  bool in_namespace = with_namespace;
  while (known.size() < longest_key) {
    const std::string_view bytes = in_namespace && !known.empty() ? of_namespaces : of_names;
    // The last byte with which it is still met; the byte of the key is this one, or the next and the last.
    std::size_t low = 0, high = bytes.size();  // the number of bytes with which it is met is in [low, high]
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const auto met = meets(known + bytes[middle]);
      if (!met) return fail(met.error());
      if (*met) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    bool ends = low == 0;
    if (!ends && low < bytes.size()) {
      const auto met = meets(known + bytes[low - 1] + behind_all);
      if (!met) return fail(met.error());
      ends = *met;
    }
    if (ends) return known + bytes[low];
    known += bytes[low - 1];
    if (known.back() == '/') in_namespace = false;
  }
  return fail(ErrorCode::not_found, "the objects of the list change while one of them is looked for");
}

std::string continue_token_after(std::string_view after) {
  std::string start(after);
  start += '\0';
  return base64url_encode(json::to_text(json::Object{{"v", form}, {"rv", -1}, {"start", start}}));
}

std::optional<std::string> key_in_continue_token(std::string_view token) {
  const auto decoded = base64url_decode(token);
  if (!decoded) return std::nullopt;
  const auto value = json::parse(*decoded);
  if (!value || !value->is_object() || json::find_string(*value, "v") != form) return std::nullopt;
  const auto start = json::find_string(*value, "start");
  if (!start || start->empty() || start->back() != '\0') return std::nullopt;
  return std::string(start->substr(0, start->size() - 1));
}

}  // namespace fairway::conversion
