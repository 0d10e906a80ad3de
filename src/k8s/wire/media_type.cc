// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/media_type.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::k8s {

namespace {

/// Returns the text without its quotes, if it has them.
std::string unquoted(std::string_view text) {
  if (text.size() < 2 || !text.starts_with('"') || !text.ends_with('"')) return std::string(text);
  return std::string(text.substr(1, text.size() - 2));
}

/// Reads a weight; an invalid one counts as 1, as in the API server.
double read_weight(std::string_view text) {
  double weight = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  return error == std::errc{} && end == text.data() + text.size() && weight >= 0 && weight <= 1 ? weight : 1;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7F && std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
  });
}

/// Reads a clause; false if it is not a media type.
bool read(std::string_view clause, MediaType& media_type) {
  bool first = true;
  for (const std::string_view part : split(clause, ';')) {
    const std::string_view text = trim(part);
    if (first) {
      const std::size_t slash = text.find('/');
      if (slash == std::string_view::npos && text != "*") return false;
      media_type.type = to_lower(text.substr(0, slash));
      media_type.subtype = slash != std::string_view::npos ? to_lower(text.substr(slash + 1)) : "*";
      if (!is_token(media_type.type) || !is_token(media_type.subtype)) return false;
      first = false;
      continue;
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    std::string name = to_lower(trim(text.substr(0, equals)));
    const std::string_view value = trim(text.substr(equals + 1));
    if (name == "q") {
      media_type.weight = read_weight(value);
    } else if (is_token(name)) {
      media_type.parameters.emplace_back(std::move(name), unquoted(value));
    }
  }
  return true;
}

/// Returns a sort key: clauses of the same weight keep their order, except that ranges come last.
int breadth(const MediaType& media_type) {
  return media_type.type == "*" ? 2 : media_type.subtype == "*" ? 1 : 0;
}

bool is_version(std::string_view version) {
  return version == "v1" || version == "v1beta1";
}

}  // namespace

std::string_view MediaType::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, &std::pair<std::string, std::string>::first);
  return found != parameters.end() ? std::string_view(found->second) : std::string_view{};
}

GroupVersionKind MediaType::as() const {
  return {std::string(parameter("g")), std::string(parameter("v")), std::string(parameter("as"))};
}

bool MediaType::takes_json() const {
  return (type == "application" && (subtype == "json" || subtype == "*")) || (type == "*" && subtype == "*");
}

std::string MediaType::to_string() const {
  std::string text = type + "/" + subtype;
  for (const auto& [name, value] : parameters) {
    text.append(";").append(name).append("=");
    text += is_token(value) || value.empty() ? value : "\"" + value + "\"";
  }
  return text;
}

MediaType json_as(const GroupVersionKind& kind) {
  return {.type = "application",
          .subtype = "json",
          .parameters = {{"as", kind.kind}, {"v", kind.version}, {"g", kind.group}}};
}

std::vector<MediaType> parse_accept(std::string_view header) {
  std::vector<MediaType> clauses;
  for (const std::string_view clause : split(header, ',')) {
    MediaType media_type;
    if (read(clause, media_type)) clauses.push_back(std::move(media_type));
  }
  std::ranges::stable_sort(clauses, [](const MediaType& a, const MediaType& b) {
    return a.weight != b.weight ? a.weight > b.weight : breadth(a) < breadth(b);
  });
  return clauses;
}

StatusResult<Representation> negotiate(std::string_view accept, const AsPredicate& supports, bool stream,
                                       const AsPredicate& in_protobuf) {
  if (trim(accept).empty()) return Representation{};
  for (const MediaType& clause : parse_accept(accept)) {
    const bool yaml = clause.takes_yaml(), protobuf = clause.takes_protobuf() && in_protobuf;
    if ((!clause.takes_json() && !yaml && !protobuf) || clause.weight == 0 || (yaml && stream)) continue;
    const std::string_view stream_as = clause.parameter("stream");
    // kube-apiserver takes it for any answer whose format can be streamed.
    if (!stream_as.empty() && (yaml || stream_as != "watch")) continue;
    const GroupVersionKind as = clause.as();
    const bool turns = !as.group.empty() || !as.version.empty() || !as.kind.empty();
    if ((turns && !supports(as)) || (protobuf && !in_protobuf(as))) continue;
    return Representation{
        .as = as, .pretty = clause.parameter("pretty") == "1", .yaml = yaml, .protobuf = protobuf};
  }
  if (in_protobuf) {
    return std::unexpected(answer::not_acceptable(
        {"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}));
  }
  constexpr std::string_view watch = "application/json;stream=watch";
  if (stream) return std::unexpected(answer::not_acceptable({watch}));
  return std::unexpected(answer::not_acceptable({"application/json", "application/yaml"}));
}

bool is_table_or_metadata(const GroupVersionKind& as) {
  return as.group == representation::group && is_version(as.version) &&
         (as.kind == representation::table || as.kind == representation::metadata ||
          as.kind == representation::metadata_list);
}

bool is_aggregated_discovery(const GroupVersionKind& as) {
  return as.group == representation::discovery_group && (as.version == "v2" || as.version == "v2beta1") &&
         as.kind == representation::group_discovery_list;
}

Dynamic to_partial_metadata(const Dynamic& object, std::string_view version) {
  Dynamic partial;
  partial.set("kind", representation::metadata);
  partial.set("apiVersion", std::string(representation::group) + "/" + std::string(version));
  const json::Value* metadata = object.find("metadata");
  partial.set("metadata",
              metadata != nullptr && metadata->is_object() ? *metadata : json::Value(json::Object{}));
  return partial;
}

}  // namespace fairway::k8s
