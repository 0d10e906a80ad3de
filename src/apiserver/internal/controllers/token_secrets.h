// SPDX-License-Identifier: Apache-2.0

// Secrets with the token of a ServiceAccount.
#pragma once

#include <set>
#include <string>

#include "apiserver/internal/access/tokens.h"
#include "apiserver/internal/controllers/change_feed.h"
#include "apiserver/internal/objects/objects.h"

namespace fairway::apiserver::controllers {

/// Fills Secrets of the type kubernetes.io/service-account-token, as kube-controller-manager's tokens
/// controller: a Secret is given a token of the ServiceAccount that it names, the authority of this server
/// and its namespace. It is deleted with the ServiceAccount. Its token is no longer valid once the Secret is
/// gone. Used by one thread.
class TokenSecrets {
 public:
  /// Makes the controller. `objects` and `tokens` must outlive it. `tokens` null: it does nothing.
  TokenSecrets(objects::Objects& objects, const access::Tokens* tokens, std::string authority)
      : objects_(objects), tokens_(tokens), authority_(std::move(authority)) {}

  void observe(const Observed& observed);
  /// Implements `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// Works on what is due. Returns false if some of it failed and has to be retried.
  bool work();

 private:
  bool settle(const k8s::Key& key);
  bool fill(const k8s::Dynamic& secret, const k8s::Dynamic& account);
  bool remove(const k8s::Dynamic& secret);
  k8s::StatusResult<k8s::Dynamic> filled(const k8s::Dynamic& secret, const k8s::Dynamic& account);

  objects::Objects& objects_;
  const access::Tokens* tokens_;
  std::string authority_;
  /// Secrets of that type, and those to handle.
  std::set<k8s::Key> known_, due_;
};

}  // namespace fairway::apiserver::controllers
