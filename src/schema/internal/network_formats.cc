// SPDX-License-Identifier: Apache-2.0

// Formats of addresses: ipv4, ipv6, cidr, mac, uri, email. As Go's net, net/url and net/mail read them.
#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/hex.h"
#include "schema/internal/formats.h"

namespace fairway::schema::internal {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex_digit(char c) {
  return hex_value(c) >= 0;
}

/// Removes and returns the longest prefix of `text` whose characters all belong.
std::string_view take_while(std::string_view& text, bool (*belongs)(char)) {
  const auto end = std::ranges::find_if_not(text, belongs);
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

enum class Zeros { may_lead, must_not_lead };

/// A decimal number of at most `most`.
bool take_number(std::string_view& text, int most, Zeros zeros) {
  const std::string_view digits = take_while(text, is_digit);
  if (digits.empty() || (zeros == Zeros::must_not_lead && digits.size() > 1 && digits[0] == '0'))
    return false;
  int value = 0;
  for (const char c : digits) {
    value = value * 10 + (c - '0');
    if (value > most) return false;
  }
  return true;
}

bool is_dotted_quad(std::string_view text, Zeros zeros) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0 && !take(text, '.')) return false;
    if (!take_number(text, 255, zeros)) return false;
  }
  return text.empty();
}

/// Returns whether the text is an IPv6 address. `zeros` is the rule for an IPv4 address at its end.
bool is_ipv6_address(std::string_view text, Zeros zeros) {
  constexpr int groups = 8;
  int found = 0;
  bool has_ellipsis = false;
  if (text.starts_with("::")) {
    has_ellipsis = true;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  while (found < groups) {
    std::string_view rest = text;
    const std::string_view digits = take_while(rest, is_hex_digit);
    if (rest.starts_with('.')) {
      if ((!has_ellipsis && found != groups - 2) || found > groups - 2 || !is_dotted_quad(text, zeros))
        return false;
      found += 2;
      text = {};
      break;
    }
    const std::size_t leading = std::min(digits.find_first_not_of('0'), digits.size());
    const bool is_too_long = zeros == Zeros::must_not_lead ? digits.size() > 4 : digits.size() - leading > 4;
    if (digits.empty() || is_too_long) return false;
    ++found;
    text = rest;
    if (text.empty()) break;
    if (!take(text, ':') || text.empty()) return false;
    if (text[0] == ':') {
      if (has_ellipsis) return false;
      has_ellipsis = true;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  return text.empty() && (found < groups) == has_ellipsis;
}

bool is_percent_encoded(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3)) {
    if (at + 2 >= text.size() || !is_hex_digit(text[at + 1]) || !is_hex_digit(text[at + 2])) return false;
  }
  return true;
}

bool is_port(std::string_view text) {
  return text.empty() || (text[0] == ':' && std::ranges::all_of(text.substr(1), is_digit));
}

/// Returns whether a host has only allowed characters: characters beyond ASCII, plain or percent-encoded, and
/// certain plain ones of ASCII.
bool is_host_name(std::string_view host) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    const auto c = static_cast<unsigned char>(host[i]);
    if (c == '%') {
      if (i + 2 >= host.size() || !is_hex_digit(host[i + 1]) || !is_hex_digit(host[i + 2]) ||
          host[i + 1] < '8') {
        return false;
      }
      i += 2;
    } else if (c < 0x80 && std::isalnum(c) == 0 &&
               std::string_view("-_.~$&+,/:;=?@!'()*[]<>\"").find(host[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_host(std::string_view scheme, std::string_view host) {
  const std::size_t open = host.rfind('[');
  if (open != std::string_view::npos) {
    const std::size_t closed = host.rfind(']');
    if (open != 0 || closed == std::string_view::npos || !is_port(host.substr(closed + 1))) return false;
    std::string_view address = host.substr(1, closed - 1);
    if (const std::size_t zone = address.find("%25"); zone != std::string_view::npos) {
      if (zone + 3 == address.size() || !is_percent_encoded(address.substr(zone))) return false;
      address = address.substr(0, zone);
    }
    return is_ipv6_address(address, Zeros::must_not_lead);
  }
  std::size_t colon = host.find(':');
  if (colon != std::string_view::npos && scheme != "http" && scheme != "https") colon = host.rfind(':');
  return (colon == std::string_view::npos || is_port(host.substr(colon))) && is_host_name(host);
}

bool is_user_info(std::string_view text) {
  return is_percent_encoded(text) && std::ranges::all_of(text, [](char c) {
           return (std::isalnum(static_cast<unsigned char>(c)) != 0 &&
                   static_cast<unsigned char>(c) < 0x80) ||
                  std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos;
         });
}

bool is_atom_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 ||
         std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

bool take_dotted_atom(std::string_view& text) {
  const std::string_view atom = take_while(text, [](char c) { return c == '.' || is_atom_character(c); });
  return !atom.empty() && !atom.starts_with('.') && !atom.ends_with('.') &&
         atom.find("..") == std::string_view::npos;
}

bool take_quoted(std::string_view& text) {
  if (!take(text, '"')) return false;
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '"') return true;
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') return false;
    if (c == '\\') {
      if (text.empty()) return false;
      text.remove_prefix(1);
    }
  }
  return false;
}

void skip_space(std::string_view& text) {
  take_while(text, [](char c) { return c == ' ' || c == '\t'; });
}

bool take_address(std::string_view& text) {
  if (text.starts_with('"')) {
    const std::string_view before = text;
    if (!take_quoted(text) || before.substr(0, 2) == "\"\"") return false;
  } else if (!take_dotted_atom(text)) {
    return false;
  }
  if (!take(text, '@')) return false;
  if (!take(text, '[')) {
    skip_space(text);
    return take_dotted_atom(text);
  }
  const std::size_t closed = text.find(']');
  if (closed == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, closed);
  text.remove_prefix(closed + 1);
  return is_dotted_quad(address, Zeros::must_not_lead) || is_ipv6_address(address, Zeros::must_not_lead);
}

/// Skips words, plain or in quotes, in front of an address in angle brackets.
void skip_display_name(std::string_view& text) {
  for (skip_space(text); !text.empty() && text[0] != '<'; skip_space(text)) {
    if (text[0] == '"' ? !take_quoted(text)
                       : take_while(text, [](char c) { return c == '.' || is_atom_character(c); }).empty()) {
      return;
    }
  }
}

}  // namespace

bool is_ipv4(std::string_view text) {
  const std::size_t first = text.find_first_of(".:");
  if (first == std::string_view::npos || text.find('.') == std::string_view::npos) return false;
  return text[first] == '.' ? is_dotted_quad(text, Zeros::may_lead) : is_ipv6_address(text, Zeros::may_lead);
}

bool is_ipv6(std::string_view text) {
  return is_ipv6_address(text, Zeros::must_not_lead);
}

bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const bool is_v4 = is_dotted_quad(address, Zeros::may_lead);
  std::string_view length = text.substr(slash + 1);
  return (is_v4 || is_ipv6_address(address, Zeros::may_lead)) &&
         take_number(length, is_v4 ? 32 : 128, Zeros::may_lead) && length.empty();
}

bool is_mac(std::string_view text) {
  if (text.size() < 12) return false;
  const bool has_pairs = text[2] == ':' || text[2] == '-';
  const std::size_t group = has_pairs ? 2 : text[4] == '.' ? 4 : text.size();
  const char separator = has_pairs ? text[2] : '.';
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (group != text.size() && i % (group + 1) == group) {
      if (text[i] != separator || i + 1 == text.size()) return false;
    } else {
      if (!is_hex_digit(text[i])) return false;
      ++digits;
    }
  }
  return (group == text.size() || (text.size() + 1) % (group + 1) == 0) &&
         (digits == 12 || digits == 16 || digits == 40);
}

bool is_uri(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.empty() || std::ranges::any_of(text, is_control)) return false;
  if (text == "*") return true;
  std::string_view scheme, rest = text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') {
      if (i == 0) return false;
      scheme = text.substr(0, i);
      rest = text.substr(i + 1);
      break;
    }
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter && (i == 0 || (!is_digit(c) && c != '+' && c != '-' && c != '.'))) break;
  }
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) return !scheme.empty();
  if (!scheme.empty() && rest.starts_with("//")) {
    std::string_view authority = rest.substr(2);
    const std::size_t slash = std::min(authority.find('/'), authority.size());
    rest = authority.substr(slash);
    authority = authority.substr(0, slash);
    const std::size_t at = authority.rfind('@');
    if (at != std::string_view::npos) {
      if (!is_user_info(authority.substr(0, at))) return false;
      authority.remove_prefix(at + 1);
    }
    if (!is_host(scheme, authority)) return false;
  }
  return is_percent_encoded(rest);
}

bool is_email(std::string_view text) {
  skip_space(text);
  std::string_view plain = text;
  if (take_address(plain)) {
    skip_space(plain);
    return plain.empty();
  }
  skip_display_name(text);
  if (!take(text, '<') || !take_address(text) || !take(text, '>')) return false;
  skip_space(text);
  return text.empty();
}

}  // namespace fairway::schema::internal
