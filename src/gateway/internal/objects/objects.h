// SPDX-License-Identifier: Apache-2.0

// The objects that statuses and configuration are made of, by kind and name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/internal/objects/api.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The fields that decide precedence. The texts belong to the object.
struct Age {
  std::string_view created, namespace_name, name;
};
Age age_of(const k8s::Dynamic& object);
/// Returns whether `a` has precedence: it is older, or as old and first by namespace and name.
bool is_older(const Age& a, const Age& b);
bool is_older(const k8s::Dynamic& a, const k8s::Dynamic& b);
/// Describes an object: "HTTPRoute shop/cart".
std::string describe(const k8s::Dynamic& object);

/// A set of objects. An object keeps its address for as long as it is in the set.
class Objects {
 public:
  /// Adds an object, in place of one of the same kind and name in any version. Objects of Gateway API without
  /// generation count as generation 1. Objects of namespaced kinds without a namespace are in "default". Only
  /// those two are copied.
  void add(std::shared_ptr<const k8s::Dynamic> object);
  void add(k8s::Dynamic object);
  /// Removes the object of this kind and name, if there is one.
  void remove(const k8s::Dynamic& object);

  /// Returns a number that changes with the objects of a kind, and differs between sets unless one was made
  /// from the other. Results that were made from the objects are valid while it stays the same.
  std::uint64_t revision(std::string_view group, std::string_view kind) const;

  const k8s::Dynamic* find(std::string_view group, std::string_view kind, std::string_view namespace_name,
                           std::string_view name) const;
  /// Returns an object of Gateway API; nullptr: there is none.
  const k8s::Dynamic* find(std::string_view kind, std::string_view namespace_name,
                           std::string_view name) const {
    return find(gateway_group, kind, namespace_name, name);
  }
  /// Returns the objects of Gateway API of a kind, ordered by namespace and name.
  std::vector<const k8s::Dynamic*> all(std::string_view kind) const;
  std::vector<std::shared_ptr<const k8s::Dynamic>> shared(std::string_view kind) const;
  /// Returns an object of Gateway API; nullptr: there is none.
  std::shared_ptr<const k8s::Dynamic> find_shared(std::string_view kind, const k8s::Key& key) const;
  /// Calls `one` with each object of Gateway API of a kind, in the order of namespace and name.
  void each(std::string_view kind,
            const std::function<void(const std::shared_ptr<const k8s::Dynamic>&)>& one) const;
  /// Returns the objects of Gateway API of a kind, the oldest first.
  std::vector<const k8s::Dynamic*> by_age(std::string_view kind) const;
  /// Returns the EndpointSlices of a Service.
  std::vector<const k8s::Dynamic*> slices_of(std::string_view namespace_name, std::string_view service) const;
  /// Calls `one` with each EndpointSlice and its Service, ordered by Service.
  void each_slice(const std::function<void(const k8s::Key& service,
                                           const std::shared_ptr<const k8s::Dynamic>&)>& one) const;
  /// Returns all objects in the order in which they were added; after a removal, in any order.
  std::vector<std::shared_ptr<const k8s::Dynamic>> in_order() const;

  /// Returns whether objects of a kind and namespace may refer to another object: it is in the same
  /// namespace, or a ReferenceGrant in its namespace allows it.
  bool may_refer(std::string_view from_kind, std::string_view from_namespace, std::string_view to_kind,
                 std::string_view to_namespace, std::string_view to_name) const;

  /// Returns whether a selector of namespaces selects one; a selector that cannot be read selects none. A
  /// Namespace that is not in the set counts as having the label of its name only, which the server gives to
  /// each.
  bool selects_namespace(const json::Value* selector, std::string_view namespace_name) const;
  /// Returns whether `from` ("Same", "All", "Selector", "None") of `namespaces` allows objects of a
  /// namespace.
  bool allows_namespace(const k8s::View& namespaces, std::string_view otherwise, std::string_view own,
                        std::string_view namespace_name) const;

 private:
  /// Indices in `objects_`, by namespace and name.
  using ByKey = std::map<k8s::Key, std::size_t, std::less<>>;
  struct OfKind {
    ByKey by_key;
    std::uint64_t revision = 0;
  };
  void put(std::shared_ptr<const k8s::Dynamic> object);
  const ByKey& of_kind(std::string_view group, std::string_view kind) const;
  void record_slice(const k8s::Dynamic& slice, std::size_t index, bool is_there);

  /// The objects; nullptr in the places of removed ones, which are in `free_`.
  std::vector<std::shared_ptr<const k8s::Dynamic>> objects_;
  std::vector<std::size_t> free_;
  std::map<std::string, OfKind, std::less<>> by_kind_;  // "group/kind"
  /// EndpointSlices by their Service, each by name. A cluster may have thousands in one namespace.
  std::map<k8s::Key, std::map<std::string, std::size_t, std::less<>>, std::less<>> slices_;
};

}  // namespace fairway::gateway
