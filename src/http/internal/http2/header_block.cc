// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/header_block.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace fairway::http {
namespace {

/// Returns whether a field is about the connection, which HTTP/2 forbids (RFC 9113, section 8.2.2).
bool is_about_connection(std::string_view name) {
  constexpr std::array<std::string_view, 6> names = {"connection", "keep-alive",        "proxy-connection",
                                                     "te",         "transfer-encoding", "upgrade"};
  return std::ranges::any_of(names,
                             [name](std::string_view each) { return equals_ignoring_case(name, each); });
}

bool is_name(std::string_view name) {
  const auto is_good = [](char c) { return c > 0x20 && c < 0x7f && c != ':'; };
  return !name.empty() && std::ranges::all_of(name, is_good);
}

}  // namespace

void HeaderBlock::add_pseudo(std::string_view name, std::string_view value) {
  places_.push_back({.begin = text_.size(), .name_size = name.size(), .value_size = value.size()});
  text_ += name;
  text_ += value;
}

void HeaderBlock::add(std::string_view name, std::string_view value) {
  if (!is_name(name) || is_about_connection(name)) return;
  value = trim(value);
  places_.push_back({.begin = text_.size(), .name_size = name.size(), .value_size = value.size()});
  for (const char c : name) text_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    text_ += (byte < 0x20 && c != '\t') || byte == 0x7f ? ' ' : c;
  }
}

void HeaderBlock::add_lines(std::string_view lines) {
  while (!lines.empty()) {
    const auto end = lines.find("\r\n");
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 2);
    if (const auto colon = line.find(':'); colon != std::string_view::npos)
      add(line.substr(0, colon), line.substr(colon + 1));
  }
}

std::vector<nghttp2_nv> HeaderBlock::fields() const {
  std::vector<nghttp2_nv> fields;
  fields.reserve(places_.size());
  for (const Place& place : places_) {
    auto* name = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text_.data()) + place.begin);
    fields.push_back({.name = name,
                      .value = name + place.name_size,
                      .namelen = place.name_size,
                      .valuelen = place.value_size,
                      .flags = NGHTTP2_NV_FLAG_NONE});
  }
  return fields;
}

}  // namespace fairway::http
