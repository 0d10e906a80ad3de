// SPDX-License-Identifier: Apache-2.0

// Formats of texts, with the messages of an API server.
#pragma once

#include <string_view>

#include "k8s/names.h"

namespace fairway::apiserver::validation {

/// Returns the violated rules of a text; empty if it is valid.
using Format = k8s::Faults (*)(std::string_view text);

/// Finds a format by its name in the table: "dns-label"; nullptr if there is none.
Format find_format(std::string_view name);

/// Checks the name of a port: up to 15 letters, digits and hyphens.
k8s::Faults check_port_name(std::string_view text);
/// Checks the number of a port. The text for all that are none.
k8s::Faults check_port_number(long long number);
/// Checks a key of a ConfigMap or Secret.
k8s::Faults check_config_key(std::string_view text);
/// Checks the name of an environment variable: printable ASCII without '='.
k8s::Faults check_env_name(std::string_view text);
/// Checks a domain that may have underscores.
k8s::Faults check_underscore_domain(std::string_view text);
/// Checks a path that is not absolute and does not go up.
k8s::Faults check_descending_path(std::string_view text);
/// Checks a path that does not go up.
k8s::Faults check_no_backsteps(std::string_view text);
/// Checks a path that is not absolute, does not go up, and does not begin with "..".
k8s::Faults check_local_path(std::string_view text);
/// Checks an address of IPv4 or IPv6.
k8s::Faults check_ip(std::string_view text);
/// Checks the name of a header of HTTP.
k8s::Faults check_header_name(std::string_view text);
/// Checks a domain all of whose first parts are meant: "*.example.com".
k8s::Faults check_wildcard_domain(std::string_view text);
/// Checks "25%".
k8s::Faults check_percent(std::string_view text);
/// Checks an integer as people write it: no plus, no zeros in front.
k8s::Faults check_decimal_integer(std::string_view text);

}  // namespace fairway::apiserver::validation
