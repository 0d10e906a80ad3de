// Which addresses and ports Services have, and which the next one is given.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "apiserver/internal/resources/service_network.h"
#include "apiserver/internal/storage/storage.h"
#include "base/random.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver {

/// What is taken is what the stored Services have: nothing else is kept, so that nothing can be out of step
/// with them, after a restart or a restore either. Safe from all threads.
class ServiceAddresses {
 public:
  /// `storage` must outlive this.
  explicit ServiceAddresses(storage::Storage& storage) : storage_(storage) {}

  /// Before the first request.
  void set_network(const ServiceNetwork& network) { network_ = network; }
  const ServiceNetwork& network() const { return network_; }

  /// What a Service was given, and nobody else may be given until it is stored, or is not to be stored after
  /// all: then this goes.
  class Held {
   public:
    Held() = default;
    Held(Held&& other) noexcept { *this = std::move(other); }
    Held& operator=(Held&& other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(addresses_, other.addresses_);
      std::swap(ports_, other.ports_);
      return *this;
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held();

   private:
    friend class ServiceAddresses;
    ServiceAddresses* owner_ = nullptr;
    std::set<std::uint32_t> addresses_;
    std::set<int> ports_;
  };

  /// Completes a Service that is to be created (`old` is null) or updated: families, addresses, ports of
  /// nodes, those of before where the client leaves them out. Of a dry run nothing is held, and numbers are
  /// of no meaning. Errors: 422 where what it asks for cannot be had, 500 where nothing is left. Rules:
  /// beginCreate and beginUpdate of k8s.io/kubernetes/pkg/registry/core/service/storage.
  k8s::StatusResult<Held> assign(k8s::Dynamic& service, const k8s::Dynamic* old, const Random& random,
                                 bool dry_run);

 private:
  class Assignment;

  storage::Storage& storage_;
  ServiceNetwork network_;
  std::mutex mutex_;
  /// Of Services that are being written.
  std::set<std::uint32_t> held_addresses_;
  std::set<int> held_ports_;
};

}  // namespace fairway::apiserver
