// SPDX-License-Identifier: Apache-2.0

#include "kube/election/lease_lock.h"

#include "kube/client/api.h"

namespace fairway::kube {

namespace {

class LeaseOnServer final : public LeaseLock {
 public:
  LeaseOnServer(std::shared_ptr<Client> client, k8s::Key key)
      : api_(std::move(client), std::move(key.namespace_name)), name_(std::move(key.name)) {}

  ApiResult<k8s::Lease> get(const Limits& limits) override { return api_.get(name_, limits); }
  ApiResult<k8s::Lease> create(const k8s::Lease& lease, const Limits& limits) override {
    return api_.create(lease, {}, limits);
  }
  ApiResult<k8s::Lease> replace(const k8s::Lease& lease, const Limits& limits) override {
    return api_.replace(lease, {}, limits);
  }

 private:
  Api<k8s::Lease> api_;
  const std::string name_;
};

}  // namespace

std::unique_ptr<LeaseLock> lease_on(std::shared_ptr<Client> client, k8s::Key key) {
  return std::make_unique<LeaseOnServer>(std::move(client), std::move(key));
}

}  // namespace fairway::kube
