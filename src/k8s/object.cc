// SPDX-License-Identifier: Apache-2.0

#include "k8s/object.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::k8s {

Result<Key> Key::parse(std::string_view text) {
  const auto parts = split(text, '/');
  if (parts.size() > 2 || std::ranges::any_of(parts, &std::string_view::empty)) {
    return fail(ErrorCode::invalid,
                "'" + printable(text, 80) + "' names no object; write NAME, or NAMESPACE/NAME");
  }
  if (parts.size() == 1) return Key{"", std::string(parts[0])};
  return Key{std::string(parts[0]), std::string(parts[1])};
}

std::string Key::to_string() const {
  return namespace_name.empty() ? name : namespace_name + "/" + name;
}

Dynamic& Dynamic::operator=(const Dynamic& other) {
  document_ = other.document_;
  return *this;
}

Dynamic& Dynamic::operator=(Dynamic&& other) noexcept {
  document_ = std::move(other.document_);
  return *this;
}

Result<Dynamic> Dynamic::from(json::Value document) {
  if (!document.is_object()) return fail(ErrorCode::invalid, "an API object must be a JSON object");
  Dynamic object(std::move(document.get_object()));
  for (const std::string_view field : {"apiVersion", "kind"}) {
    if (object.text(field).empty()) {
      return fail(ErrorCode::invalid, "an API object must have the text `" + std::string(field) + "`");
    }
  }
  return object;
}

Result<Dynamic> Dynamic::parse(std::string_view text) {
  auto document = json::parse(text);
  if (!document) return fail(document.error());
  return from(*std::move(document));
}

std::string Dynamic::to_text() const {
  return json::to_text(json());
}

GroupVersionKind Dynamic::group_version_kind() const {
  auto parsed = GroupVersion::parse(api_version());
  if (!parsed) return {"", "", std::string(kind())};
  return {std::move(parsed->group), std::move(parsed->version), std::string(kind())};
}

bool Dynamic::is(const Resource& resource) const {
  return kind() == resource.kind && api_version() == resource.api_version();
}

void Dynamic::set_resource(const Resource& resource) {
  set("apiVersion", resource.api_version());
  set("kind", resource.kind);
}

void Dynamic::set_resource_version(std::string_view version) {
  if (version.empty()) {
    erase("metadata.resourceVersion");
  } else {
    set("metadata.resourceVersion", version);
  }
}

bool Dynamic::has_finalizer(std::string_view finalizer) const {
  const auto list = finalizers();
  return std::ranges::find(list, finalizer) != list.end();
}

bool Dynamic::add_finalizer(std::string_view finalizer) {
  if (has_finalizer(finalizer)) return false;
  array("metadata.finalizers").emplace_back(finalizer);
  return true;
}

bool Dynamic::remove_finalizer(std::string_view finalizer) {
  if (!has_finalizer(finalizer)) return false;
  json::Array& list = array("metadata.finalizers");
  for (auto at = list.begin(); at != list.end();) {
    const bool same = at->is_string() && std::string_view(at->get_string()) == finalizer;
    at = same ? list.erase(at) : at + 1;
  }
  if (list.empty()) erase("metadata.finalizers");
  return true;
}

std::optional<OwnerReference> Dynamic::controller() const {
  for (const OwnerReference& owner : owners()) {
    if (owner.controller()) return owner;
  }
  return std::nullopt;
}

Result<void> Dynamic::set_owner(const Dynamic& owner, bool controller) {
  const std::string doing = "making " + std::string(owner.kind()) + " " + owner.key().to_string() +
                            " owner of " + std::string(kind()) + " " + key().to_string();
  if (owner.uid().empty()) {
    return fail(ErrorCode::invalid, doing + ": the owner has no uid; take it from a server first");
  }
  if (!owner.namespace_name().empty() && owner.namespace_name() != namespace_name()) {
    return fail(ErrorCode::invalid, doing +
                                        ": the garbage collector would delete what is owned from another "
                                        "namespace; own it from the same one, or from none");
  }
  if (const auto current = this->controller(); controller && current && current->uid() != owner.uid()) {
    return fail(ErrorCode::conflict, doing + ": " + std::string(current->kind()) + " " +
                                         std::string(current->name()) + " is its controller already");
  }
  std::optional<Editor> entry;
  for (Editor& one : edit_items("metadata.ownerReferences")) {
    if (one.text("uid") == owner.uid()) entry = one;
  }
  if (!entry) entry = append("metadata.ownerReferences");
  entry->set("apiVersion", owner.api_version());
  entry->set("kind", owner.kind());
  entry->set("name", owner.name());
  entry->set("uid", owner.uid());
  if (controller) {
    entry->set("controller", true);
    entry->set("blockOwnerDeletion", true);
  }
  return {};
}

Result<void> check_kind(const Dynamic& object, const Resource& resource) {
  if (object.is(resource)) return {};
  return fail(ErrorCode::invalid, "expected " + resource.group_version_kind().to_string() + ", not " +
                                      printable(object.api_version(), 80) +
                                      ", Kind=" + printable(object.kind(), 80));
}

}  // namespace fairway::k8s
