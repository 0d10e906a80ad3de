// SPDX-License-Identifier: Apache-2.0

// Allocation of addresses and ports to Services.
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

namespace fairway::apiserver::resources {

/// Allocates addresses and ports for Services. The allocated ones are those of the stored Services. Nothing
/// else is kept that could differ from them, also after a restart or a restore. Safe from all threads.
class ServiceAddresses {
 public:
  /// Makes the addresses of a storage, which must outlive this.
  explicit ServiceAddresses(storage::Storage& storage) : storage_(storage) {}

  /// Sets the network, before the first request.
  void set_network(const ServiceNetwork& network) { network_ = network; }
  const ServiceNetwork& network() const { return network_; }

  /// The addresses and ports allocated for a Service. They are held until the Service is stored, or is known
  /// not to be stored; then this is destroyed.
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

  /// Completes a Service that is to be created (`old` is null) or updated: families, addresses and node
  /// ports, or the former ones where the client leaves them out. A dry run holds nothing, and its numbers
  /// mean nothing. Errors: 422 if a requested value cannot be had, 500 if nothing is left.
  /// Rules: beginCreate and beginUpdate of k8s.io/kubernetes/pkg/registry/core/service/storage.
  k8s::StatusResult<Held> assign(k8s::Dynamic& service, const k8s::Dynamic* old, const Random& random,
                                 bool dry_run);

 private:
  class Assignment;

  storage::Storage& storage_;
  ServiceNetwork network_;
  std::mutex mutex_;
  /// Addresses and ports of Services that are being written.
  std::set<std::uint32_t> held_addresses_;
  std::set<int> held_ports_;
};

}  // namespace fairway::apiserver::resources
