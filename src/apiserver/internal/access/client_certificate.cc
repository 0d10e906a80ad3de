// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/client_certificate.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "base/hex.h"
#include "base/text.h"

namespace fairway::apiserver::access {
namespace {

constexpr std::string_view uid_attribute = "1.3.6.1.4.1.57683.2=";

/// The end of the part that begins at `begin`: the next separator that is not escaped.
std::size_t end_of_part(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == ',' || text[at] == '+') {
      return at;
    }
  }
  return text.size();
}

std::string unescaped(std::string_view text) {
  std::string value;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      value += text[at];
      continue;
    }
    if (at + 2 < text.size()) {
      int byte = 0;
      const char* digits = text.data() + at + 1;
      const auto [end, error] = std::from_chars(digits, digits + 2, byte, 16);
      if (error == std::errc{} && end == digits + 2) {
        value += static_cast<char>(byte);
        at += 2;
        continue;
      }
    }
    value += text[++at];
  }
  return value;
}

/// Returns the text of an attribute whose name OpenSSL does not know, from "#" and its DER in hexadecimal.
/// std::nullopt if the DER is no text.
std::optional<std::string> text_of_unknown(std::string_view value) {
  if (!value.starts_with('#') || value.size() % 2 == 0) return std::nullopt;
  std::string der;
  for (std::size_t at = 1; at < value.size(); at += 2) {
    const int high = hex_value(value[at]), low = hex_value(value[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    der += static_cast<char>(high * 16 + low);
  }
  // UTF8String, NumericString, PrintableString, T61String, IA5String. A length of one byte: the others are
  // longer than an attribute may be.
  constexpr std::string_view texts{"\x0c\x12\x13\x14\x16"};
  constexpr std::size_t head = 2, longest = 127;
  if (der.size() < head || der.size() > head + longest || !texts.contains(der[0]) ||
      static_cast<unsigned char>(der[1]) != der.size() - head) {
    return std::nullopt;
  }
  std::string text = der.substr(head);
  // It goes into JSON.
  return is_utf8(text) ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

std::optional<User> user_of_subject(std::string_view subject) {
  User user;
  bool has_name = false, has_uid = false;
  for (std::size_t begin = 0; begin < subject.size();) {
    const std::size_t end = end_of_part(subject, begin);
    const std::string_view part = subject.substr(begin, end - begin);
    if (part.starts_with("CN=")) {
      // RFC 2253 writes the subject backwards: the first one here is the last one there.
      if (!has_name) user.name = unescaped(part.substr(3));
      has_name = true;
    } else if (part.starts_with("O=")) {
      user.groups.push_back(unescaped(part.substr(2)));
    } else if (part.starts_with(uid_attribute)) {
      auto uid = text_of_unknown(part.substr(uid_attribute.size()));
      if (has_uid || !uid || uid->empty()) return std::nullopt;
      has_uid = true;
      user.uid = *std::move(uid);
    }
    begin = end + 1;
  }
  if (user.name.empty()) return std::nullopt;
  std::ranges::reverse(user.groups);
  user.groups.emplace_back(authenticated_group);
  return user;
}

std::optional<User> user_of_certificate(const http::Peer& peer) {
  auto user = user_of_subject(peer.certificate_subject);
  // Of no certificate there would be an id that all of them share.
  if (user && !peer.certificate_digest.empty())
    user->extra[std::string(credential_id_key)] = {"X509SHA256=" + peer.certificate_digest};
  return user;
}

}  // namespace fairway::apiserver::access
