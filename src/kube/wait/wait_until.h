// SPDX-License-Identifier: Apache-2.0

// Waiting until an object is as it should be.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "k8s/api_resource.h"
#include "k8s/kinds/readiness.h"
#include "k8s/object.h"
#include "kube/client/client.h"

namespace fairway::kube {

/// Tells whether to wait on: ready ends the wait, failed ends it with an error, and the reason of waiting is
/// part of the error at the deadline. Gets nullptr if there is no such object. Called on the waiting thread;
/// states between two calls may be skipped, the last one never is.
using WaitCondition = std::function<k8s::Readiness(const k8s::Dynamic* object)>;

/// Called on the waiting thread with each problem of the server after which it would be asked again: it
/// cannot be reached, it answers 5xx, or it refuses the credentials. An Error that is returned ends the wait
/// with it. The next call of the condition shows that the server answers again.
using OnWaitProblem = std::function<std::optional<Error>(const ApiError& problem)>;

/// Waits until `predicate` is ready for the object, and returns it; std::nullopt if there is none then.
///
/// The object is read with one list, the most recent, and one watch of its name (`fieldSelector`), so the
/// rights to `list` and `watch` it are needed. Broken watches, expired versions (410) and an unreachable
/// server are handled as in informers. An object that is deleted and created again is the object of that
/// name. A kind that is not served has no objects; the server is asked for it every 5 s. That answer (404)
/// alone does not make an object absent, for a namespace that the kind does not have gets it, too: until the
/// server has once listed the kind, discovery must confirm that no version of its group serves the resource.
///
/// Without a deadline it waits until stopped. Errors:
/// - `deadline_exceeded`, with the last reason and the current problem with the server;
/// - `cancelled`;
/// - `conflict`: the predicate failed, with its reason;
/// - `invalid`: the key has no name, no namespace although the object of that name has one, or a namespace
///   although the kind is cluster-scoped;
/// - a 4xx reply to the first requests that a retry cannot help (400, 401, 403, 405, 422), such as missing
///   rights. Once the server has sent the object, these are retried, too, and 401 and 403 from the beginning
///   if there is an `on_problem`;
/// - that which `on_problem` returned.
Result<std::optional<k8s::Dynamic>> wait_until(const std::shared_ptr<Client>& client,
                                               const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                               const WaitCondition& predicate, const Limits& limits,
                                               const OnWaitProblem& on_problem = {});

/// Waits for an object of a kind whose scope is known, as from `ResourceMapper`. `invalid`, without a
/// request: a namespaced kind without a namespace, or a cluster-scoped one with a namespace.
Result<std::optional<k8s::Dynamic>> wait_until(const std::shared_ptr<Client>& client,
                                               const k8s::ApiResource& kind, const k8s::Key& key,
                                               const WaitCondition& predicate, const Limits& limits,
                                               const OnWaitProblem& on_problem = {});

/// Waits for an object of a kind with a view; the predicate gets `const T*`. The namespace of a
/// cluster-scoped kind is ignored, as in `Api`.
template <class T, class TypedPredicate>
Result<std::optional<T>> wait_until(const std::shared_ptr<Client>& client, k8s::Key key,
                                    const TypedPredicate& predicate, const Limits& limits,
                                    const OnWaitProblem& on_problem = {}) {
  const k8s::ApiResource kind(T::resource);
  if (!kind.is_namespaced()) key.namespace_name.clear();
  const auto untyped = [&](const k8s::Dynamic* object) -> k8s::Readiness {
    if (object == nullptr) return predicate(static_cast<const T*>(nullptr));
    const auto typed = k8s::as<T>(*object);
    if (!typed) return k8s::Readiness::failed(typed.error().message);
    return predicate(&*typed);
  };
  auto object = wait_until(client, kind, key, WaitCondition(untyped), limits, on_problem);
  if (!object) return fail(std::move(object.error()));
  if (!*object) return std::nullopt;
  return T((*object)->release());
}

/// Returns a condition that holds once the object exists and is ready (`k8s::readiness`).
WaitCondition is_ready();
/// Returns a condition that holds once the object is gone. With a uid, another object of the same name counts
/// as gone.
WaitCondition is_deleted(std::string uid = {});

}  // namespace fairway::kube
