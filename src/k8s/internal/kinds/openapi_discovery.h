// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.api.discovery.v1.*. Written by scripts/k8s/openapi-tables.py; do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"
#include "k8s/internal/kinds/openapi_core.h"
#include "k8s/internal/kinds/openapi_meta.h"

namespace fairway::k8s::openapi {

inline constexpr Member endpoint_conditions_members[] = {
    {"ready", Type::flag}, {"serving", Type::flag}, {"terminating", Type::flag}};
inline constexpr Definition endpoint_conditions{"io.k8s.api.discovery.v1.EndpointConditions",
                                                endpoint_conditions_members};

inline constexpr Member endpoint_members[] = {{"addresses", Type::text_list},
                                              {"conditions", Type::object, &endpoint_conditions},
                                              {"deprecatedTopology", Type::text_map},
                                              {"hints", Type::object},
                                              {"hostname", Type::text},
                                              {"nodeName", Type::text},
                                              {"targetRef", Type::object, &object_reference},
                                              {"zone", Type::text}};
inline constexpr Definition endpoint{"io.k8s.api.discovery.v1.Endpoint", endpoint_members};

inline constexpr Member endpoint_port_members[] = {
    {"appProtocol", Type::text}, {"name", Type::text}, {"port", Type::integer}, {"protocol", Type::text}};
inline constexpr Definition endpoint_port{"io.k8s.api.discovery.v1.EndpointPort", endpoint_port_members};

inline constexpr Member endpoint_slice_members[] = {{"addressType", Type::text},
                                                    {"apiVersion", Type::text},
                                                    {"endpoints", Type::object_list, &endpoint},
                                                    {"kind", Type::text},
                                                    {"metadata", Type::object, &object_meta},
                                                    {"ports", Type::object_list, &endpoint_port}};
inline constexpr Definition endpoint_slice{"io.k8s.api.discovery.v1.EndpointSlice", endpoint_slice_members};

inline constexpr const Definition* discovery_definitions[] = {&endpoint, &endpoint_conditions, &endpoint_port,
                                                              &endpoint_slice};

}  // namespace fairway::k8s::openapi
