// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/quarantined_object.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/cut_text.h"
#include "base/text.h"
#include "conversion/internal/lost_fields.h"
#include "conversion/internal/object_metadata.h"
#include "conversion/internal/review.h"
#include "conversion/step.h"
#include "http/compress.h"
#include "k8s/equality.h"
#include "k8s/group_version.h"
#include "k8s/quarantine.h"

namespace fairway::conversion {

namespace {

/// Content up to this length stays readable in the annotation.
constexpr std::size_t longest_plain = 4096;
/// The beginning of a compressed annotation; JSON text begins with a brace.
constexpr std::string_view compressed = "gzip:";

bool is_header(std::string_view member) {
  return member == "apiVersion" || member == "kind" || member == "metadata";
}

std::string path_of(std::string_view annotation) {
  return "metadata.annotations[\"" + std::string(annotation) + "\"]";
}

std::string write_original(const json::Object& content) {
  std::string text = json::to_text(content);
  if (text.size() <= longest_plain) return text;
  return std::string(compressed) + base64_encode(http::gzip(text));
}

Result<json::Object> read_original(std::string_view text) {
  const auto bad = [](std::string_view why) { return invalid_field(path_of(k8s::original_annotation), why); };
  std::string unpacked;
  if (text.starts_with(compressed)) {
    const auto bytes = base64_decode(text.substr(compressed.size()));
    if (!bytes) return bad("it is not base64");
    // Anybody can write a small text that becomes a huge one.
    auto whole = http::gunzip(*bytes, max_object_bytes);
    if (!whole) return bad(whole.error().message);
    unpacked = *std::move(whole);
    text = unpacked;
  }
  auto content = json::parse(text);
  if (!content) return bad(content.error().message);
  if (!content->is_object()) return bad("it is no object");
  return std::move(content->get_object());
}

}  // namespace

bool has_no_content(const k8s::Dynamic& object, const json::Object& defaults) {
  const bool is_plain =
      std::ranges::all_of(object.json(), [](const auto& member) { return is_header(member.key()); });
  if (is_plain || defaults.empty()) return is_plain;
  json::Object content;
  for (const auto& member : object.json()) {
    if (!is_header(member.key())) content.emplace(member.key(), member.value());
  }
  return k8s::equal(json::Value(std::move(content)), json::Value(defaults));
}

Result<k8s::Dynamic> make_quarantined(k8s::Dynamic original, std::string_view api_version,
                                      const QuarantineReason& reason) {
  for (const std::string_view mark : {k8s::quarantined_annotation, k8s::original_annotation}) {
    if (!original.annotations().contains(mark)) continue;
    return fail(ErrorCode::invalid, "it has the annotation " + std::string(mark) +
                                        " already, and nothing is written over an original; repair it in the "
                                        "version in which it is stored, without the annotations of a "
                                        "quarantine");
  }
  json::Object document = original.release();
  const json::Storage storage = document.storage();
  json::Object content(storage), metadata(storage);
  k8s::Dynamic made;
  for (auto& member : document) {
    if (member.key() == "metadata" && member.value().is_object()) {
      metadata = std::move(member.value().get_object());
    } else if (member.key() == "kind") {
      made.json()["kind"] = member.value();
    } else {
      content.emplace(member.key(), std::move(member.value()));
    }
  }
  made.json()["apiVersion"] = api_version;
  made.json()["metadata"] = std::move(metadata);
  if (const json::Value* annotations = made.find("metadata.annotations")) {
    const bool is_object = annotations->is_object();
    if (!is_object && !annotations->is_null())
      return invalid_field("metadata.annotations", "it is no object");
    // What is there and empty has to be so again.
    if (!is_object || annotations->get_object().empty()) {
      content["metadata"] = json::Object{{"annotations", *annotations}};
      made.erase("metadata.annotations");
    }
  }
  made.set_annotation(k8s::quarantined_annotation,
                      json::to_text(json::Object{{"why", cut_text(reason.why, longest_reason)},
                                                 {"step", reason.step},
                                                 {"storedVersion", reason.stored_version}}));
  made.set_annotation(k8s::original_annotation, write_original(content));
  if (auto fits = check_annotations(made); !fits) return fail(fits.error());
  return made;
}

Result<QuarantineReason> read_reason(const k8s::Dynamic& object) {
  const auto bad = [](std::string_view why) {
    return invalid_field(path_of(k8s::quarantined_annotation), why);
  };
  const auto text = object.annotations().find(k8s::quarantined_annotation);
  if (!text) return bad("it is missing");
  const auto value = json::parse(*text);
  if (!value) return bad(value.error().message);
  QuarantineReason reason;
  for (const auto& [key, target] :
       {std::pair{"why", &reason.why}, {"step", &reason.step}, {"storedVersion", &reason.stored_version}}) {
    const auto member = json::find_string(*value, key);
    if (!member) return bad(std::string(key) + " is missing, or is no text");
    *target = key == std::string_view("storedVersion")
                  ? std::string(*member)
                  : cut_text(printable(*member, longest_reason), longest_reason);
  }
  return reason;
}

Result<k8s::Dynamic> restore_original(const k8s::Dynamic& object) {
  const auto reason = read_reason(object);
  if (!reason) return fail(reason.error());
  const auto text = object.annotations().find(k8s::original_annotation);
  if (!text) return invalid_field(path_of(k8s::original_annotation), "it is missing");
  auto content = read_original(*text);
  if (!content) return fail(content.error());
  const auto bad = [](std::string_view why) { return invalid_field(path_of(k8s::original_annotation), why); };
  const auto own = k8s::GroupVersion::parse(object.api_version());
  const json::Value* const stored = content->if_contains("apiVersion");
  const auto of = stored != nullptr && stored->is_string()
                      ? k8s::GroupVersion::parse(std::string_view(stored->get_string()))
                      : fail(ErrorCode::invalid, "no apiVersion");
  if (!own || !of || of->group != own->group) return bad("its apiVersion is none of the object's group");
  if (of->version != reason->stored_version) return bad("its apiVersion is not the storedVersion");

  const json::Value* const kept = content->if_contains("metadata");
  std::optional<json::Value> annotations;
  if (kept != nullptr) {
    const json::Value* empty = json::find(*kept, "annotations");
    const bool is_empty =
        empty != nullptr && (empty->is_null() || (empty->is_object() && empty->get_object().empty()));
    // The metadata of an object is its own: of the annotation only this is taken.
    if (!is_empty) return bad("it has metadata");
    annotations = *empty;
  }
  k8s::Dynamic original;
  original.json()["apiVersion"] = *stored;
  original.json()["kind"] = std::string(object.kind());
  if (const json::Value* metadata = object.find("metadata")) original.json()["metadata"] = *metadata;
  original.remove_annotation(k8s::quarantined_annotation);
  original.remove_annotation(k8s::original_annotation);
  if (annotations && !original.has("metadata.annotations"))
    original.set("metadata.annotations", *std::move(annotations));
  for (auto& member : *content) {
    if (!is_header(member.key())) original.json().emplace(member.key(), std::move(member.value()));
  }
  return original;
}

}  // namespace fairway::conversion
