// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/query.h"

#include <algorithm>

#include "base/percent_encoding.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::k8s {

namespace {

StatusResult<std::string> decode(std::string_view encoded) {
  std::string spaced(encoded);
  std::ranges::replace(spaced, '+', ' ');
  auto decoded = percent_decode(spaced);
  if (!decoded) {
    return std::unexpected(
        answer::bad_request("invalid URL escape in the query: " + quote(encoded.substr(0, 100))));
  }
  if (!is_utf8(*decoded)) {
    return std::unexpected(answer::bad_request("the query is not UTF-8: " + quote(encoded.substr(0, 100))));
  }
  return *std::move(decoded);
}

}  // namespace

StatusResult<Query> Query::parse(std::string_view encoded) {
  Query query;
  if (encoded.find(';') != std::string_view::npos) {
    return std::unexpected(answer::bad_request("invalid semicolon separator in query"));
  }
  for (const std::string_view part : split(encoded, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    auto name = decode(part.substr(0, equals));
    if (!name) return std::unexpected(name.error());
    auto value = decode(equals < part.size() ? part.substr(equals + 1) : std::string_view{});
    if (!value) return std::unexpected(value.error());
    query.pairs_.emplace_back(*std::move(name), *std::move(value));
  }
  return query;
}

std::optional<std::string_view> Query::find(std::string_view name) const {
  for (const auto& [key, value] : pairs_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Query::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : pairs_) {
    if (key == name) values.emplace_back(value);
  }
  return values;
}

void Query::sort() {
  std::ranges::stable_sort(pairs_, {}, &std::pair<std::string, std::string>::first);
}

std::string Query::to_string() const {
  std::string text;
  for (const auto& [name, value] : pairs_) {
    if (!text.empty()) text += '&';
    text.append(percent_encode(name)).append("=").append(percent_encode(value));
  }
  return text;
}

}  // namespace fairway::k8s
