// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/list.h"

#include "base/text.h"

namespace fairway::k8s {

namespace {

/// Returns the kind of the items of a list: "Pod" for "PodList".
std::string_view item_kind(std::string_view list_kind) {
  if (list_kind.ends_with("List")) list_kind.remove_suffix(4);
  return list_kind;
}

}  // namespace

ListWriter::ListWriter(std::string& out, const GroupVersionKind& kind, const ObjectList& list) : out_(out) {
  out_ += R"({"kind":)";
  json::append_quoted(out_, kind.kind);
  out_ += R"(,"apiVersion":)";
  json::append_quoted(out_, kind.api_version());
  json::Object metadata;
  if (!list.resource_version.empty()) metadata["resourceVersion"] = list.resource_version;
  if (!list.continue_token.empty()) metadata["continue"] = list.continue_token;
  if (list.remaining) metadata["remainingItemCount"] = *list.remaining;
  out_ += R"(,"metadata":)";
  json::append_text(out_, metadata);
  out_ += R"(,"items":[)";
}

void ListWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

void ListWriter::add(const json::Object& object) {
  separate();
  json::append_text(out_, object);
}

void ListWriter::add(std::string_view object) {
  separate();
  out_ += object;
}

void ListWriter::end() {
  out_ += "]}";
}

std::string to_text(const GroupVersionKind& kind, const ObjectList& list) {
  std::string text;
  ListWriter writer(text, kind, list);
  for (const Dynamic& item : list.items) writer.add(item.json());
  writer.end();
  return text;
}

ListReader::ListReader(std::function<Result<void>(Dynamic object)> on_object)
    : on_object_(std::move(on_object)),
      document_("items", [this](json::Value item) { return take(std::move(item)); }) {}

Result<void> ListReader::feed(std::string_view piece) {
  return document_.feed(piece);
}

Result<void> ListReader::take(json::Value item) {
  if (!item.is_object()) return fail(ErrorCode::unavailable, "an item of the server's list is no object");
  // In lists of built-in kinds, the items do not say what they are. Servers say it before the items.
  const json::Value* kind = item.get_object().if_contains("kind");
  if (kind == nullptr && (document_.text("kind").empty() || document_.text("apiVersion").empty())) {
    early_.push_back(std::move(item.get_object()));
    return {};
  }
  return hand_on(std::move(item.get_object()));
}

Result<void> ListReader::hand_on(json::Object item) {
  // Items have both or neither. Room for both at once: to grow an object by one member moves all it has.
  if (item.if_contains("kind") == nullptr) item.reserve(item.size() + 2);
  Dynamic object(std::move(item));
  if (object.kind().empty()) object.set("kind", item_kind(document_.text("kind")));
  if (object.api_version().empty()) object.set("apiVersion", document_.text("apiVersion"));
  return on_object_(std::move(object));
}

Result<ObjectList> ListReader::finish() {
  const auto document = document_.finish();
  if (!document) return fail(document.error());
  if (!document->is_object()) return fail(ErrorCode::unavailable, "the server's list is no JSON object");
  const View view(document->get_object());
  const json::Value* items = view.find("items");
  if (!view.text("kind").ends_with("List") || (items != nullptr && !items->is_array() && !items->is_null())) {
    return fail(ErrorCode::unavailable,
                "the server answered with no list but with a " + printable(view.text("kind", "text"), 80));
  }
  for (json::Object& item : early_) {
    if (auto taken = hand_on(std::move(item)); !taken) return fail(taken.error());
  }
  early_.clear();
  ObjectList list;
  list.resource_version = view.text("metadata.resourceVersion");
  list.continue_token = view.text("metadata.continue");
  list.remaining = view.find_integer("metadata.remainingItemCount");
  return list;
}

}  // namespace fairway::k8s
