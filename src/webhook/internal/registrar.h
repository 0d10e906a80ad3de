// SPDX-License-Identifier: Apache-2.0

// The registrations of a webhook server at API servers: definitions and webhook configurations, restored when
// they change.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/semver.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/client.h"
#include "webhook/address.h"
#include "webhook/ca_bundle.h"
#include "webhook/crd_registration.h"
#include "webhook/handler.h"
#include "webhook/internal/admission_registration.h"
#include "webhook/internal/guard_on_server.h"
#include "webhook/internal/guard_sign.h"

namespace fairway::webhook {

/// Several threads may use it at once.
class Registrar {
 public:
  /// Errors: a definition of several versions that does not say how it is converted and that no handler
  /// converts, two webhooks of one name, a kind that needs a guard and has none (`check_guards`).
  static Result<std::unique_ptr<Registrar>> create(std::shared_ptr<kube::Client> client,
                                                   std::vector<k8s::CustomResourceDefinition> definitions,
                                                   const std::vector<Handler>& handlers,
                                                   const Address& address, Version release);

  /// Registers the definitions, then the configurations, with this CA bundle (PEM, may be empty); waits until
  /// the definitions are served. The first bundle of a definition is written here, so that it never names a
  /// server that is not trusted; later ones are published.
  Result<void> register_all(const std::string& ca_bundle, const std::stop_token& stop);

  struct Restored {
    /// Versions that the handlers do not convert, among the definitions on the server.
    std::vector<std::string> unreached;
    /// The first registration that could not be read or restored.
    std::optional<Error> error;
    /// Each kind that needs a guard has one that is effective.
    bool guarded = true;
    /// The guard of a kind is there that needs none here: another replica needs it, or it was left behind.
    bool others_guard = false;
  };
  /// Restores the registrations that were removed or changed, tells the conversions which of their guards are
  /// effective (`Conversion::on_guard`), renews the signs of these guards, and removes guards of other kinds
  /// that nobody renews. An error of one does not end it. One thread at a time.
  Restored restore(const std::stop_token& stop);

  /// Returns whether a kind needs a guard.
  bool needs_guards() const { return !guards_.empty(); }
  /// Returns the objects that must have the CA bundle.
  std::vector<CaBundleTarget> targets() const;

 private:
  /// A definition, the webhook address for it, and the conversion of its objects, if a handler has one.
  struct Defined {
    k8s::CustomResourceDefinition definition;
    Address address;
    std::optional<Conversion> conversion;
  };

  /// The guard of a kind: the places of its definition and its webhook, and what was seen of it.
  struct Guard {
    k8s::GroupKind kind;
    std::size_t defined = 0, webhook = 0;
    GuardSightings sightings;
    GuardSign sign;
    std::string gap;  ///< the last that was logged
  };
  /// A kind without a guard here, which replicas of another release or with other flags may have.
  struct Unguarded {
    std::size_t defined = 0;
    GuardSign sign;
  };
  /// A guard as it was read.
  struct GuardRead {
    std::string gap = {};                  ///< text that says what it lacks; empty: nothing
    std::optional<Error> error = {};       ///< it could not be read
    std::optional<std::string> sign = {};  ///< its sign, if it is there
  };

  Registrar(std::shared_ptr<kube::Client> client, Version release)
      : client_(std::move(client)), release_(std::move(release)) {}
  CrdRegistration registration_of(const Defined& defined, const std::string& ca_bundle) const;
  void add_guards();
  GuardRead read_guard(const Guard& guard, const std::optional<k8s::CustomResourceDefinition>& on_server,
                       const std::stop_token& stop) const;
  void tell(Guard& guard, const GuardRead& read);
  void renew(Guard& guard, GuardRead& read, const std::stop_token& stop);
  bool remove_left_behind(Unguarded& kind, const std::stop_token& stop);
  std::string ca_bundle() const;
  AdmissionRegistration admission() const;

  const std::shared_ptr<kube::Client> client_;
  const Version release_;
  std::vector<Defined> defined_;
  std::vector<RegisteredWebhook> webhooks_;
  std::vector<Guard> guards_;
  std::vector<Unguarded> unguarded_;
  mutable std::mutex mutex_;
  std::string ca_bundle_;  ///< the last bundle that was to be registered
  bool registered_ = false;
};

}  // namespace fairway::webhook
