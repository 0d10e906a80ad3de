// SPDX-License-Identifier: Apache-2.0

#include "http/negotiate.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::http {
namespace {

/// Splits at `separator` outside of quoted strings (RFC 9110, section 5.6.4).
std::vector<std::string_view> split_unquoted(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == separator) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

bool is_token(std::string_view text) {
  constexpr std::string_view extra = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [extra](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           extra.find(c) != std::string_view::npos;
  });
}

/// "0.75" in thousandths (RFC 9110, section 12.4.2): 0 to 1 with at most three decimals; nothing for other
/// text.
std::optional<int> parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int thousandths = (text[0] - '0') * 1000;
  if (text.size() > 1) {
    if (text[1] != '.') return std::nullopt;
    int place = 100;
    for (const char c : text.substr(2)) {
      if (c < '0' || c > '9') return std::nullopt;
      thousandths += (c - '0') * place;
      place /= 10;
    }
  }
  if (thousandths > 1000) return std::nullopt;
  return thousandths;
}

/// The q of an element's parameters; 1 if there is none that can be read.
int weight_of(std::span<const std::string_view> parameters) {
  for (const std::string_view parameter : parameters) {
    const std::string_view text = trim(parameter);
    if (text.size() < 2 || (text[0] != 'q' && text[0] != 'Q') || text[1] != '=') continue;
    if (const auto weight = parse_weight(text.substr(2))) return *weight;
  }
  return 1000;
}

struct MediaRange {
  std::string_view type, subtype;  ///< "*" for any
  int weight = 1000;
  int specificity() const { return (type != "*" ? 1 : 0) + (subtype != "*" ? 1 : 0); }
};

std::optional<MediaRange> parse_range(std::string_view element) {
  const auto parts = split_unquoted(element, ';');
  std::string_view name = trim(parts[0]);
  if (name == "*") name = "*/*";
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  MediaRange range{name.substr(0, slash), name.substr(slash + 1)};
  if (!is_token(range.type) || !is_token(range.subtype)) return std::nullopt;
  if (range.type == "*" && range.subtype != "*") return std::nullopt;
  range.weight = weight_of(std::span(parts).subspan(1));
  return range;
}

bool covers(const MediaRange& range, std::string_view type, std::string_view subtype) {
  return (range.type == "*" || equals_ignoring_case(range.type, type)) &&
         (range.subtype == "*" || equals_ignoring_case(range.subtype, subtype));
}

}  // namespace

std::optional<std::size_t> choose_media_type(std::optional<std::string_view> accept,
                                             std::span<const std::string_view> supported) {
  if (supported.empty()) return std::nullopt;
  if (!accept || trim(*accept).empty()) return 0;
  std::vector<MediaRange> ranges;
  for (const std::string_view element : split_unquoted(*accept, ',')) {
    if (const auto range = parse_range(element)) ranges.push_back(*range);
  }
  std::optional<std::size_t> best;
  int best_weight = 0;
  int best_specificity = 0;
  for (std::size_t i = 0; i < supported.size(); ++i) {
    const auto slash = supported[i].find('/');
    if (slash == std::string_view::npos) continue;
    const MediaRange* closest = nullptr;
    for (const MediaRange& range : ranges) {
      if (!covers(range, supported[i].substr(0, slash), supported[i].substr(slash + 1))) continue;
      if (!closest || range.specificity() > closest->specificity() ||
          (range.specificity() == closest->specificity() && range.weight > closest->weight)) {
        closest = &range;
      }
    }
    if (!closest || closest->weight == 0) continue;
    const int specificity = closest->specificity();
    if (!best || closest->weight > best_weight ||
        (closest->weight == best_weight && specificity > best_specificity)) {
      best = i;
      best_weight = closest->weight;
      best_specificity = specificity;
    }
  }
  return best;
}

namespace {

/// The weights that an Accept-Encoding header gives to each coding, in thousandths.
struct CodingWeights {
  std::optional<int> gzip, identity, any;
};

CodingWeights read_codings(std::string_view accept_encoding) {
  CodingWeights weights;
  auto& [gzip, identity, any] = weights;
  std::size_t begin = 0;
  while (begin <= accept_encoding.size()) {
    const auto end = std::min(accept_encoding.find(',', begin), accept_encoding.size());
    std::string_view element = accept_encoding.substr(begin, end - begin);
    begin = end + 1;
    int weight = 1000;
    if (const auto semicolon = element.find(';'); semicolon != std::string_view::npos) {
      const auto parts = split_unquoted(element, ';');
      weight = weight_of(std::span(parts).subspan(1));
      element = element.substr(0, semicolon);
    }
    const std::string_view coding = trim(element);
    if (equals_ignoring_case(coding, "gzip") || equals_ignoring_case(coding, "x-gzip")) {
      gzip = std::max(gzip.value_or(0), weight);
    } else if (equals_ignoring_case(coding, "identity")) {
      identity = weight;
    } else if (coding == "*") {
      any = weight;
    }
  }
  return weights;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  const CodingWeights weights = read_codings(accept_encoding);
  const int gzip = weights.gzip.value_or(weights.any.value_or(0));
  return gzip > 0 && gzip >= weights.identity.value_or(0);
}

bool accepts_identity(std::string_view accept_encoding) {
  const CodingWeights weights = read_codings(accept_encoding);
  return weights.identity.value_or(weights.any.value_or(1000)) > 0;
}

bool etag_matches(std::string_view if_none_match, std::string_view etag) {
  if (trim(if_none_match) == "*") return true;
  const auto strong = [](std::string_view tag) { return tag.starts_with("W/") ? tag.substr(2) : tag; };
  const std::string_view wanted = strong(etag);
  std::string_view rest = if_none_match;
  while (!rest.empty()) {
    const auto open = rest.find('"');
    if (open == std::string_view::npos) return false;
    // An entity tag ends at the next quote: it has no escapes (RFC 9110, section 8.8.3).
    const auto close = rest.find('"', open + 1);
    if (close == std::string_view::npos) return false;
    if (rest.substr(open, close - open + 1) == wanted) return true;
    rest.remove_prefix(close + 1);
  }
  return false;
}

}  // namespace fairway::http
