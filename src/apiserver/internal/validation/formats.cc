// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/formats.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "apiserver/internal/validation/ip_address.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

using k8s::Faults;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_letter(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}

void add_dots(Faults& faults, std::string_view text) {
  if (text == "." || text == "..") {
    faults.push_back("must not be '" + std::string(text) + "'");
  } else if (text.starts_with("..")) {
    faults.emplace_back("must not start with '..'");
  }
}

bool looks_like_underscore_label(std::string_view text) {
  if (text.starts_with('_')) text.remove_prefix(1);
  const auto fits_end = [](char c) { return is_lower(c) || is_digit(c); };
  return !text.empty() && fits_end(text.front()) && fits_end(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return fits_end(c) || c == '-' || c == '_'; });
}

/// Returns whether a text could be a part of a domain, whatever its length.
bool is_domain_label(std::string_view text) {
  const auto fits_end = [](char c) { return is_lower(c) || is_digit(c); };
  return !text.empty() && fits_end(text.front()) && fits_end(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return fits_end(c) || c == '-'; });
}

Faults check_absolute_path(std::string_view text) {
  if (text.starts_with('/')) return {};
  return {"must be an absolute path"};
}

/// Checks a subdomain that something is appended to: a hyphen at its end is no fault.
Faults check_subdomain_prefix(std::string_view text) {
  std::string masked(text);
  if (masked.size() > 1 && masked.back() == '-') masked.back() = 'a';
  return k8s::check_dns_subdomain(masked);
}

constexpr std::array<std::pair<std::string_view, Format>, 18> formats{{
    {"dns-label", &k8s::check_dns_label},
    {"dns-subdomain", &k8s::check_dns_subdomain},
    {"dns-subdomain-prefix", &check_subdomain_prefix},
    {"underscore-domain", &check_underscore_domain},
    {"qualified-name", &k8s::check_qualified_name},
    {"label-value", &k8s::check_label_value},
    {"port-name", &check_port_name},
    {"env-name", &check_env_name},
    {"config-key", &check_config_key},
    {"descending-path", &check_descending_path},
    {"no-backsteps", &check_no_backsteps},
    {"local-path", &check_local_path},
    {"absolute-path", &check_absolute_path},
    {"ip", &check_ip},
    {"header-name", &check_header_name},
    {"percent", &check_percent},
    {"path-segment", &k8s::check_path_segment},
    {"wildcard-domain", &check_wildcard_domain},
}};

}  // namespace

Format find_format(std::string_view name) {
  const auto* found = std::ranges::find(formats, name, [](const auto& one) { return one.first; });
  return found == formats.end() ? nullptr : found->second;
}

Faults check_port_name(std::string_view text) {
  Faults faults;
  if (text.size() > 15) faults.emplace_back("must be no more than 15 characters");
  const auto fits = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  if (text.empty() || !std::ranges::all_of(text, fits))
    faults.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!std::ranges::any_of(text, is_lower)) faults.emplace_back("must contain at least one letter (a-z)");
  if (text.find("--") != std::string_view::npos) faults.emplace_back("must not contain consecutive hyphens");
  if (text.starts_with('-') || text.ends_with('-'))
    faults.emplace_back("must not begin or end with a hyphen");
  return faults;
}

Faults check_port_number(long long number) {
  if (number >= 1 && number <= 65'535) return {};
  return {"must be between 1 and 65535, inclusive"};
}

Faults check_config_key(std::string_view text) {
  Faults faults;
  if (text.size() > 253) faults.emplace_back("must be no more than 253 characters");
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_'; };
  if (text.empty() || !std::ranges::all_of(text, fits)) {
    faults.emplace_back(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
        "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
  }
  add_dots(faults, text);
  return faults;
}

Faults check_env_name(std::string_view text) {
  if (text.empty()) return {"environment variable name must be non-empty"};
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '='; })) return {};
  return {"a valid environment variable name must consist only of printable ASCII characters other than '='"};
}

Faults check_underscore_domain(std::string_view text) {
  Faults faults;
  if (text.size() > 253) faults.emplace_back("must be no more than 253 characters");
  if (!std::ranges::all_of(split(text, '.'), looks_like_underscore_label)) {
    faults.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
        "validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')");
  }
  return faults;
}

Faults check_no_backsteps(std::string_view text) {
  const auto parts = split(text, '/');
  if (std::ranges::find(parts, "..") == parts.end()) return {};
  return {"must not contain '..'"};
}

Faults check_descending_path(std::string_view text) {
  Faults faults;
  if (text.starts_with('/')) faults.emplace_back("must be a relative path");
  for (std::string& fault : check_no_backsteps(text)) faults.push_back(std::move(fault));
  return faults;
}

Faults check_local_path(std::string_view text) {
  Faults faults = check_descending_path(text);
  if (text.starts_with("..") && !text.starts_with("../")) faults.emplace_back("must not start with '..'");
  return faults;
}

Faults check_ip(std::string_view text) {
  const auto address = parse_address(text);
  if (!address) return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
  if (address->has_zeros) return {"must not have leading 0s"};
  if (address->is_mapped()) return {"must not be an IPv4-mapped IPv6 address"};
  return {};
}

Faults check_header_name(std::string_view text) {
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '-'; };
  if (!text.empty() && std::ranges::all_of(text, fits)) return {};
  return {
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used "
      "for validation is '[-A-Za-z0-9]+')"};
}

Faults check_wildcard_domain(std::string_view text) {
  constexpr std::size_t longest = 253;
  Faults faults;
  if (text.size() > longest) faults.emplace_back("must be no more than 253 characters");
  // The length of the whole is what counts.
  const bool fits =
      text.starts_with("*.") && std::ranges::all_of(split(text.substr(2), '.'), is_domain_label);
  if (!fits) {
    faults.emplace_back(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must "
        "consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character "
        "(e.g. '*.example.com', regex used for validation is "
        "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return faults;
}

Faults check_percent(std::string_view text) {
  if (text.size() > 1 && text.ends_with('%') &&
      std::ranges::all_of(text.substr(0, text.size() - 1), is_digit))
    return {};
  return {
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
      "regex used for validation is '[0-9]+%')"};
}

Faults check_decimal_integer(std::string_view text) {
  if (text.empty()) return {"must be non-empty"};
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool is_canonical =
      !digits.empty() && std::ranges::all_of(digits, is_digit) && (digits.front() != '0' || text == "0");
  if (is_canonical) return {};
  return {"must be a valid decimal integer in canonical form"};
}

}  // namespace fairway::apiserver::validation
