// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/features.h"

namespace fairway::gateway {

std::span<const std::string_view> supported_features() {
  static constexpr std::string_view features[] = {
      "BackendTLSPolicy",
      "BackendTLSPolicySANValidation",
      "ClusterTrustBundle",
      "GRPCRoute",
      "GRPCRouteNamedRouteRule",
      "GRPCRouteRequestHeaderModifier",
      "Gateway",
      "GatewayAddressEmpty",
      "GatewayBackendClientCertificate",
      "GatewayFrontendClientCertificateValidation",
      "GatewayFrontendClientCertificateValidationInsecureFallback",
      "GatewayHTTPListenerIsolation",
      "GatewayHTTPSListenerDetectMisdirectedRequests",
      "GatewayInfrastructure",
      "GatewayPort8080",
      "GatewayRouteHostnameIntersectionPrecedence",
      "GatewayStaticAddresses",
      "HTTPRoute",
      "HTTPRoute303RedirectStatusCode",
      "HTTPRoute307RedirectStatusCode",
      "HTTPRoute308RedirectStatusCode",
      "HTTPRouteBackendProtocolH2C",
      "HTTPRouteBackendProtocolWebSocket",
      "HTTPRouteBackendRequestHeaderModification",
      "HTTPRouteBackendTimeout",
      "HTTPRouteBackendURLRewrite",
      "HTTPRouteCORS",
      "HTTPRouteDestinationPortMatching",
      "HTTPRouteHostRewrite",
      "HTTPRouteMethodMatching",
      "HTTPRouteNamedRouteRule",
      "HTTPRouteParentRefPort",
      "HTTPRoutePathRedirect",
      "HTTPRoutePathRewrite",
      "HTTPRoutePortRedirect",
      "HTTPRouteQueryParamMatching",
      "HTTPRouteRequestMirror",
      "HTTPRouteRequestMultipleMirrors",
      "HTTPRouteRequestPercentageMirror",
      "HTTPRouteRequestTimeout",
      "HTTPRouteResponseHeaderModification",
      "HTTPRouteRetryCodes",
      "HTTPRouteRetryConnectionError",
      "HTTPRouteSchemeRedirect",
      "ListenerSet",
      "ReferenceGrant",
      "TCPRoute",
      "TLSRoute",
      "TLSRouteModeMixed",
      "TLSRouteModeTerminate",
      "UDPRoute",
  };
  return features;
}

}  // namespace fairway::gateway
