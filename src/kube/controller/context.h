// SPDX-License-Identifier: Apache-2.0

// The context of a reconcile.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "kube/client/api.h"
#include "kube/client/dynamic_client.h"
#include "kube/controller/events.h"
#include "kube/controller/update_status.h"
#include "kube/informer/informer.h"

namespace fairway::kube {

using Key = k8s::Key;

/// Objects that the controllers of one process share; must outlive them.
struct Environment {
  std::shared_ptr<Client> client = {};
  Informers* informers = nullptr;
  EventSink* events = nullptr;
  metrics::Registry* registry = nullptr;
  /// Returns whether this process may write; an empty function: it may.
  std::function<bool()> leads = {};
  std::shared_ptr<ResourceMapper> mapper = {};
  Clock& clock() const { return client->clock(); }
};

/// Context of one reconcile. Valid during the reconcile; copies are equivalent.
class Context {
 public:
  Context(const Environment& environment, const std::string& controller, const Key& key, std::stop_token stop)
      : environment_(&environment), controller_(&controller), key_(&key), stop_(std::move(stop)) {}

  /// Returns this context for a reconcile of `object`, which must outlive it: `update_status` by key then
  /// guards the generation of this object.
  Context seeing(const k8s::Dynamic& object) const {
    Context context = *this;
    context.seen_ = &object;
    return context;
  }

  /// Returns the key of the object.
  const Key& key() const { return *key_; }
  const std::string& controller() const { return *controller_; }

  /// Returns a client that refuses writes once this process has lost leadership.
  Client& client() const { return *environment_->client; }
  /// Returns the API of a kind in the object's namespace, or in another one. It reads from the server, not
  /// from a cache.
  template <class T>
  Api<T> api() const {
    return Api<T>(environment_->client, key_->namespace_name);
  }
  template <class T>
  Api<T> api(std::string namespace_name) const {
    return Api<T>(environment_->client, std::move(namespace_name));
  }
  /// Returns the API of a kind that is known only at run time, in the object's namespace, which is empty if
  /// the object is cluster-scoped.
  DynamicApi api(const k8s::ApiResource& kind) const {
    return {environment_->client, kind, kind.is_namespaced() ? key_->namespace_name : ""};
  }
  DynamicApi api(const k8s::ApiResource& kind, std::string namespace_name) const {
    return {environment_->client, kind, std::move(namespace_name)};
  }
  /// Returns a client for objects by their apiVersion and kind; without a namespace, in the object's.
  DynamicClient dynamic() const { return {environment_->client, environment_->mapper, key_->namespace_name}; }
  Informers& informers() const { return *environment_->informers; }

  /// Stop token, requested when the process stops or loses leadership. Pass it to everything that takes long.
  const std::stop_token& stop() const { return stop_; }
  /// Returns whether this process leads. Controllers with `Runs::always` are called in every replica, and
  /// only the leader may write.
  bool leads() const { return !environment_->leads || environment_->leads(); }
  /// Returns limits for API calls that end on a stop request.
  Limits limits() const { return {.stop = stop_}; }
  Limits limits(std::chrono::nanoseconds timeout) const { return Limits::within(clock(), timeout, stop_); }
  /// Returns a recorder of Events with the controller as reporter.
  EventRecorder events() const { return {*environment_->events, *controller_}; }

  /// Writes the status of an object, computed from `seen`; see `kube::update_status`. `mutate` is called with
  /// the server's current object, possibly several times. A process that does not lead writes nothing; it
  /// reconciles every object again once it leads.
  template <class T>
  Result<Requeue> update_status(const T& seen, const std::function<void(T& now)>& mutate) const {
    return update_status_of<T>(T::resource, seen.key(), &seen, mutate);
  }
  /// Writes the status of the object with this key. For the object of this reconcile, its generation is
  /// guarded; for another object `mutate` must depend only on its argument.
  template <class T>
  Result<Requeue> update_status(const Key& key, const std::function<void(T& now)>& mutate) const {
    return update_status_of<T>(T::resource, key, own(key, T::resource), mutate);
  }
  /// Writes the status of an object of a kind that is known only at run time.
  Result<Requeue> update_status(const k8s::ApiResource& kind, const k8s::Dynamic& seen,
                                const std::function<void(k8s::Dynamic& now)>& mutate) const {
    return update_status_of<k8s::Dynamic>(kind, seen.key(), &seen, mutate);
  }
  Result<Requeue> update_status(const k8s::ApiResource& kind, const Key& key,
                                const std::function<void(k8s::Dynamic& now)>& mutate) const {
    return update_status_of<k8s::Dynamic>(kind, key, own(key, kind.view()), mutate);
  }

  Clock& clock() const { return environment_->clock(); }
  WallTime now() const { return clock().now(); }

  /// Logs one line, with controller and object as fields.
  void log(log::Level level, std::string_view message, std::initializer_list<log::Field> fields = {}) const;
  void debug(std::string_view m, std::initializer_list<log::Field> f = {}) const {
    log(log::Level::debug, m, f);
  }
  void info(std::string_view m, std::initializer_list<log::Field> f = {}) const {
    log(log::Level::info, m, f);
  }
  void warning(std::string_view m, std::initializer_list<log::Field> f = {}) const {
    log(log::Level::warning, m, f);
  }
  void error(std::string_view m, std::initializer_list<log::Field> f = {}) const {
    log(log::Level::error, m, f);
  }

 private:
  /// Returns the object of this reconcile if it has this key and kind, otherwise nullptr.
  const k8s::Dynamic* own(const Key& key, const k8s::Resource& kind) const {
    return seen_ != nullptr && seen_->key() == key && k8s::check_kind(*seen_, kind) ? seen_ : nullptr;
  }

  template <class T>
  Result<Requeue> update_status_of(const k8s::ApiResource& kind, const Key& key, const k8s::Dynamic* seen,
                                   const std::function<void(T& now)>& mutate) const {
    if (!leads()) return done();
    const auto updated = kube::update_status(
        client(), kind.group_version_resource(), key, seen,
        [&](k8s::Dynamic& now) {
          T typed(now.release());
          mutate(typed);
          now = k8s::Dynamic(typed.release());
        },
        {.field_manager = controller()}, limits());
    if (!updated) {
      // The kind is not served any more, or in another version: it is looked up anew.
      if (updated.error().code == ErrorCode::not_found && environment_->mapper)
        environment_->mapper->mark_outdated();
      return fail(updated.error());
    }
    return requeue_after(*updated);
  }

  const Environment* environment_;
  const std::string* controller_;
  const Key* key_;
  std::stop_token stop_;
  const k8s::Dynamic* seen_ = nullptr;
};

}  // namespace fairway::kube
