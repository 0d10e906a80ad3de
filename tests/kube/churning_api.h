// SPDX-License-Identifier: Apache-2.0

// An API server in memory that lists and watches one kind while its objects change, and fails in every way
// that servers and networks do.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "http/server.h"
#include "http/url.h"

namespace fairway::kube::testing {

/// Probabilities, from 0 to 1, and switches of faults.
struct Faults {
  double request = 0;  ///< a request is refused, or its reply cut
  double event = 0;    ///< a watch ends, is cut or sends something that is not an event, instead of going on
  double delay = 0;    ///< events of a watch are held back until `release`
  bool stale = false;  ///< a list at "0" is of an older version
  bool streaming = false;  ///< watches may begin with the existing objects; if not, that is refused with 422
  /// True if such watches are accepted, but the end of the initial objects never comes.
  bool overlook_streaming = false;
  /// True if Accept is ignored, as by old aggregated API servers: objects are sent whole.
  bool ignore_accept = false;
  /// True if the namespace of a request is ignored.
  bool ignore_namespace = false;
};

class ChurningApi {
 public:
  explicit ChurningApi(std::uint64_t seed, Faults faults = {});
  ~ChurningApi();
  ChurningApi(const ChurningApi&) = delete;
  ChurningApi& operator=(const ChurningApi&) = delete;

  std::string url() const;

  /// Creates or changes an object; returns its resourceVersion.
  std::uint64_t put(const std::string& namespace_name, const std::string& name, const std::string& text = "");
  /// Deletes an object; false if it was not there.
  bool remove(const std::string& namespace_name, const std::string& name);
  /// Drops the history, so that a watch has to begin again with a list.
  void compact();
  /// Cuts, or ends, all watches.
  void end_watches(bool cut);
  /// Sends a bookmark with the current version to all watches.
  void bookmark();
  /// Sends the events that are held back, and holds none until the next change.
  void release();
  /// Refuses connections for a moment, and cuts the existing ones.
  void restart();
  void set_faults(Faults faults);
  /// Answers requests for a namespace with 403, until it is allowed again. Running watches go on.
  void forbid(const std::string& namespace_name, bool forbidden = true);

  /// Returns resourceVersions by "namespace/name", as a fresh list has them.
  std::map<std::string, std::string> state() const;
  /// Returns the requests so far, decoded: "/api/v1/configmaps?watch=true&resourceVersion=3".
  std::vector<std::string> requests() const;
  /// Returns the Accept header of each request.
  std::vector<std::string> accepts() const;
  std::size_t watches() const;

 private:
  using ObjectKey = std::pair<std::string, std::string>;
  struct Event {
    std::uint64_t version = 0;
    const char* type = "";
    ObjectKey key;
    std::shared_ptr<const std::string> object;
  };
  /// The objects that a request selects.
  struct Selection {
    std::string namespace_name;  ///< empty: all
    bool metadata = false;
    bool matches(const ObjectKey& key) const { return namespace_name.empty() || namespace_name == key.first; }
  };
  struct Watch {
    std::shared_ptr<http::Stream> stream;
    Selection selection;
    std::string held;
    bool over = false;
  };
  using State = std::map<ObjectKey, std::shared_ptr<const std::string>>;

  void start();
  http::Response answer(const http::Request& request);
  Selection selection_of(const http::Request& request) const;
  http::Response list(const std::map<std::string, std::string>& query, const Selection& selection);
  http::Response watch(const std::map<std::string, std::string>& query, const Selection& selection);
  std::optional<http::Response> fault_of_request(bool is_watch, bool goes_on, bool at_version);
  void record(const char* type, const ObjectKey& key, std::shared_ptr<const std::string> object);
  void tell(Watch& watch, const Event& event);
  void send(Watch& watch, const std::string& text);
  void push(Watch& watch, const std::string& text);
  State state_at(std::uint64_t version) const;
  std::uint64_t below(std::uint64_t count) {
    return std::uniform_int_distribution<std::uint64_t>(0, count - 1)(random_);
  }
  bool chance(double part) { return std::uniform_real_distribution<double>(0, 1)(random_) < part; }

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  Faults faults_;
  std::vector<Event> history_;
  State objects_;
  std::uint64_t version_ = 100;
  std::uint64_t oldest_ = 100;  ///< the oldest version that watches may begin at
  std::uint64_t next_uid_ = 1;
  std::map<ObjectKey, std::uint64_t> uids_;
  std::vector<Watch> watches_;
  bool holding_ = true;
  /// The rest of each list, and its version, by continue token.
  std::map<std::string, std::pair<std::uint64_t, std::vector<std::shared_ptr<const std::string>>>> pages_;
  std::vector<std::string> requests_, accepts_;
  std::set<std::string> forbidden_;
  std::string address_ = "127.0.0.1:0";
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::kube::testing
