// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/censor.h"

#include <utility>

#include "base/cut_text.h"
#include "base/text.h"
#include "http/url.h"
#include "schema/validator.h"

namespace fairway::operators {
namespace {

/// Largest size of one text of a risk: all risks have to fit into an object.
constexpr std::size_t max_text = 32'768;

/// Returns whether the schema lists the rule's type, and the rule is valid.
bool is_writable(const risk::Registry& registry, const json::Value& rule) {
  const std::string_view type = json::find_string(rule, "type").value_or("");
  return (type == "Always" || type == "PromQL") && risk::read_rule(registry, rule).has_value();
}

/// Returns a rule with only the members that the schema knows: the server drops the rest, and each write
/// would seem to be a change.
json::Value written_rule(const json::Value& rule) {
  json::Object written;
  written["type"] = *json::find_string(rule, "type");
  const json::Value* outer = json::find(rule, "promql");
  if (outer != nullptr && outer->is_object()) {
    for (const auto& [key, value] : outer->as_object()) {
      if (!equals_ignoring_case(key, "promql") || !value.is_string()) continue;
      json::Object inner;
      inner["promql"] = value;
      written["promql"] = std::move(inner);
    }
  }
  return written;
}

/// Returns whether a text has the schema's format `uri`, which is that of Go: no fragment directly after the
/// host.
bool is_uri(const std::string& text) {
  static const json::Object format{{"type", "string"}, {"format", "uri"}};
  static const schema::Validator validator(format);
  return validator.is_valid(json::Value(text));
}

/// Returns a URL in a form that the schema accepts, or a placeholder if that is not possible.
std::string written_url(const std::string& url) {
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F && c != '"' &&
           c != '<' && c != '>' && c != '\\' && c != '^' && c != '`' && c != '{' && c != '|' && c != '}' &&
           c != '%';
  };
  std::string written;
  for (std::size_t i = 0; i < url.size(); ++i) {
    const auto is_hex = [&](std::size_t at) {
      return at < url.size() && std::string_view("0123456789abcdefABCDEF").contains(url[at]);
    };
    if (is_plain(url[i]) || (url[i] == '%' && is_hex(i + 1) && is_hex(i + 2))) {
      written += url[i];
    } else {
      written += http::percent_encode(std::string_view(url).substr(i, 1));
    }
  }
  if (written.size() <= max_text && http::Url::parse(written) && is_uri(written)) return written;
  return graph::not_understood_url;
}

}  // namespace

std::optional<ListedRelease> writable_release(const ListedRelease& release,
                                              std::vector<std::string>& left_out) {
  const std::string whose = "release " + printable(release.version, 80) + ": ";
  if (release.image.size() > max_image_bytes) {
    left_out.push_back(whose + "its image is too long, so that it is not listed");
    return std::nullopt;
  }
  ListedRelease written = writable_desired(release);
  if (written.url.size() != release.url.size())
    left_out.push_back(whose + "its URL is too long, and is not listed");
  if (const std::size_t gone = release.channels.size() - written.channels.size(); gone > 0) {
    left_out.push_back(whose + std::to_string(gone) +
                       " of its channels have names that are too long, or are too many, and are not listed");
  }
  return written;
}

ListedRelease writable_desired(const ListedRelease& release) {
  ListedRelease written = release;
  if (written.url.size() > max_url_bytes) written.url.clear();
  std::size_t bytes = 0;
  std::erase_if(written.channels, [&](const std::string& channel) {
    if (channel.size() > max_channel_name_bytes) return true;
    bytes += channel.size() + 3;
    return bytes > max_channels_bytes;
  });
  return written;
}

std::vector<graph::Risk> writable_risks(std::span<const graph::Risk> risks, const std::string& target,
                                        const risk::Registry& registry, std::vector<std::string>& left_out) {
  std::vector<graph::Risk> written;
  for (const graph::Risk& risk : risks) {
    const std::string name = "risk " + printable(risk.name, 80) + " of the update to " + target;
    if (written.size() == max_risks) {
      left_out.push_back("the update to " + target + " has more than " + std::to_string(max_risks) +
                         " risks; those after the first count, but are not listed");
      break;
    }
    graph::Risk one{.url = written_url(risk.url),
                    .name = risk.name,
                    .message = cut_text(risk.message, max_text),
                    .matching_rules = {}};
    std::size_t dropped = 0;
    for (const json::Value& rule : risk.matching_rules) {
      if (is_writable(registry, rule)) {
        one.matching_rules.push_back(written_rule(rule));
      } else {
        ++dropped;
      }
    }
    if (one.matching_rules.empty()) {
      left_out.push_back(name + ": it has no rule that is known here; it counts, but is not listed");
      continue;
    }
    if (risk.name.size() > max_text) {
      left_out.push_back(name + ": its name is too long; it counts, but is not listed");
      continue;
    }
    if (dropped > 0) {
      left_out.push_back(name + ": " + std::to_string(dropped) +
                         " of its rules are not known here, and are not listed");
    }
    written.push_back(std::move(one));
  }
  if (written.empty())
    left_out.push_back("the update to " + target + ": none of its risks can be listed, so that it is not");
  return written;
}

}  // namespace fairway::operators
