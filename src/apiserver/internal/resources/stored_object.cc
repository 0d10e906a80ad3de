// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/stored_object.h"

#include <utility>

#include "base/json.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::resources {

k8s::Dynamic parse(const storage::Record& record) {
  auto value = json::parse(record.json());
  if (!value || !value->is_object()) return {};
  return k8s::Dynamic(std::move(value->get_object()));
}

k8s::Status status_of(const storage::ReadError& error) {
  if (error.kind == storage::ReadError::Kind::compacted) return k8s::answer::expired(error.error.message);
  if (error.kind == storage::ReadError::Kind::ahead) return k8s::answer::timeout(error.error.message);
  return k8s::answer::internal_error(error.error.message);
}

k8s::Status status_of_write(const Error& error) {
  return error.code == ErrorCode::cancelled ? k8s::answer::service_unavailable(error.message)
                                            : k8s::answer::internal_error(error.message);
}

}  // namespace fairway::apiserver::resources
