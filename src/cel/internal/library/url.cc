// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/library/url.h"

#include <algorithm>
#include <map>
#include <new>
#include <vector>

#include "base/hex.h"
#include "base/text.h"
#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"
#include "cel/internal/values/map.h"

namespace fairway::cel {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool escapes_are_whole(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '%' && (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0))
      return false;
  return true;
}

std::string unescaped(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

/// Returns whether Go's EscapedPath leaves a character as it is.
bool plain_in_path(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') ||
         std::string_view("-_.~$&+,/:;=@!'()*[]%").find(c) != std::string_view::npos;
}

std::string escaped_path(std::string_view path) {
  const bool valid = std::ranges::all_of(path, plain_in_path);
  if (valid) return std::string(path);
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : unescaped(path, false)) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter(c) || (c >= '0' && c <= '9') ||
        std::string_view("-_.~$&+,/:;=@").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
  return out;
}

bool valid_port(std::string_view port) {
  return port.empty() ||
         (port[0] == ':' && std::ranges::all_of(port.substr(1), [](char c) { return c >= '0' && c <= '9'; }));
}

bool valid_host(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t close = host.rfind(']');
    return close != std::string_view::npos && valid_port(host.substr(close + 1));
  }
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !valid_port(host.substr(colon))) return false;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const char c = host[i];
    if (static_cast<unsigned char>(c) >= 0x80 || is_letter(c) || (c >= '0' && c <= '9')) continue;
    // Of escapes Go takes only those of bytes that are not ASCII.
    if (c == '%') {
      if (i + 2 >= host.size() || hex_value(host[i + 1]) < 0 || hex_value(host[i + 2]) < 0 ||
          host[i + 1] < '8')
        return false;
      continue;
    }
    if (std::string_view("-_.~!$&'()*+,;=:[]<>\"").find(c) == std::string_view::npos) return false;
  }
  return true;
}

/// Returns the host, without the brackets of an IPv6 address, and the port, which is empty if there is none.
std::pair<std::string_view, std::string_view> host_and_port(std::string_view host) {
  std::string_view port;
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && valid_port(host.substr(colon)) &&
      (host.find(']') == std::string_view::npos || host.rfind(']') < colon)) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, port};
}

const UrlParts& parts_of(const Value& value) {
  return static_cast<const UrlValue&>(value.opaque()).parts;
}

Value url(CallContext& context, const Value* a) {
  const Value copy = context.string(a[0].text());
  if (copy.is(ValueKind::error)) return copy;
  const std::optional<UrlParts> parts = parse_url(copy.text());
  if (!parts)
    return context.error("URL parse error during conversion from string: parse " +
                         to_string(a[0], context.scratch()) + ": invalid URI for request");
  void* place = context.scratch().allocate(sizeof(UrlValue));
  if (!place) return context.out_of_memory();
  auto* value = new (place) UrlValue;
  value->kind = Opaque::Kind::url;
  value->parts = *parts;
  return Value::opaque(value);
}
Value is_url(CallContext&, const Value* a) {
  return Value::boolean(parse_url(a[0].text()).has_value());
}
Value scheme(CallContext& context, const Value* a) {
  return context.string(to_lower(parts_of(a[0]).scheme));
}
Value host(CallContext& context, const Value* a) {
  return context.string(unescaped(parts_of(a[0]).host, false));
}
Value hostname(CallContext& context, const Value* a) {
  return context.string(unescaped(host_and_port(parts_of(a[0]).host).first, false));
}
Value port(CallContext&, const Value* a) {
  return Value::string(host_and_port(parts_of(a[0]).host).second);
}
Value path(CallContext& context, const Value* a) {
  return context.string(escaped_path(parts_of(a[0]).path));
}
Value query(CallContext& context, const Value* a) {
  std::map<std::string, std::vector<std::string>> values;
  std::string_view text = parts_of(a[0]).query;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // Go drops what it cannot read.
    if (pair.empty() || pair.find(';') != std::string_view::npos || !escapes_are_whole(pair)) continue;
    const std::size_t equals = pair.find('=');
    values[unescaped(pair.substr(0, equals), true)].push_back(
        equals == std::string_view::npos ? "" : unescaped(pair.substr(equals + 1), true));
  }
  MapBuilder builder(values.size(), context.scratch());
  if (!builder.ok()) return context.out_of_memory();
  for (const auto& [key, list] : values) {
    Value* items = context.items(list.size());
    if (!items) return context.out_of_memory();
    for (std::size_t i = 0; i < list.size(); ++i) new (&items[i]) Value(context.string(list[i]));
    builder.add(context.string(key), Value::list(items, list.size()));
  }
  return builder.take();
}

constexpr Overload url_rows[] = {
    {"url", false, "string -> kubernetes.URL", url, CallCost::url},
    {"isURL", false, "string -> bool", is_url},
    {"getScheme", true, "kubernetes.URL -> string", scheme},
    {"getHost", true, "kubernetes.URL -> string", host},
    {"getHostname", true, "kubernetes.URL -> string", hostname},
    {"getPort", true, "kubernetes.URL -> string", port},
    {"getEscapedPath", true, "kubernetes.URL -> string", path},
    {"getQuery", true, "kubernetes.URL -> map(string, list(string))", query},
};

}  // namespace

std::optional<UrlParts> parse_url(std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
  UrlParts parts;
  if (is_letter(text[0])) {
    std::size_t at = 0;
    while (at < text.size() && (is_letter(text[at]) || (text[at] >= '0' && text[at] <= '9') ||
                                text[at] == '+' || text[at] == '-' || text[at] == '.'))
      ++at;
    if (at == text.size() || text[at] != ':') return std::nullopt;
    parts.scheme = text.substr(0, at);
    text.remove_prefix(at + 1);
  } else if (text[0] == ':') {
    return std::nullopt;
  }
  if (const std::size_t question = text.find('?'); question != std::string_view::npos) {
    parts.query = text.substr(question + 1);
    parts.has_query = true;
    text = text.substr(0, question);
  }
  if (!text.starts_with('/')) {
    // Opaque: "mailto:a@b".
    if (parts.scheme.empty()) return std::nullopt;
    parts.path = {};
    return parts;
  }
  if (text.starts_with("//") && (!parts.scheme.empty() || !text.starts_with("///"))) {
    if (parts.scheme.empty()) {
      // Without a scheme it is a path.
    } else {
      text.remove_prefix(2);
      const std::size_t slash = std::min(text.find('/'), text.size());
      std::string_view authority = text.substr(0, slash);
      text.remove_prefix(slash);
      if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        parts.user = authority.substr(0, at);
        authority.remove_prefix(at + 1);
      }
      if (!valid_host(authority)) return std::nullopt;
      parts.host = authority;
    }
  }
  if (!escapes_are_whole(text)) return std::nullopt;
  parts.path = text;
  return parts;
}

std::string url_text(const UrlValue& url) {
  const UrlParts& parts = url.parts;
  std::string text = to_lower(parts.scheme);
  if (!text.empty()) text += ':';
  if (!parts.host.empty() || !parts.scheme.empty()) text += "//";
  if (!parts.user.empty()) text += std::string(parts.user) + "@";
  text += parts.host;
  text += escaped_path(parts.path);
  if (parts.has_query) text += "?" + std::string(parts.query);
  return text;
}

std::span<const Overload> url_overloads() {
  return url_rows;
}

}  // namespace fairway::cel
