// SPDX-License-Identifier: Apache-2.0

// The strategy of a kind: its own rules on create, update and delete.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/user.h"
#include "apiserver/internal/apply/type.h"
#include "apiserver/internal/flow/waits.h"
#include "base/clock.h"
#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/field_error.h"
#include "k8s/wire/options.h"
#include "schema/defaults.h"

namespace fairway::apiserver::resources {

/// The part of an object that a write is about.
enum class Part {
  object,                ///< everything except the parts of subresources
  status,                ///< the status subresource
  approval,              ///< the conditions of a CertificateSigningRequest
  ephemeral_containers,  ///< the ephemeral containers of a Pod
  resize,                ///< the resources of a Pod's containers
};

/// Returns whether a part belongs to what is wanted, and so counts in `metadata.generation`.
constexpr bool is_intent(Part part) {
  return part != Part::status && part != Part::approval;
}

/// Facts of a write that the server itself knows.
struct Writer {
  const access::User& user;
  WallTime now;
};

struct WriteScope;

/// Holds values allocated for an object, which no other one in the cluster may have, until its write has
/// ended.
using Allocation = std::shared_ptr<const void>;

/// The rules of one kind, where they differ from those of all. Objects are in the version of the request.
/// Called from all threads at once. Modelled on the strategies of k8s.io/apiserver/pkg/registry/rest.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Reads an object that a client sent: removes unknown fields, and fills in defaults. Returns the paths of
  /// those fields, no more than a request may report. Built-in kinds are read by their tables
  /// (rest/typed_body.h).
  virtual std::vector<std::string> read(k8s::Dynamic&, schema::Nulls) const { return {}; }
  /// Returns the type of a version's objects, for managedFields; none: there is no such version. It lives as
  /// long as this. Those of built-in kinds come from their tables.
  virtual apply::TypeRef type_of(std::string_view /*version*/) const { return {}; }
  /// Sets the fields that a new object gets from others that it names. The first step of a create. An error
  /// is the reply to the request, here and below.
  virtual k8s::StatusResult<void> complete(k8s::Dynamic&, const WriteScope&) const { return {}; }
  /// Allocates values that only one object in the cluster may have. The second step of a create, and the
  /// first one of an update. `old` is null for a create.
  virtual k8s::StatusResult<Allocation> allocate(k8s::Dynamic&, const k8s::Dynamic* /*old*/,
                                                 const WriteScope&) const {
    return nullptr;
  }
  /// Returns whether the status that a client sends with a new object is kept.
  virtual bool begins_with_status() const { return false; }
  /// Prepares a create: sets defaults, and fields that clients may not set.
  virtual void prepare_for_create(k8s::Dynamic&) const {}
  /// Takes over a part of `from` that only this kind has into the object that is stored.
  virtual void take_part(k8s::Dynamic& /*stored*/, const k8s::Dynamic& /*from*/, Part) const {}
  /// Prepares an update, which has been reduced to its part.
  virtual void prepare_for_update(k8s::Dynamic&, const k8s::Dynamic& /*old*/, Part) const {}
  /// Sets fields that only the server may set, after the two above. `old` is null for a create.
  virtual void stamp(k8s::Dynamic&, const k8s::Dynamic* /*old*/, const Writer&) const {}
  /// Sets fields that are made from the uid and the name of a new object, once these are known. `taken` is
  /// the name that was generated before and is another object's, or empty.
  virtual void identify(k8s::Dynamic&, std::string_view /*taken*/) const {}
  /// Returns the problems of an object, except those of its metadata; `old` is null for a create.
  virtual std::vector<k8s::FieldError> validate(const k8s::Dynamic&, const k8s::Dynamic* /*old*/,
                                                Part) const {
    return {};
  }
  /// Checks a valid update against other stored objects.
  virtual k8s::StatusResult<void> check_update(const k8s::Dynamic&, const k8s::Dynamic& /*old*/, Part,
                                               const WriteScope&) const {
    return {};
  }
  /// Sets the times that an update lacks, once all checks have passed. If they were set before, a time within
  /// the second of the old one would hide the write from the checks.
  virtual void set_times(k8s::Dynamic&, WallTime /*now*/) const {}
  /// Returns the warnings about a valid object; `old` is null for a create.
  virtual std::vector<std::string> warnings(const k8s::Dynamic&, const k8s::Dynamic* /*old*/) const {
    return {};
  }
  /// Returns the reason why no object of that name may be deleted; empty: it may.
  virtual std::string_view refusal_of_deletion(std::string_view /*name*/) const { return {}; }
  /// Returns the seconds that a deleted object has to end by itself; none: objects of the kind are removed at
  /// once, and so is an object with 0.
  virtual std::optional<std::int64_t> grace_seconds(const k8s::Dynamic&, const k8s::DeleteOptions&) const {
    return std::nullopt;
  }
  /// Returns whether a deleted object has to stay for another reason than its finalizers.
  virtual bool holds_deletion(const k8s::Dynamic&) const { return false; }
  /// Changes a deleted object that has to stay.
  virtual void mark_deleted(k8s::Dynamic&) const {}
  /// Brings an object that was written by former rules (`ServedResource::form`) to those of today, in the
  /// version in which it is stored.
  virtual void refresh(k8s::Dynamic&) const {}
  /// Returns whether `convert` may call a webhook, and wait for it.
  virtual bool converts_by_webhook() const { return false; }
  /// Takes a place among the requests that wait for the webhook of `convert`, for a wait until another thread
  /// has converted. Errors: 429.
  virtual k8s::StatusResult<flow::Waits::Place> enter_conversion() const { return flow::Waits::Place(); }
  /// Converts an object to another version of its kind. The defaults of that version are not filled in: an
  /// object has those of its stored version. An error is the reply to the request.
  virtual k8s::StatusResult<void> convert(k8s::Dynamic& object, const k8s::GroupVersionKind& to) const {
    object.set("apiVersion", to.api_version());
    return {};
  }
};

}  // namespace fairway::apiserver::resources
