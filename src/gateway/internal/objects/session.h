// SPDX-License-Identifier: Apache-2.0

// Session persistence of rules, as the releases of Gateway API write it.
#pragma once

#include <optional>
#include <string_view>

#include "k8s/view.h"

namespace fairway::gateway {

/// `sessionPersistence` of a rule: that of v1.7 (`cookie`, `header`), and where it lacks a field that of v1.6
/// (`sessionName`, `cookieConfig`), which objects in clusters still have.
class SessionPersistence : public k8s::View {
 public:
  using View::View;
  std::string_view type() const { return text("type", "Cookie"); }
  bool is_of_header() const { return type() == "Header"; }
  /// Returns the path of the name of the cookie or header, which is there or not.
  std::string_view name_field() const {
    const std::string_view field = is_of_header() ? "header.name" : "cookie.name";
    return has(field) || !has("sessionName") ? field : "sessionName";
  }
  /// Returns the name of the cookie or header; std::nullopt: none is asked for.
  std::optional<std::string_view> name() const { return find_text(name_field()); }
  /// Returns the path of URLs for which clients send the cookie.
  std::string_view cookie_path() const { return text("cookie.path", "/"); }
  /// Returns the path of the kind of lifetime, `Session` or `Permanent`, which is there or not.
  std::string_view lifetime_field() const {
    return has("cookie.lifetimeType") || !has("cookieConfig.lifetimeType") ? "cookie.lifetimeType"
                                                                           : "cookieConfig.lifetimeType";
  }
  std::string_view lifetime() const { return text(lifetime_field(), "Session"); }
};

}  // namespace fairway::gateway
