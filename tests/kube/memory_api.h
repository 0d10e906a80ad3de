// SPDX-License-Identifier: Apache-2.0

// A small API server for tests of controllers: any kind, in memory, without schemas and without faults. Apply
// is a merge.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http/server.h"
#include "k8s/object.h"
#include "kube/client/client.h"

namespace fairway::kube::testing {

class MemoryApi {
 public:
  MemoryApi();
  ~MemoryApi();
  MemoryApi(const MemoryApi&) = delete;
  MemoryApi& operator=(const MemoryApi&) = delete;

  /// Returns a client of this server, with a clock of its own if one is given.
  std::shared_ptr<Client> client(Clock* clock = nullptr, metrics::Registry* registry = nullptr) const;
  /// Returns the address: "127.0.0.1:43211".
  std::string address() const { return server_->address(); }
  /// Sets a function that is called before a request is answered: a status other than 0 is the answer. It may
  /// wait.
  void intercept(std::function<int(const http::Request& request)> function);
  /// Sets a function that is called before that of `intercept`: the response that it returns is the answer.
  /// It may wait.
  void respond(std::function<std::optional<http::Response>(const http::Request& request)> function);
  /// Sets a function that is called for each object before it is stored, to add what a server adds.
  void complete(std::function<void(k8s::Dynamic& object)> function);

 private:
  struct Place {
    std::string collection;  ///< "/apis/widgets.example.com/v1/widgets"
    std::string namespace_name, name, subresource;
  };
  struct Change {
    std::uint64_t version;
    const char* type;
    std::string collection;
    k8s::Dynamic object;
  };
  struct Watch {
    std::string collection, namespace_name;
    std::shared_ptr<http::Stream> stream;
    bool matches(const Change& change) const {
      return change.collection == collection &&
             (namespace_name.empty() || change.object.namespace_name() == namespace_name);
    }
  };
  using Objects = std::map<k8s::Key, k8s::Dynamic>;

  static Place place_of(std::string_view path);
  http::Response answer(const http::Request& request);
  http::Response read(const http::Request& request, const Place& place);
  http::Response write(const http::Request& request, const Place& place);
  http::Response store(const Place& place, k8s::Dynamic object, const k8s::Dynamic* before);
  http::Response remove(const Place& place);
  void record(const char* type, const std::string& collection, const k8s::Dynamic& object);
  static std::string event_text(const Change& change);

  std::mutex mutex_;
  std::map<std::string, Objects> collections_;
  std::vector<Change> history_;
  std::vector<Watch> watches_;
  std::uint64_t version_ = 0, next_uid_ = 0;
  std::function<int(const http::Request&)> intercept_;
  std::function<std::optional<http::Response>(const http::Request&)> respond_;
  std::function<void(k8s::Dynamic&)> complete_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::kube::testing
