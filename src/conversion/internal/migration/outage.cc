// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/outage.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace fairway::conversion {

namespace {

bool contains_any(std::string_view message, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return message.contains(part); });
}

/// Returns what an error is about in whose message a webhook may be named.
Fault fault_of_webhook(std::string_view message) {
  constexpr std::array<std::string_view, 3> callers{"conversion webhook for ", "failed calling webhook ",
                                                    "failed to call webhook"};
  if (!contains_any(message, callers)) return Fault::object;
  constexpr std::array<std::string_view, 2> late{"deadline exceeded", "Client.Timeout exceeded"};
  constexpr std::array<std::string_view, 3> by_http{"an error on the server (",
                                                    "the server could not find the requested resource",
                                                    "the server is currently unable to handle the request"};
  // One object may make a webhook crash.
  constexpr std::array<std::string_view, 4> broken{"\": EOF", "unexpected EOF", "connection reset",
                                                   "broken pipe"};
  if (contains_any(message, late) || contains_any(message, by_http) || contains_any(message, broken))
    return Fault::perhaps_outage;
  return message.contains(": Post \"") ? Fault::outage : Fault::object;
}

}  // namespace

bool is_denial(const kube::ApiError& error) {
  constexpr std::array<std::string_view, 2> denials{"denied the request", "denied request"};
  return error.is_answer() && contains_any(error.status.message(), denials);
}

Fault fault_of(const kube::ApiError& error) {
  if (!error.is_answer()) return error.code == ErrorCode::unavailable ? Fault::outage : Fault::request;
  if (is_denial(error)) return Fault::object;
  switch (error.status.code()) {
    case 401:
    case 404:
    case 405:
    case 406:
    case 415:
      return Fault::request;
    case 403:
      // Admission refuses objects with 403 too; that of a missing right has the authorizer's wording.
      return error.status.message().contains("cannot patch resource") ? Fault::request : Fault::object;
    case 429:
    case 502:
    case 503:
    case 504:
      return Fault::perhaps_outage;
    default:
      return error.status.code() >= 500 ? fault_of_webhook(error.status.message()) : Fault::object;
  }
}

bool is_outage_of_reads(const kube::ApiError& error) {
  const Fault fault = fault_of(error);
  const int code = error.status.code();
  return fault == Fault::outage ||
         (fault == Fault::perhaps_outage && (code == 429 || code == 502 || code == 503));
}

std::string text_of(const kube::ApiError& error) {
  return error.is_answer() ? std::string(error.status.message()) : error.message;
}

}  // namespace fairway::conversion
