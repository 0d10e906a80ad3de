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

/// Which object of a kind: the namespace is empty for kinds of the whole cluster.
struct Key {
  std::string namespace_name, name;

  /// "namespace/name", or "name".
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

/// An API object: a JSON document that it owns, and accessors over it. Whatever nobody wrote stays as it
/// came: unknown fields, the order of keys, integers of 64 bits.
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
  /// A copy has memory of its own, wherever the other document lies.
  Dynamic(const Dynamic& other) : Editor(document_), document_(other.document_, json::Storage{}) {}
  Dynamic(Dynamic&& other) noexcept : Editor(document_), document_(std::move(other.document_)) {}
  Dynamic& operator=(const Dynamic& other);
  Dynamic& operator=(Dynamic&& other) noexcept;
  ~Dynamic() = default;

  /// Takes a document that has to be a JSON object with apiVersion and kind.
  static Result<Dynamic> from(json::Value document);
  /// The same from JSON text.
  static Result<Dynamic> parse(std::string_view text);

  /// Gives the document away; what is left is empty.
  json::Object release() { return std::exchange(document_, json::Object{}); }
  /// Compact JSON.
  std::string to_text() const;

  std::string_view api_version() const { return text("apiVersion"); }
  std::string_view kind() const { return text("kind"); }
  /// Where apiVersion is none, group and version are empty.
  GroupVersionKind group_version_kind() const;
  bool is(const Resource& resource) const;
  void set_resource(const Resource& resource);

  std::string_view name() const { return text("metadata.name"); }
  std::string_view generate_name() const { return text("metadata.generateName"); }
  std::string_view namespace_name() const { return text("metadata.namespace"); }
  Key key() const { return {std::string(namespace_name()), std::string(name())}; }
  std::string_view uid() const { return text("metadata.uid"); }
  /// Opaque; empty: not from a server.
  std::string_view resource_version() const { return text("metadata.resourceVersion"); }
  std::int64_t generation() const { return integer("metadata.generation"); }
  std::optional<WallTime> created() const { return find_time("metadata.creationTimestamp"); }
  void set_name(std::string_view name) { set("metadata.name", name); }
  void set_namespace_name(std::string_view name) { set("metadata.namespace", name); }
  /// An empty one is removed: a write without it does not ask whether the object has changed.
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

  /// Somebody has asked for its deletion, and finalizers hold it.
  bool is_being_deleted() const { return has("metadata.deletionTimestamp"); }
  std::optional<WallTime> deletion_time() const { return find_time("metadata.deletionTimestamp"); }
  std::vector<std::string_view> finalizers() const { return texts("metadata.finalizers"); }
  bool has_finalizer(std::string_view finalizer) const;
  /// False if it was there already, or was not there: then there is nothing to write.
  bool add_finalizer(std::string_view finalizer);
  bool remove_finalizer(std::string_view finalizer);

  std::vector<OwnerReference> owners() const { return items<OwnerReference>("metadata.ownerReferences"); }
  /// The owner that manages this object, if there is one.
  std::optional<OwnerReference> controller() const;
  /// Enters `owner`, which must come from a server, as owner; a reference to it that is there is written
  /// anew. Errors: `conflict` where another controller owns this object and `controller` is asked for;
  /// `invalid` where the owner has no uid, or has a namespace that is not this object's.
  Result<void> set_owner(const Dynamic& owner, bool controller = true);

 private:
  json::Object document_;
};

/// Checks that an object is of a view's kind: a `T` that is none would read as empty.
Result<void> check_kind(const Dynamic& object, const Resource& resource);

/// An object as a typed view; an error where it is of another kind or version.
template <class T>
Result<T> as(Dynamic object) {
  if (auto checked = check_kind(object, T::resource); !checked) return fail(checked.error());
  return T(object.release());
}

/// A new object with apiVersion, kind and name. Pass no namespace for kinds of the whole cluster.
template <class T>
T make(std::string_view name, std::string_view namespace_name = {}) {
  T object;
  object.set_resource(T::resource);
  object.set_name(name);
  if (!namespace_name.empty()) object.set_namespace_name(namespace_name);
  return object;
}

}  // namespace fairway::k8s
