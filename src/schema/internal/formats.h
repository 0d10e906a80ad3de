// SPDX-License-Identifier: Apache-2.0

// Formats of texts: what `format` in a schema asks of a value.
#pragma once

#include <string_view>

namespace fairway::schema::internal {

using FormatCheck = bool (*)(std::string_view text);

/// The check of a format that the API server knows ("date-time" and "datetime" are one); nullptr for others,
/// which are ignored. Rules: k8s.io/kube-openapi/pkg/validation/strfmt, which are looser than the RFCs.
FormatCheck find_format(std::string_view name);

// Addresses (network_formats.cc).
bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_cidr(std::string_view text);
bool is_mac(std::string_view text);
bool is_uri(std::string_view text);
bool is_email(std::string_view text);

}  // namespace fairway::schema::internal
