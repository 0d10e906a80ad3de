// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/censor.h"

#include <utility>

#include "base/cut_text.h"
#include "base/text.h"
#include "http/url.h"

namespace fairway::operators {
namespace {

/// Largest size of one text of a risk: all risks have to fit into an object.
constexpr std::size_t max_text = 32'768;

/// Returns a rule as it is written: the spelling `PromQL.PromQL` of the wire is that of the API.
json::Value in_spelling_of_api(const json::Value& rule) {
  if (json::find_string(rule, "type") != "PromQL") return rule;
  json::Value written = rule;
  const json::Value* outer = json::find(rule, "promql");
  if (outer == nullptr || !outer->is_object()) return written;
  for (const auto& [key, value] : outer->get_object()) {
    if (!equals_ignoring_case(key, "promql") || !value.is_string()) continue;
    json::Object inner;
    inner["promql"] = value;
    written.get_object()["promql"] = std::move(inner);
  }
  return written;
}

/// Returns a rule with only the members that the definition knows: the server drops the rest, and each write
/// would seem to be a change. std::nullopt: it is not taken, or of a type that is known here and not valid.
std::optional<json::Value> written_rule(const risk::Registry& registry, const ServedDefinition& definition,
                                        const json::Value& rule) {
  const std::string_view type = json::find_string(rule, "type").value_or("");
  if (registry.find(type) != nullptr && !risk::read_rule(registry, rule)) return std::nullopt;
  json::Value written = in_spelling_of_api(rule);
  if (!definition.takes_rule(written)) return std::nullopt;
  return written;
}

/// Returns a URL in a form that the definition takes; std::nullopt: there is none.
std::optional<std::string> written_url(const std::string& url, const ServedDefinition& definition) {
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
  for (const std::string& form : {written, url})
    if (form.size() <= max_text && definition.takes_url(form)) return form;
  return std::nullopt;
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
                                        const risk::Registry& registry, const ServedDefinition& definition,
                                        std::vector<std::string>& left_out) {
  std::vector<graph::Risk> written;
  for (const graph::Risk& risk : risks) {
    const std::string name = "risk " + printable(risk.name, 80) + " of the update to " + target;
    // An update without one of its risks would be another one.
    const auto refuse = [&](const char* why) {
      left_out.push_back(name + ": " + why + ", so that the update is not listed; it counts all the same");
      return std::vector<graph::Risk>();
    };
    auto url = written_url(risk.url, definition);
    if (!url) return refuse("its URL is none that can be listed");
    graph::Risk one{.url = *std::move(url),
                    .name = risk.name,
                    .message = cut_text(risk.message, max_text),
                    .matching_rules = {}};
    for (const json::Value& rule : risk.matching_rules) {
      if (auto taken = written_rule(registry, definition, rule))
        one.matching_rules.push_back(*std::move(taken));
    }
    const std::size_t dropped = risk.matching_rules.size() - one.matching_rules.size();
    if (one.matching_rules.empty()) return refuse("it has no rule that can be listed");
    if (risk.name.size() > max_text) return refuse("its name is too long");
    if (dropped > 0)
      left_out.push_back(name + ": " + std::to_string(dropped) + " of its rules cannot be listed");
    written.push_back(std::move(one));
  }
  return written;
}

}  // namespace fairway::operators
