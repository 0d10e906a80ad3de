// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/open_api_form.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "base/text.h"

namespace fairway::apiserver::rest {
namespace {

using openapi::Dialect;

constexpr std::string_view json_type = "application/json";
constexpr std::string_view v2_type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
constexpr std::string_view v3_type = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";
// These are not media types, because of the "@". Older clients ask for them.
constexpr std::string_view old_v2_type = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view old_v3_type = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";

/// A media type or a range, as sent.
struct Clause {
  std::string_view type, subtype;
  double weight = 1;

  /// Returns whether it takes a media type.
  bool takes(std::string_view media_type) const {
    const std::size_t slash = media_type.find('/');
    return (type == "*" || type == media_type.substr(0, slash)) &&
           (subtype == "*" || subtype == media_type.substr(slash + 1));
  }
  /// Returns whether it goes before another. For clauses of which each has something before the other, both
  /// do: what counts then is the order in which they are compared.
  bool goes_before(const Clause& other) const {
    return weight > other.weight || (type != "*" && other.type == "*") ||
           (subtype != "*" && other.subtype == "*");
  }
};

/// Returns the text without spaces around it. Tabs stay.
std::string_view without_spaces(std::string_view text) {
  const std::size_t from = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(from);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Reads a weight; one that cannot be read is 0.
double read_weight(std::string_view text) {
  double weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  return error == std::errc{} && end == text.data() + text.size() ? weight : 0;
}

std::optional<Clause> read_clause(std::string_view text) {
  const auto parts = split(text, ';');
  const auto names = split(parts.front(), '/');
  Clause clause{.type = without_spaces(names[0]), .subtype = "*"};
  if (names.size() > 2) return std::nullopt;
  if (names.size() == 2 && !names[1].empty()) {
    clause.subtype = without_spaces(names[1]);
  } else if (clause.type != "*") {
    return std::nullopt;
  }
  for (const std::string_view part : std::span(parts).subspan(1)) {
    const auto sides = split(part, '=');
    if (sides.size() == 2 && without_spaces(sides[0]) == "q" && !sides[1].empty()) {
      clause.weight = read_weight(sides[1]);
    }
  }
  return clause;
}

/// Returns the clauses, sorted by insertion as Go sorts a few: `goes_before` is no order.
std::vector<Clause> read_accept(std::string_view accept) {
  std::vector<Clause> clauses;
  for (const std::string_view part : split(accept, ',')) {
    const auto clause = read_clause(without_spaces(part));
    if (!clause) continue;
    clauses.push_back(*clause);
    for (std::size_t at = clauses.size() - 1; at > 0 && clauses[at].goes_before(clauses[at - 1]); --at) {
      std::swap(clauses[at], clauses[at - 1]);
    }
  }
  return clauses;
}

}  // namespace

std::optional<OpenApiForm> choose_open_api_form(std::string_view accept, Dialect dialect) {
  const bool v2 = dialect == Dialect::v2;
  for (const Clause& clause : read_accept(accept.empty() ? "*/*" : accept)) {
    if (clause.takes(json_type)) return OpenApiForm::json;
    if (clause.takes(v2 ? v2_type : v3_type) || clause.takes(v2 ? old_v2_type : old_v3_type)) {
      return OpenApiForm::protobuf;
    }
  }
  return std::nullopt;
}

std::string_view media_type_of(OpenApiForm form, Dialect dialect) {
  if (form == OpenApiForm::json) return json_type;
  return dialect == Dialect::v2 ? v2_type : v3_type;
}

}  // namespace fairway::apiserver::rest
