// SPDX-License-Identifier: Apache-2.0

// TLS as Envoy's transport sockets: of listeners, and of connections to backends.
#pragma once

#include <string_view>

#include "base/json.h"
#include "gateway/internal/model/gateway.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/translation/translation.h"

namespace fairway::gateway {

/// Returns the transport socket of a listener that terminates TLS, and adds its key pairs to `out.secrets`.
/// For HTTP it offers HTTP/2, and asks clients for certificates if the Gateway says so.
json::Object listener_tls(const Objects& objects, const k8s::Dynamic& gateway, const Listener& listener,
                          bool is_http, Translation& out);

/// Returns the transport socket of connections to which a BackendTLSPolicy applies. `is_http2`: it offers
/// HTTP/2. The Gateway's own certificate, if it has one, is added to `out.secrets`.
json::Object backend_tls(const Objects& objects, const k8s::Dynamic& gateway, const k8s::Dynamic& policy,
                         bool is_http2, Translation& out);

}  // namespace fairway::gateway
