// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/definition_status.h"

#include <utility>

#include "kube/client/conflict.h"

namespace fairway::conversion {

Result<void> write_definition_status(kube::Client& client, const ReadDefinition& read,
                                     const ChangeDefinition& change, const Limits& limits) {
  const auto written = kube::retry_on_conflict(
      client.clock(),
      [&]() -> kube::ApiResult<k8s::Dynamic> {
        auto definition = read();
        if (!definition) return std::unexpected(kube::ApiError(definition.error()));
        if (!change(*definition)) return *std::move(definition);
        kube::WriteOptions options;
        options.field_manager = "fairway-migrate";
        // With its resourceVersion: a change meanwhile is a conflict, and is read and checked again.
        return client.replace(k8s::CustomResourceDefinition::resource.group_version_resource(), *definition,
                              "status", options, limits);
      },
      kube::conflict_backoff, limits.stop);
  if (written) return {};
  Error error = written.error();
  // Its status is often written by others: the conflict does not mean that the spec has changed.
  if (written.error().is_conflict()) error.code = ErrorCode::unavailable;
  return fail(std::move(error));
}

}  // namespace fairway::conversion
