// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.*. Written by scripts/k8s/openapi-tables.py;
// do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"
#include "k8s/internal/kinds/openapi_meta.h"

namespace fairway::k8s::openapi {

inline constexpr Member apiregistration_service_reference_members[] = {
    {"name", Type::text}, {"namespace", Type::text}, {"port", Type::integer}};
inline constexpr Definition apiregistration_service_reference{
    "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference",
    apiregistration_service_reference_members};

inline constexpr Member api_service_spec_members[] = {
    {"caBundle", Type::text},
    {"group", Type::text},
    {"groupPriorityMinimum", Type::integer},
    {"insecureSkipTLSVerify", Type::flag},
    {"service", Type::object, &apiregistration_service_reference},
    {"version", Type::text},
    {"versionPriority", Type::integer}};
inline constexpr Definition api_service_spec{
    "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec", api_service_spec_members};

inline constexpr Member api_service_condition_members[] = {{"lastTransitionTime", Type::time},
                                                           {"message", Type::text},
                                                           {"reason", Type::text},
                                                           {"status", Type::text},
                                                           {"type", Type::text}};
inline constexpr Definition api_service_condition{
    "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition", api_service_condition_members};

inline constexpr Member api_service_status_members[] = {
    {"conditions", Type::object_list, &api_service_condition}};
inline constexpr Definition api_service_status{
    "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus", api_service_status_members};

inline constexpr Member api_service_members[] = {{"apiVersion", Type::text},
                                                 {"kind", Type::text},
                                                 {"metadata", Type::object, &object_meta},
                                                 {"spec", Type::object, &api_service_spec},
                                                 {"status", Type::object, &api_service_status}};
inline constexpr Definition api_service{"io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService",
                                        api_service_members};

inline constexpr const Definition* apiregistration_definitions[] = {&api_service, &api_service_condition,
                                                                    &api_service_spec, &api_service_status,
                                                                    &apiregistration_service_reference};

}  // namespace fairway::k8s::openapi
