// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/object_text.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "apiserver/internal/objects/shared_conversion.h"
#include "k8s/object_meta.h"

namespace fairway::apiserver::objects {
namespace {

bool is_empty(const json::Value& value) {
  if (value.is_string()) return value.get_string().empty();
  if (value.is_array()) return value.get_array().empty();
  return value.is_object() ? value.get_object().empty() : value.is_null();
}

void append_member(std::string& out, std::string_view name) {
  if (out.back() != '{') out += ',';
  out += '"';
  out += name;
  out += "\":";
}

void append_metadata(std::string& out, const json::Object& metadata, const std::string* version) {
  out += '{';
  for (const std::string_view name : k8s::object_meta_fields) {
    if (name == "resourceVersion") {
      if (version == nullptr) continue;
      append_member(out, name);
      out += '"' + *version + '"';
      continue;
    }
    const json::Value* value = metadata.if_contains(name);
    if (value == nullptr || is_empty(*value)) continue;
    append_member(out, name);
    json::append_text(out, *value);
  }
  for (const auto& member : metadata) {
    if (std::ranges::find(k8s::object_meta_fields, std::string_view(member.key())) !=
        k8s::object_meta_fields.end())
      continue;
    if (out.back() != '{') out += ',';
    json::append_quoted(out, member.key());
    out += ':';
    json::append_text(out, member.value());
  }
  out += '}';
}

std::string written(const k8s::Dynamic& object, const std::string* version) {
  std::string out = "{";
  append_member(out, "kind");
  json::append_quoted(out, object.kind());
  append_member(out, "apiVersion");
  json::append_quoted(out, object.api_version());
  append_member(out, "metadata");
  append_metadata(out, object.at("metadata").json(), version);
  for (const auto& member : object.json()) {
    const std::string_view key = member.key();
    if (key == "kind" || key == "apiVersion" || key == "metadata") continue;
    out += ',';
    json::append_quoted(out, key);
    out += ':';
    json::append_text(out, member.value());
  }
  out += '}';
  return out;
}

/// Removes `part` from the front of `text`. Returns false if it is not there.
bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

/// Removes kind and apiVersion from the front of an object's text. Returns false if it does not begin as
/// those of objects of this kind and version do. Lists call it for each object, so it allocates nothing.
bool take_type(std::string_view& text, const k8s::GroupVersionKind& kind) {
  return take(text, R"({"kind":")") && take(text, kind.kind) && take(text, R"(","apiVersion":")") &&
         (kind.group.empty() || (take(text, kind.group) && take(text, "/"))) && take(text, kind.version) &&
         take(text, "\",");
}

bool is_text_of(std::string_view text, const k8s::GroupVersionKind& kind) {
  return take_type(text, kind);
}

bool needs_webhook(const storage::Record& record, const resources::ServedResource& resource) {
  return resource.strategy->converts_by_webhook() && !is_text_of(record.json(), resource.kind);
}

k8s::StatusResult<k8s::Dynamic> converted(const storage::Record& record,
                                          const resources::ServedResource& resource) {
  k8s::Dynamic object = resources::parse(record);
  if (record.form() != resource.form) resource.strategy->refresh(object);
  if (object.api_version() != resource.kind.api_version()) {
    if (auto done = resource.strategy->convert(object, resource.kind); !done) {
      return std::unexpected(done.error());
    }
  }
  return object;
}

}  // namespace

std::string to_text(const k8s::Dynamic& object, std::string_view resource_version) {
  const std::string version(resource_version);
  return written(object, version.empty() ? nullptr : &version);
}

std::string to_stored_text(const k8s::Dynamic& object) {
  const std::string version;
  return written(object, &version);
}

k8s::StatusResult<const std::string*> text_in_version(const storage::Record& record,
                                                      const resources::ServedResource& resource) {
  const bool is_in_version = is_text_of(record.json(), resource.kind);
  if (is_in_version && record.form() == resource.form) return &record.json();
  const auto convert = [&]() -> ConvertedText {
    auto object = converted(record, resource);
    if (!object) return std::unexpected(object.error());
    if (is_in_version && object->json() == resources::parse(record).json()) return std::nullopt;
    return to_text(*object, std::to_string(record.revision()));
  };
  const auto tag = std::hash<std::string>{}("text " + resource.kind_and_form());
  const ConvertedText& text = !is_in_version && resource.strategy->converts_by_webhook()
                                  ? convert_once_for_all(record, tag, *resource.strategy, convert)
                                  : record.derived().get<ConvertedText>(tag, convert);
  if (!text) return std::unexpected(text.error());
  return *text ? &**text : &record.json();
}

k8s::StatusResult<k8s::Dynamic> object_in_version(const storage::Record& record,
                                                  const resources::ServedResource& resource) {
  if (!needs_webhook(record, resource)) return converted(record, resource);
  const auto text = text_in_version(record, resource);
  if (!text) return std::unexpected(text.error());
  auto parsed = json::parse(**text);
  return k8s::Dynamic(std::move(parsed.value().get_object()));
}

k8s::StatusResult<k8s::Dynamic> object_converted_now(const storage::Record& record,
                                                     const resources::ServedResource& resource) {
  return converted(record, resource);
}

storage::RecordPtr to_be_asked_again(storage::RecordPtr record, const resources::ServedResource& resource) {
  return needs_webhook(*record, resource) ? record->anew() : std::move(record);
}

void append_item(k8s::ListWriter& writer, std::string& body, std::string_view text,
                 const resources::ServedResource& resource) {
  std::string_view members = text;
  if (resource.is_custom || !take_type(members, resource.kind)) {
    writer.add(text);
    return;
  }
  writer.add(std::string_view("{"));
  body += members;
}

bool is_as_written_today(const storage::Record& record, const resources::ServedResource& resource) {
  // As this process wrote it: the usual case, which needs no parsing.
  if (record.form() == resource.form && is_text_of(record.json(), resource.storage_kind)) return true;
  k8s::Dynamic object = resources::parse(record);
  if (object.api_version() != resource.storage_kind.api_version()) return false;
  if (record.form() == resource.form) return true;
  const k8s::Dynamic stored = object;
  resource.strategy->refresh(object);
  return object.json() == stored.json();
}

}  // namespace fairway::apiserver::objects
