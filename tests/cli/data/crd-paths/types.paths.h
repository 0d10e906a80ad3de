// The members of the kinds of types.yaml, for k8s::Checked. Written by fairway-crd-paths; do not edit.
#pragma once

#include "fairway/k8s/kinds/checked.h"

namespace crd {

using fairway::k8s::openapi::Definition, fairway::k8s::openapi::Member, fairway::k8s::openapi::Type;
using fairway::k8s::openapi::object_meta;

inline constexpr Member gear_box_v1beta2__1_members[] = {
    {"name", Type::text},
};
inline constexpr Definition gear_box_v1beta2__1{"spec.objects[]", gear_box_v1beta2__1_members};

inline constexpr Definition gear_box_v1beta2__2{"spec.empty", {}};

inline constexpr Member gear_box_v1beta2__3_members[] = {
    {"text", Type::text},
    {"time", Type::time},
    {"integer", Type::integer},
    {"number", Type::number},
    {"flag", Type::flag},
    {"texts", Type::text_list},
    {"objects", Type::object_list, &gear_box_v1beta2__1},
    {"open", Type::object},
    {"openItems", Type::object_list},
    {"textMap", Type::text_map},
    {"objectMap", Type::object},
    {"port", Type::other},
    {"anything", Type::other},
    {"numbers", Type::other},
    {"empty", Type::object, &gear_box_v1beta2__2},
    {"quo\"te\\", Type::text},
};
inline constexpr Definition gear_box_v1beta2__3{"spec", gear_box_v1beta2__3_members};

inline constexpr Member gear_box_v1beta2_members[] = {
    {"apiVersion", Type::text},
    {"kind", Type::text},
    {"metadata", Type::object, &object_meta},
    {"spec", Type::object, &gear_box_v1beta2__3},
};
inline constexpr Definition gear_box_v1beta2{"example.com/v1beta2 GearBox", gear_box_v1beta2_members};

}  // namespace crd
