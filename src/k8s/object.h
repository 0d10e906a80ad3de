// SPDX-License-Identifier: Apache-2.0

// API objects: an untyped one, and the pattern of typed views.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "k8s/group_version.h"
#include "k8s/view.h"

namespace fairway::k8s {

/// The key of an object within its kind: the namespace is empty for cluster-scoped kinds.
struct Key {
  std::string namespace_name = {}, name = {};

  /// Parses "namespace/name", or "name".
  static Result<Key> parse(std::string_view text);
  std::string to_string() const;
  friend auto operator<=>(const Key&, const Key&) = default;
};

/// An entry of `metadata.ownerReferences`.
class OwnerReference : public View {
 public:
  using View::View;
  std::string_view api_version() const { return text("apiVersion"); }
  std::string_view kind() const { return text("kind"); }
  std::string_view name() const { return text("name"); }
  std::string_view uid() const { return text("uid"); }
  bool controller() const { return flag("controller"); }
  bool blocks_owner_deletion() const { return flag("blockOwnerDeletion"); }
};

/// An API object: an owned JSON document with accessors. Everything that is not written is preserved as
/// received: unknown fields, the order of keys, 64-bit integers.
///
/// A typed view is a class derived from this one that adds accessors and no data:
///
///     class Widget : public k8s::Dynamic {
///      public:
///       static constexpr k8s::Resource resource{"widgets.example.com", "v1", "Widget", "widgets"};
///       using Dynamic::Dynamic;
///       std::string_view color() const { return text("spec.color", "red"); }
///       void set_color(std::string_view color) { set("spec.color", color); }
///     };
class Dynamic : public Editor {
 public:
  Dynamic() : Editor(document_) {}
  explicit Dynamic(json::Object document) : Editor(document_), document_(std::move(document)) {}
  /// Copies to the heap, wherever the original is allocated.
  Dynamic(const Dynamic& other) : Editor(document_), document_(other.document_, json::Storage{}) {}
  Dynamic(Dynamic&& other) noexcept : Editor(document_), document_(std::move(other.document_)) {}
  Dynamic& operator=(const Dynamic& other);
  Dynamic& operator=(Dynamic&& other) noexcept;
  ~Dynamic() = default;

  /// Takes a document, which must be a JSON object with apiVersion and kind.
  static Result<Dynamic> from(json::Value document);
  /// Parses JSON text into an object, as `from` does.
  static Result<Dynamic> parse(std::string_view text);

  /// Releases the document; this becomes empty.
  json::Object release() { return std::exchange(document_, json::Object{}); }
  /// Returns the object as compact JSON.
  std::string to_text() const;

  std::string_view api_version() const { return text("apiVersion"); }
  std::string_view kind() const { return text("kind"); }
  /// Returns the kind. If apiVersion is invalid, group and version are empty.
  GroupVersionKind group_version_kind() const;
  bool is(const Resource& resource) const;
  void set_resource(const Resource& resource);

  std::string_view name() const { return text("metadata.name"); }
  std::string_view generate_name() const { return text("metadata.generateName"); }
  std::string_view namespace_name() const { return text("metadata.namespace"); }
  Key key() const { return {std::string(namespace_name()), std::string(name())}; }
  std::string_view uid() const { return text("metadata.uid"); }
  /// Returns the resourceVersion, which is opaque; empty if the object is not from a server.
  std::string_view resource_version() const { return text("metadata.resourceVersion"); }
  std::int64_t generation() const { return integer("metadata.generation"); }
  std::optional<WallTime> created() const { return find_time("metadata.creationTimestamp"); }
  void set_name(std::string_view name) { set("metadata.name", name); }
  void set_namespace_name(std::string_view name) { set("metadata.namespace", name); }
  /// Sets the resourceVersion. An empty value removes it: a write without it is unconditional.
  void set_resource_version(std::string_view version);

  StringMap labels() const { return map("metadata.labels"); }
  StringMap annotations() const { return map("metadata.annotations"); }
  std::string_view label(std::string_view key) const {
    return labels().find(key).value_or(std::string_view{});
  }
  std::string_view annotation(std::string_view key) const {
    return annotations().find(key).value_or(std::string_view{});
  }
  void set_label(std::string_view key, std::string_view value) { set_entry("metadata.labels", key, value); }
  void set_annotation(std::string_view key, std::string_view value) {
    set_entry("metadata.annotations", key, value);
  }
  bool remove_label(std::string_view key) { return erase_entry("metadata.labels", key); }
  bool remove_annotation(std::string_view key) { return erase_entry("metadata.annotations", key); }

  /// Returns whether deletion was requested, and finalizers are pending (deletionTimestamp is set).
  bool is_being_deleted() const { return has("metadata.deletionTimestamp"); }
  std::optional<WallTime> deletion_time() const { return find_time("metadata.deletionTimestamp"); }
  std::vector<std::string_view> finalizers() const { return texts("metadata.finalizers"); }
  bool has_finalizer(std::string_view finalizer) const;
  /// Adds or removes a finalizer. Returns false if it was already present (or absent): then there is nothing
  /// to write.
  bool add_finalizer(std::string_view finalizer);
  bool remove_finalizer(std::string_view finalizer);

  std::vector<OwnerReference> owners() const { return items<OwnerReference>("metadata.ownerReferences"); }
  /// Returns the owner that manages this object, if there is one.
  std::optional<OwnerReference> controller() const;
  /// Adds an owner reference to `owner`, which must be from a server; an existing reference to it is
  /// replaced. Errors: `conflict` if `controller` is set and another controller owns this object; `invalid`
  /// if the owner has no uid, or is in another namespace.
  Result<void> set_owner(const Dynamic& owner, bool controller = true);

 private:
  json::Object document_;
};

/// Checks that an object is of a view's kind; a view of another kind would read as empty.
Result<void> check_kind(const Dynamic& object, const Resource& resource);

/// Returns an object as a typed view; an error if it has another kind or version.
template <class T>
Result<T> as(Dynamic object) {
  if (auto checked = check_kind(object, T::resource); !checked) return fail(checked.error());
  return T(object.release());
}

/// Returns a new object with apiVersion, kind and name. Pass no namespace for cluster-scoped kinds.
template <class T>
T make(std::string_view name, std::string_view namespace_name = {}) {
  T object;
  object.set_resource(T::resource);
  object.set_name(name);
  if (!namespace_name.empty()) object.set_namespace_name(namespace_name);
  return object;
}

}  // namespace fairway::k8s
