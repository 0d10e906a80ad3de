// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.api.rbac.v1.*. Written by scripts/k8s/openapi-tables.py; do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"
#include "k8s/internal/kinds/openapi_meta.h"

namespace fairway::k8s::openapi {

inline constexpr Member aggregation_rule_members[] = {
    {"clusterRoleSelectors", Type::object_list, &label_selector}};
inline constexpr Definition aggregation_rule{"io.k8s.api.rbac.v1.AggregationRule", aggregation_rule_members};

inline constexpr Member policy_rule_members[] = {{"apiGroups", Type::text_list},
                                                 {"nonResourceURLs", Type::text_list},
                                                 {"resourceNames", Type::text_list},
                                                 {"resources", Type::text_list},
                                                 {"verbs", Type::text_list}};
inline constexpr Definition policy_rule{"io.k8s.api.rbac.v1.PolicyRule", policy_rule_members};

inline constexpr Member cluster_role_members[] = {{"aggregationRule", Type::object, &aggregation_rule},
                                                  {"apiVersion", Type::text},
                                                  {"kind", Type::text},
                                                  {"metadata", Type::object, &object_meta},
                                                  {"rules", Type::object_list, &policy_rule}};
inline constexpr Definition cluster_role{"io.k8s.api.rbac.v1.ClusterRole", cluster_role_members};

inline constexpr Member role_ref_members[] = {
    {"apiGroup", Type::text}, {"kind", Type::text}, {"name", Type::text}};
inline constexpr Definition role_ref{"io.k8s.api.rbac.v1.RoleRef", role_ref_members};

inline constexpr Member subject_members[] = {
    {"apiGroup", Type::text}, {"kind", Type::text}, {"name", Type::text}, {"namespace", Type::text}};
inline constexpr Definition subject{"io.k8s.api.rbac.v1.Subject", subject_members};

inline constexpr Member cluster_role_binding_members[] = {{"apiVersion", Type::text},
                                                          {"kind", Type::text},
                                                          {"metadata", Type::object, &object_meta},
                                                          {"roleRef", Type::object, &role_ref},
                                                          {"subjects", Type::object_list, &subject}};
inline constexpr Definition cluster_role_binding{"io.k8s.api.rbac.v1.ClusterRoleBinding",
                                                 cluster_role_binding_members};

inline constexpr Member role_members[] = {{"apiVersion", Type::text},
                                          {"kind", Type::text},
                                          {"metadata", Type::object, &object_meta},
                                          {"rules", Type::object_list, &policy_rule}};
inline constexpr Definition role{"io.k8s.api.rbac.v1.Role", role_members};

inline constexpr Member role_binding_members[] = {{"apiVersion", Type::text},
                                                  {"kind", Type::text},
                                                  {"metadata", Type::object, &object_meta},
                                                  {"roleRef", Type::object, &role_ref},
                                                  {"subjects", Type::object_list, &subject}};
inline constexpr Definition role_binding{"io.k8s.api.rbac.v1.RoleBinding", role_binding_members};

inline constexpr const Definition* rbac_definitions[] = {
    &aggregation_rule, &cluster_role, &cluster_role_binding, &policy_rule, &role, &role_binding,
    &role_ref,         &subject};

}  // namespace fairway::k8s::openapi
