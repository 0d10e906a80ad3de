// SPDX-License-Identifier: Apache-2.0

// An API server whose Widgets are quarantined.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "conversion/quarantined_widgets.h"
#include "conversion/webhook.h"
#include "support/eventually.h"
#include "support/process.h"
#include "testing/api_server.h"
#include "webhook/server.h"

namespace fairway::conversion::testing {

class QuarantineServer {
 public:
  explicit QuarantineServer(k8s::CustomResourceDefinition definition = quarantined_definition("v1beta1"))
      : api_(std::move(fairway::testing::ApiServer::start()).value()) {
    serve(std::move(definition));
  }

  /// Ends the webhook, and starts one with another definition. Returns once it quarantines, and the API
  /// server asks the new one.
  void serve(k8s::CustomResourceDefinition definition) {
    start(std::move(definition));
    const KindConverters& kind = *converters_->find(group, "Widget");
    if (!fairway::testing::eventually([&] { return kind.is_quarantining(); }))
      throw std::runtime_error("the guard does not become effective");
    // It takes a change of the definition in by itself, after it was written.
    const auto is_asked = [&] { return client()->list(widgets("v1"), "default").has_value() && *asked_; };
    if (has_objects_ && !fairway::testing::eventually(is_asked))
      throw std::runtime_error("the API server does not ask the new webhook");
  }

  /// Does the same, and returns at once.
  void start(k8s::CustomResourceDefinition definition) {
    webhook_.reset();
    auto converters = std::make_shared<Converters>();
    add_quarantined_widgets(*converters);
    if (auto ready = converters->prepare({definition}); !ready)
      throw std::runtime_error(ready.error().message);
    converters_ = converters;
    const std::string address = "127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
    webhook::ServerOptions options;
    options.listen = address;
    options.address.url = "https://" + address;
    const ReadObject read = [client = client()](const k8s::GroupVersionResource& resource,
                                                const k8s::Key& key) -> Result<k8s::Dynamic> {
      auto object = client->get(resource, key);
      if (!object) return fail(object.error());
      return *std::move(object);
    };
    options.handlers = webhook_handlers(converters, {definition}, metrics, {}, Clock::system(),
                                        {.on_quarantined = {}, .read = read});
    asked_ = std::make_shared<std::atomic<bool>>(false);
    options.handlers.front().answer =
        [asked = asked_, answer = options.handlers.front().answer](const http::Request& request) {
          *asked = true;
          return answer(request);
        };
    for (webhook::Handler& handler : options.handlers) {
      handler.answer = [others = others_, path = handler.path,
                        answer = handler.answer](const http::Request& request) {
        const http::Handler other = others->of(path);
        return other ? other(request) : answer(request);
      };
    }
    options.definitions = {std::move(definition)};
    options.release = Version::parse("1.0.0").value();
    options.secret = {"default", "webhook-certificates"};
    options.check_interval = std::chrono::seconds(1);
    auto started = webhook::WebhookServer::start(client(), std::move(options));
    if (!started) throw std::runtime_error(started.error().message);
    webhook_ = *std::move(started);
  }

  /// Has another replica answer what API servers ask but for conversions: they reach one of two as it comes.
  /// Paths that are none of its handlers' are not found. Without handlers, this one answers again.
  void ask_instead(const std::vector<webhook::Handler>& handlers) { others_->set(handlers); }

  /// Creates the objects of a YAML text.
  void apply(const std::string& documents) {
    if (auto done = api_->apply(documents, "the test"); !done) throw std::runtime_error(done.error().message);
  }
  const std::shared_ptr<kube::Client>& client() const { return api_->client(); }
  static k8s::GroupVersionResource widgets(std::string_view version) {
    return {std::string(group), std::string(version), "widgets"};
  }
  /// Stores an object in v1beta1.
  void store(const std::string& name, const std::string& size, json::Value metadata = json::Object{}) {
    k8s::Dynamic object = widget("v1beta1", json::Object{{"size", size}, {"number", 9007199254740993}});
    object.erase("metadata.uid");
    object.set_name(name);
    for (const auto& field : metadata.as_object())
      object.set("metadata." + std::string(field.key()), field.value());
    if (auto made = client()->create(widgets("v1beta1"), object); !made)
      throw std::runtime_error(made.error().message);
    has_objects_ = true;
  }
  kube::ApiResult<k8s::Dynamic> read(const std::string& name, std::string_view version) {
    return client()->get(widgets(version), {"default", name});
  }
  kube::ApiResult<k8s::Dynamic> patch(const std::string& name, std::string_view version,
                                      std::string_view body, std::string_view subresource = {}) {
    return client()->patch(widgets(version), {"default", name}, kube::PatchType::merge,
                           json::parse(body).value(), subresource);
  }

  metrics::Registry metrics;

 private:
  /// The handlers of another replica.
  class Others {
   public:
    void set(const std::vector<webhook::Handler>& handlers) {
      const std::lock_guard lock(mutex_);
      handlers_ = handlers;
    }
    http::Handler of(const std::string& path) const {
      const std::lock_guard lock(mutex_);
      if (handlers_.empty() || path == "/convert") return {};
      for (const webhook::Handler& one : handlers_) {
        if (one.path == path) return one.answer;
      }
      return [](const http::Request&) { return http::Response::json(404, "{}"); };
    }

   private:
    mutable std::mutex mutex_;
    std::vector<webhook::Handler> handlers_;
  };

  std::unique_ptr<fairway::testing::ApiServer> api_;
  const std::shared_ptr<Others> others_ = std::make_shared<Others>();
  bool has_objects_ = false;
  std::shared_ptr<const Converters> converters_;
  std::shared_ptr<std::atomic<bool>> asked_;  ///< the webhook of now was asked to convert
  std::unique_ptr<webhook::WebhookServer> webhook_;
};

}  // namespace fairway::conversion::testing
