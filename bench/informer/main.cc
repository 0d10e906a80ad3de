// SPDX-License-Identifier: Apache-2.0

// Many ConfigMaps, and an informer that gets to know them, or a list of them.
//
//   bench_informer serve COUNT   serves them on a free port, whose URL it prints, until it is ended
//   bench_informer sync URL COUNT [streaming|metadata]
//                                prints: milliseconds until a handler was told of all of them, and the
//                                process's memory then and at most, in KiB. `metadata`: of their metadata
//                                alone
//   bench_informer list URL COUNT
//                                the same of a list of all of them, object by object; nothing is kept
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "http/server.h"
#include "k8s/core.h"
#include "kube/informer/informer.h"

namespace {

using namespace fairway;
using namespace std::chrono_literals;

/// Returns a ConfigMap like those of real clusters: settings, a file of some lines, and managed fields.
std::string config_map(std::size_t number, bool with_kind, bool metadata = false) {
  const std::string id = std::to_string(number);
  std::string file;
  for (std::size_t line = 0; line < 10 + number % 20; ++line) {
    file += "option." + std::to_string(line) + " = value of " + std::to_string(number * 31 + line) +
            "  # as the defaults have it\n";
  }
  std::string text = R"({"kind":"ConfigMap","apiVersion":"v1",)";
  if (metadata) text = R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)";
  if (!with_kind) text = "{";
  text +=
      R"("metadata":{"name":"settings-of-component-)" + id + R"(","namespace":"team-)" +
      std::to_string(number % 50) + R"(","uid":"6f1c2a9e-58d7-4b0e-9c3a-)" +
      std::string(12 - id.size(), '0') + id + R"(","resourceVersion":")" + std::to_string(1000 + number) +
      R"(","creationTimestamp":"2026-02-19T23:09:12Z","labels":{"app.kubernetes.io/name":"component-)" + id +
      R"(","app.kubernetes.io/part-of":"shop","tier":"backend"},"annotations":{"example.com/owner":"team-)" +
      std::to_string(number % 50) +
      R"("},"managedFields":[{"manager":"kubectl-client-side-apply","operation":"Update","apiVersion":"v1",)"
      R"("time":"2026-02-19T23:09:12Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:config":{},)"
      R"("f:log-level":{},"f:replicas":{}},"f:metadata":{"f:annotations":{".":{},"f:example.com/owner":{}},)"
      R"("f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/part-of":{},"f:tier":{}}}}}]})";
  if (metadata) return text + "}";
  text += R"(,"data":{"log-level":"info","replicas":")" + std::to_string(number % 7) + R"(","config":)";
  json::append_quoted(text, file);
  return text + "}}";
}

std::string value_of(std::string_view query, std::string_view name) {
  for (const std::string_view field : split(query, '&')) {
    if (field.starts_with(name) && field.substr(name.size()).starts_with('=')) {
      return std::string(field.substr(name.size() + 1));
    }
  }
  return "";
}

/// ConfigMaps made once, of which every client gets the same bytes.
class ConfigMaps {
 public:
  ConfigMaps(std::size_t count, bool metadata)
      : kind_(metadata ? R"("kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1")"
                       : R"("kind":"ConfigMapList","apiVersion":"v1")"),
        version_(std::to_string(1000 + count)) {
    for (std::size_t number = 0; number < count; ++number) {
      objects_.push_back(config_map(number, false, metadata));
    }
    std::string initial;
    for (std::size_t number = 0; number < count; ++number) {
      initial += R"({"type":"ADDED","object":)" + config_map(number, true, metadata) + "}\n";
    }
    initial +=
        R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":")" +
        version_ + R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})" + "\n";
    initial_ = http::make_bytes(std::move(initial));
    for (std::size_t begin = 0; begin < count; begin += page_size) pages_.push_back(page(begin));
    objects_ = {};  // of 100,000 objects two copies of the bytes are enough
  }

  http::Response answer(const http::Request& request) {
    if (!value_of(request.query, "watch").empty()) {
      http::Response response;
      response.headers.set("Content-Type", "application/json");
      response.stream = http::Stream::make(std::numeric_limits<std::size_t>::max() / 2);
      if (value_of(request.query, "sendInitialEvents") == "true") response.stream->try_push(initial_);
      const std::lock_guard lock(mutex_);
      watches_.push_back(response.stream);
      return response;
    }
    const std::string token = value_of(request.query, "continue");
    const std::size_t number = token.empty() ? 0 : std::stoull(token);
    http::Response response = http::Response::json(200, "");
    response.body = pages_.at(number);
    return response;
  }

 private:
  static constexpr std::size_t page_size = 500;

  http::Bytes page(std::size_t begin) const {
    const std::size_t end = std::min(begin + page_size, objects_.size());
    std::string text = "{" + kind_ + R"(,"metadata":{"resourceVersion":")" + version_ + "\"";
    if (end < objects_.size()) text += R"(,"continue":")" + std::to_string(end / page_size) + "\"";
    text += R"(},"items":[)";
    for (std::size_t at = begin; at < end; ++at) text += (at > begin ? "," : "") + objects_[at];
    return http::make_bytes(text + "]}");
  }

  const std::string kind_, version_;
  std::vector<std::string> objects_;
  http::Bytes initial_;
  std::vector<http::Bytes> pages_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<http::Stream>> watches_;
};

int serve(std::size_t count) {
  ConfigMaps objects(count, false), metadata(count, true);
  http::Router router;
  router.blocking("/", "GET", [&](const http::Request& request) {
    const bool partial =
        request.header("Accept").value_or("").find("as=PartialObjectMetadata") != std::string_view::npos;
    return (partial ? metadata : objects).answer(request);
  });
  http::ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.io_threads = 1;
  options.blocking_threads = 1;
  auto server = http::Server::start(options, router);
  if (!server) {
    std::cerr << "error: " << server.error().message << "\n";
    return 1;
  }
  std::cout << "http://" << (*server)->address() << std::endl;
  // Until it is ended.
  std::this_thread::sleep_for(24h);
  return 0;
}

std::string memory(std::string_view field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return std::string(trim(split(line, ':').at(1).substr(0, line.size())));
  }
  return "0";
}

std::string kib(std::string_view field) {
  const std::string text = memory(field);
  return text.substr(0, text.find(' '));
}

void report(std::chrono::steady_clock::time_point began) {
  const auto took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began);
  // As the rival has its garbage collected by and by.
  std::this_thread::sleep_for(2s);
  std::cout << took.count() << " " << kib("VmRSS") << " " << kib("VmHWM") << "\n";
}

std::shared_ptr<kube::Client> client_of(const std::string& url) {
  kube::ClientConfig config;
  config.server = url;
  auto client = kube::Client::create(std::move(config));
  if (client) return *std::move(client);
  std::cerr << "error: " << client.error().message << "\n";
  std::exit(1);
}

template <class T>
int sync(kube::Informers& informers, kube::Informer<T> informer, std::size_t count) {
  const auto began = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t told = 0;
  informer.add_handler({.added = [&](const auto&, bool) {
    const std::lock_guard lock(mutex);
    if (++told == count) changed.notify_all();
  }});
  informers.start();
  {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, 60s, [&] { return told == count; })) {
      std::cerr << "error: only " << told << " objects came\n";
      return 1;
    }
  }
  report(began);
  informers.stop();
  return informer.size() == count ? 0 : 1;
}

int list(const std::string& url, std::size_t count) {
  const auto client = client_of(url);
  const auto began = std::chrono::steady_clock::now();
  std::size_t seen = 0;
  kube::ListOptions options{.limit = 500};
  do {
    auto page =
        client->list_each(k8s::ConfigMap::resource.group_version_resource(), "", options,
                          [&](const k8s::Dynamic&) -> Result<void> { return ++seen, Result<void>(); });
    if (!page) {
      std::cerr << "error: " << page.error().message << "\n";
      return 1;
    }
    options.continue_token = page->continue_token;
  } while (!options.continue_token.empty());
  report(began);
  return seen == count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "serve") return serve(std::stoull(arguments[1]));
  if (arguments.size() == 3 && arguments[0] == "list") return list(arguments[1], std::stoull(arguments[2]));
  if (arguments.size() >= 3 && arguments[0] == "sync") {
    const std::string how = arguments.size() > 3 ? arguments[3] : "";
    kube::Informers informers(client_of(arguments[1]), {.streaming_list = how == "streaming"});
    const std::size_t count = std::stoull(arguments[2]);
    return how == "metadata" ? sync(informers, informers.get_metadata<k8s::ConfigMap>(), count)
                             : sync(informers, informers.get<k8s::ConfigMap>(), count);
  }
  std::cerr << "usage: bench_informer serve COUNT | sync URL COUNT [streaming|metadata] | list URL COUNT\n";
  return 2;
}
