// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.api.coordination.v1.*. Written by scripts/k8s/openapi-tables.py; do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"
#include "k8s/internal/kinds/openapi_meta.h"

namespace fairway::k8s::openapi {

inline constexpr Member lease_spec_members[] = {{"acquireTime", Type::time},
                                                {"holderIdentity", Type::text},
                                                {"leaseDurationSeconds", Type::integer},
                                                {"leaseTransitions", Type::integer},
                                                {"preferredHolder", Type::text},
                                                {"renewTime", Type::time},
                                                {"strategy", Type::text}};
inline constexpr Definition lease_spec{"io.k8s.api.coordination.v1.LeaseSpec", lease_spec_members};

inline constexpr Member lease_members[] = {{"apiVersion", Type::text},
                                           {"kind", Type::text},
                                           {"metadata", Type::object, &object_meta},
                                           {"spec", Type::object, &lease_spec}};
inline constexpr Definition lease{"io.k8s.api.coordination.v1.Lease", lease_members};

inline constexpr const Definition* coordination_definitions[] = {&lease, &lease_spec};

}  // namespace fairway::k8s::openapi
