// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "oci/registry.h"

namespace fairway::oci {

namespace {

constexpr std::string_view lower_and_digits = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t max_repository = 255;
constexpr std::size_t max_tag = 128;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns whether a text is a registry: "host", "host:5000" or "[::1]:5000".
bool is_registry(std::string_view text) {
  std::string_view host = text, port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return false;
    host = text.substr(1, end - 1);
    if (host.empty() || host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos)
      return false;
    const auto rest = text.substr(end + 1);
    if (!rest.empty() && rest.front() != ':') return false;
    has_port = !rest.empty();
    if (has_port) port = rest.substr(1);
  } else {
    const auto colon = text.find(':');
    has_port = colon != std::string_view::npos;
    host = text.substr(0, colon);
    if (has_port) port = text.substr(colon + 1);
    const auto is_host_character = [](char c) { return is_word(c) || c == '-' || c == '.'; };
    if (host.empty() || !std::ranges::all_of(host, is_host_character)) return false;
  }
  if (!has_port) return true;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return error == std::errc{} && end == port.data() + port.size() && number >= 1 && number <= 65535;
}

/// Returns whether a text is one part of a repository's path: [a-z0-9]+((\.|_|__|-+)[a-z0-9]+)* (OCI
/// distribution-spec, "Pulling manifests").
bool is_component(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    const auto word_end = std::min(text.find_first_not_of(lower_and_digits, at), text.size());
    if (word_end == at) return false;
    if (word_end == text.size()) return true;
    const auto next = text.find_first_of(lower_and_digits, word_end);
    if (next == std::string_view::npos) return false;
    const auto separator = text.substr(word_end, next - word_end);
    const bool dashes = separator.find_first_not_of('-') == std::string_view::npos;
    if (!dashes && separator != "." && separator != "_" && separator != "__") return false;
    at = next;
  }
}

bool is_repository(std::string_view text) {
  return text.size() <= max_repository && std::ranges::all_of(split(text, '/'), is_component);
}

}  // namespace

bool is_tag(std::string_view text) {
  return !text.empty() && text.size() <= max_tag && is_word(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool is_digest(std::string_view text) {
  constexpr std::string_view prefix = "sha256:";
  if (!text.starts_with(prefix) || text.size() != prefix.size() + 64) return false;
  return text.substr(prefix.size()).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<Reference> Reference::parse(std::string_view text) {
  const std::string doing = "reading the image reference \"" + printable(text) + "\"";
  const auto wrong = [&doing](const std::string& why) {
    return fail(ErrorCode::invalid, doing + ": " + why);
  };
  std::string_view rest = text;
  if (rest.starts_with("oci://")) rest.remove_prefix(6);
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos)
    return wrong("there is no repository; the form is HOST[:PORT]/REPOSITORY");
  Reference reference;
  reference.registry = rest.substr(0, slash);
  rest.remove_prefix(slash + 1);
  if (reference.registry.find('@') != std::string::npos) {
    // The text is not repeated: it may hold a password.
    return fail(ErrorCode::invalid,
                "reading an image reference: credentials do not belong in it; put them into an auth file "
                "(--auth-file)");
  }
  if (!is_registry(reference.registry)) {
    return wrong("\"" + printable(reference.registry) + "\" is no registry; the form is HOST[:PORT]");
  }
  if (const auto at = rest.find('@'); at != std::string_view::npos) {
    reference.digest = rest.substr(at + 1);
    rest = rest.substr(0, at);
    if (!is_digest(reference.digest)) {
      return wrong("\"" + printable(reference.digest) +
                   "\" is no digest; the form is sha256:<64 lower-case hex digits>");
    }
  }
  if (const auto colon = rest.find(':'); colon != std::string_view::npos) {
    reference.tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (!is_tag(reference.tag)) {
      return wrong("\"" + printable(reference.tag) +
                   "\" is no tag: letters, digits, \"_\", \".\" and \"-\", at most 128");
    }
  }
  reference.repository = rest;
  if (!is_repository(rest)) {
    return wrong(
        "\"" + printable(rest) +
        "\" is no repository: lower-case letters and digits, joined by \".\", \"_\", \"-\" and \"/\"");
  }
  return reference;
}

std::string Reference::to_string() const {
  std::string text = registry + "/" + repository;
  if (!digest.empty()) return text + "@" + digest;
  if (!tag.empty()) text += ":" + tag;
  return text;
}

}  // namespace fairway::oci
