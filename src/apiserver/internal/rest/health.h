// SPDX-License-Identifier: Apache-2.0

// The health checks of the server, and the index of its paths at `/`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/internal/resources/registry.h"
#include "base/result.h"
#include "http/message.h"

namespace fairway::apiserver::rest {

/// Answers `/livez`, `/readyz`, `/healthz` and their checks by name (`/readyz/etcd`), with `verbose` and
/// `exclude`, as kube-apiserver does; std::nullopt for other paths. The check `etcd` is that of the storage.
/// Of the three, only `/readyz` fails with it: a restart of the server would not repair it. The other checks
/// always pass.
std::optional<http::Response> answer_health(const http::Request& request, const Result<void>& storage);

/// Returns the text of `/`: all paths that are no objects, sorted.
std::string index_text(const resources::ResourceRegistry& registry);

}  // namespace fairway::apiserver::rest
