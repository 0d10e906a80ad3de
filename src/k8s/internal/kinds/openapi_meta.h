// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.apimachinery.pkg.apis.meta.v1.*. Written by scripts/k8s/openapi-tables.py; do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"

namespace fairway::k8s::openapi {

inline constexpr Member owner_reference_members[] = {
    {"apiVersion", Type::text}, {"blockOwnerDeletion", Type::flag},
    {"controller", Type::flag}, {"kind", Type::text},
    {"name", Type::text},       {"uid", Type::text}};
inline constexpr Definition owner_reference{"io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference",
                                            owner_reference_members};

inline constexpr Member object_meta_members[] = {{"annotations", Type::text_map},
                                                 {"creationTimestamp", Type::time},
                                                 {"deletionGracePeriodSeconds", Type::integer},
                                                 {"deletionTimestamp", Type::time},
                                                 {"finalizers", Type::text_list},
                                                 {"generateName", Type::text},
                                                 {"generation", Type::integer},
                                                 {"labels", Type::text_map},
                                                 {"managedFields", Type::object_list},
                                                 {"name", Type::text},
                                                 {"namespace", Type::text},
                                                 {"ownerReferences", Type::object_list, &owner_reference},
                                                 {"resourceVersion", Type::text},
                                                 {"selfLink", Type::text},
                                                 {"uid", Type::text}};
inline constexpr Definition object_meta{"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
                                        object_meta_members};

inline constexpr Member label_selector_requirement_members[] = {
    {"key", Type::text}, {"operator", Type::text}, {"values", Type::text_list}};
inline constexpr Definition label_selector_requirement{
    "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement", label_selector_requirement_members};

inline constexpr Member label_selector_members[] = {
    {"matchExpressions", Type::object_list, &label_selector_requirement}, {"matchLabels", Type::text_map}};
inline constexpr Definition label_selector{"io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
                                           label_selector_members};

inline constexpr Member condition_members[] = {{"lastTransitionTime", Type::time},
                                               {"message", Type::text},
                                               {"observedGeneration", Type::integer},
                                               {"reason", Type::text},
                                               {"status", Type::text},
                                               {"type", Type::text}};
inline constexpr Definition condition{"io.k8s.apimachinery.pkg.apis.meta.v1.Condition", condition_members};

inline constexpr const Definition* meta_definitions[] = {&object_meta, &owner_reference, &label_selector,
                                                         &label_selector_requirement, &condition};

}  // namespace fairway::k8s::openapi
