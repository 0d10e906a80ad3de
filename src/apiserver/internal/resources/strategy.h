// What is particular to one kind when its objects are written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/user.h"
#include "apiserver/internal/apply/type.h"
#include "base/clock.h"
#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/field_error.h"
#include "k8s/wire/options.h"
#include "schema/defaults.h"

namespace fairway::apiserver {

/// The part of an object that a write is about.
enum class Part {
  object,    ///< everything but what belongs to a subresource
  status,    ///< the status subresource
  approval,  ///< the conditions, of a CertificateSigningRequest
};

/// What the server itself knows of a write.
struct Writer {
  const access::User& user;
  WallTime now;
};

struct WriteScope;

/// Holds what an object was given that nobody else in the cluster may have, until its write has ended.
using Allocation = std::shared_ptr<const void>;

/// The rules of one kind, where they are not those of all. Objects are in the version of the request. Called
/// from all threads at once. As the strategies of k8s.io/apiserver/pkg/registry/rest.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Reads what a client sent: unknown fields go, and defaults are filled in. Returns the paths of those
  /// fields, no more than a request may report. Built-in kinds are read by their tables (rest/typed_body.h).
  virtual std::vector<std::string> read(k8s::Dynamic&, schema::Nulls) const { return {}; }
  /// The type of a version's objects, for managedFields; none: there is no such version. It lives as long as
  /// this. Built-in kinds have theirs of their tables.
  virtual apply::TypeRef type_of(std::string_view /*version*/) const { return {}; }
  /// First of all in a create: sets what the object gets of others that it names. An error is the reply to
  /// the request, here and below.
  virtual k8s::StatusResult<void> complete(k8s::Dynamic&, const WriteScope&) const { return {}; }
  /// Then, and first of all in an update: gives the object what only one in the cluster may have. `old` is
  /// null for a create.
  virtual k8s::StatusResult<Allocation> allocate(k8s::Dynamic&, const k8s::Dynamic* /*old*/,
                                                 const WriteScope&) const {
    return nullptr;
  }
  /// True if the status that a client sends with a new object is kept.
  virtual bool begins_with_status() const { return false; }
  /// Before a create: defaults, and what clients may not set.
  virtual void prepare_for_create(k8s::Dynamic&) const {}
  /// Before an update, which has been reduced to its part.
  virtual void prepare_for_update(k8s::Dynamic&, const k8s::Dynamic& /*old*/, Part) const {}
  /// After the two above: sets what is the server's to say. `old` is null for a create.
  virtual void stamp(k8s::Dynamic&, const k8s::Dynamic* /*old*/, const Writer&) const {}
  /// Before a create, once its uid and its name are known: sets what is made of them. `taken` is the name
  /// that was generated before and is another's, or empty.
  virtual void identify(k8s::Dynamic&, std::string_view /*taken*/) const {}
  /// What is wrong with an object, beside its metadata; `old` is null for a create.
  virtual std::vector<k8s::FieldError> validate(const k8s::Dynamic&, const k8s::Dynamic* /*old*/,
                                                Part) const {
    return {};
  }
  /// Judges an update that is valid by what else is stored.
  virtual k8s::StatusResult<void> check_update(const k8s::Dynamic&, const k8s::Dynamic& /*old*/, Part,
                                               const WriteScope&) const {
    return {};
  }
  /// Sets the times that an update is without, once all checks have passed: set before, a time within the
  /// second of the old one would hide from them that something was written.
  virtual void set_times(k8s::Dynamic&, WallTime /*now*/) const {}
  /// What the client is warned of, of an object that is valid; `old` is null for a create.
  virtual std::vector<std::string> warnings(const k8s::Dynamic&, const k8s::Dynamic* /*old*/) const {
    return {};
  }
  /// Returns why no object of that name may be deleted; empty: it may.
  virtual std::string_view refusal_of_deletion(std::string_view /*name*/) const { return {}; }
  /// Returns the seconds that an object is left to end by itself once it is deleted; none: its kind goes at
  /// once, and so does an object with 0.
  virtual std::optional<std::int64_t> grace_seconds(const k8s::Dynamic&, const k8s::DeleteOptions&) const {
    return std::nullopt;
  }
  /// Returns whether an object that was deleted has to stay for another reason than its finalizers.
  virtual bool holds_deletion(const k8s::Dynamic&) const { return false; }
  /// Called where an object that was deleted has to stay.
  virtual void mark_deleted(k8s::Dynamic&) const {}
  /// Brings an object that was written by rules of before (`ServedResource::form`) to those of today, in the
  /// version in which it is stored.
  virtual void refresh(k8s::Dynamic&) const {}
  /// Returns whether `convert` may ask a webhook, and wait for it.
  virtual bool converts_by_webhook() const { return false; }
  /// Changes an object into another version of its kind, whose defaults it is not given: those of the stored
  /// version are what an object has. An error is the reply to the request.
  virtual k8s::StatusResult<void> convert(k8s::Dynamic& object, const k8s::GroupVersionKind& to) const {
    object.set("apiVersion", to.api_version());
    return {};
  }
};

}  // namespace fairway::apiserver
