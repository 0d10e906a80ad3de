// What a reconcile is given beside the object.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "kube/client/api.h"
#include "kube/controller/events.h"
#include "kube/informer/informer.h"

namespace fairway::kube {

using Key = k8s::Key;

/// What controllers of one process share. It outlives them.
struct Environment {
  std::shared_ptr<Client> client;
  Informers* informers = nullptr;
  EventSink* events = nullptr;
  metrics::Registry* registry = nullptr;
  Clock& clock() const { return client->clock(); }
};

/// Valid while the reconcile runs; copies mean the same.
class Context {
 public:
  Context(const Environment& environment, const std::string& controller, const Key& key, std::stop_token stop)
      : environment_(&environment), controller_(&controller), key_(&key), stop_(std::move(stop)) {}

  /// Which object this is about.
  const Key& key() const { return *key_; }
  const std::string& controller() const { return *controller_; }

  /// Refuses to write once this process does not lead any more.
  Client& client() const { return *environment_->client; }
  /// The objects of a kind in the object's namespace, or in another one, on the server.
  template <class T>
  Api<T> api() const {
    return Api<T>(environment_->client, key_->namespace_name);
  }
  template <class T>
  Api<T> api(std::string namespace_name) const {
    return Api<T>(environment_->client, std::move(namespace_name));
  }
  Informers& informers() const { return *environment_->informers; }

  /// Asked to stop when the process stops, or does not lead any more. Give it to everything that takes long.
  const std::stop_token& stop() const { return stop_; }
  /// For calls of the API that end with it.
  Limits limits(std::chrono::nanoseconds timeout = std::chrono::seconds(30)) const {
    return {timeout, stop_};
  }
  /// Says things about objects in the controller's name.
  EventRecorder events() const { return {*environment_->events, *controller_}; }

  Clock& clock() const { return environment_->clock(); }
  WallTime now() const { return clock().now(); }

  /// One line of the log, with the controller and the object in it.
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
  const Environment* environment_;
  const std::string* controller_;
  const Key* key_;
  std::stop_token stop_;
};

}  // namespace fairway::kube
