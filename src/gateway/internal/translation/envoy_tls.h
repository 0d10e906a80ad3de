// TLS as Envoy's transport sockets: of listeners, and of connections to backends.
#pragma once

#include <string_view>

#include "base/json.h"
#include "gateway/internal/model/gateway.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/translation/translation.h"

namespace fairway::gateway {

/// The transport socket of a listener that terminates TLS, with its key pairs in `out.secrets`. For HTTP it
/// offers HTTP/2, and asks clients for certificates where the Gateway says so.
json::Object listener_tls(const Objects& objects, const k8s::Dynamic& gateway, const Listener& listener,
                          bool is_http, Translation& out);

/// The transport socket of connections that a BackendTLSPolicy rules. `is_http2` offers that. The Gateway's
/// own certificate, if it has one, goes to `out.secrets`.
json::Object backend_tls(const Objects& objects, const k8s::Dynamic& gateway, const k8s::Dynamic& policy,
                         bool is_http2, Translation& out);

}  // namespace fairway::gateway
