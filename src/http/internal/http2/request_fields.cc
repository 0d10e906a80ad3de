// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/request_fields.h"

#include <charconv>
#include <utility>

#include "base/text.h"

namespace fairway::http {
namespace {

/// Limit on header fields; no client sends more on purpose.
constexpr std::size_t most_fields = 256;
/// Decompressed bytes, as a multiple of the limit of a head, beyond which the connection ends: references of
/// one byte may stand for thousands.
constexpr std::size_t bomb_factor = 4;
/// Bytes that HTTP/1.1 has around a name and a value: the limit is the same for both versions.
constexpr std::size_t around_field = 4;

}  // namespace

bool RequestFields::add(std::string_view name, std::string_view value) {
  bytes_ += name.size() + value.size() + around_field;
  ++count_;
  if (bytes_ > bomb_factor * most_bytes_ || count_ > bomb_factor * most_fields) return false;
  if (finished_ || bytes_ > most_bytes_ || count_ > most_fields) return true;
  places_.push_back({.begin = text_.size(), .name_size = name.size(), .value_size = value.size()});
  text_ += name;
  text_ += value;
  return true;
}

std::optional<RequestFields::Refusal> RequestFields::read(RequestHead& head) {
  finished_ = true;
  if (bytes_ > most_bytes_) {
    return Refusal{431, "The request's headers are longer than " + std::to_string(most_bytes_) + " bytes."};
  }
  if (count_ > most_fields) return Refusal{431, "The request has too many header fields."};
  head.fields.clear();
  head.fields.reserve(places_.size() + 1);
  head.fields.push_back({.name = "host", .value = {}});
  const std::string_view text = text_;
  for (const Place& place : places_) {
    const Field field{.name = text.substr(place.begin, place.name_size),
                      .value = text.substr(place.begin + place.name_size, place.value_size)};
    if (auto refusal = read_field(head, field)) return refusal;
  }
  // RFC 9113, section 8.3.1: a client that sends both must not have them differ.
  if (!authority_.empty() && !host_.empty() && !equals_ignoring_case(authority_, host_))
    return Refusal{400, "The Host header is not the request's authority."};
  const std::string_view host = authority_.empty() ? host_ : authority_;
  if (host.empty()) return Refusal{400, "The request needs exactly one Host header."};
  if (!is_host(host)) return Refusal{400, "The Host header names no host."};
  head.fields.front().value = host;
  if (!cookies_.empty()) head.fields.push_back({.name = "cookie", .value = cookies_});
  if (head.method.empty() || head.target.empty() || !(head.target.front() == '/' || head.target == "*") ||
      !split_target(head)) {
    return Refusal{400, "The request target is not a path."};
  }
  return std::nullopt;
}

std::optional<RequestFields::Refusal> RequestFields::read_field(RequestHead& head, const Field& field) {
  const auto& [name, value] = field;
  if (name.starts_with(':')) {
    if (name == ":method") head.method = value;
    if (name == ":path") head.target = value;
    if (name == ":authority") authority_ = value;
    return std::nullopt;
  }
  if (name == "host") {
    host_ = value;
    return std::nullopt;
  }
  if (name == "cookie") {
    // RFC 9113, section 8.2.3: it may come in several fields.
    if (!cookies_.empty()) cookies_ += "; ";
    cookies_ += value;
    return std::nullopt;
  }
  if (name == "authorization" || name == "content-type") {
    // Each server on the way would decide for itself which of two headers counts.
    bool& seen = name == "authorization" ? authorization_seen_ : content_type_seen_;
    if (std::exchange(seen, true))
      return Refusal{400, "The request has more than one " + std::string(name) + " header."};
  } else if (name == "expect") {
    if (!equals_ignoring_case(value, "100-continue"))
      return Refusal{417, "The only expectation understood is 100-continue."};
    head.expects_continue = true;
  } else if (name == "content-length") {
    std::uint64_t length = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    if (error != std::errc() || end != value.data() + value.size())
      return Refusal{400, "The Content-Length is no number."};
    announced_ = length;
  }
  head.fields.push_back(field);
  return std::nullopt;
}

}  // namespace fairway::http
