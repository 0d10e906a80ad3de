// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/values/opaque.h"

#include <array>

#include "cel/internal/library/format.h"
#include "cel/internal/library/network.h"
#include "cel/internal/library/quantity.h"
#include "cel/internal/library/semver.h"
#include "cel/internal/library/url.h"

namespace fairway::cel {

const Type& opaque_type_of(const Opaque& value) {
  // In the order of Opaque::Kind.
  static const std::array<TypePtr, 11> types = {opaque_type("kubernetes.Quantity"),
                                                opaque_type("kubernetes.URL"),
                                                opaque_type("net.IP"),
                                                opaque_type("net.CIDR"),
                                                opaque_type("kubernetes.Semver"),
                                                opaque_type("kubernetes.NamedFormat"),
                                                opaque_type("kubernetes.authorization.Authorizer"),
                                                opaque_type("kubernetes.authorization.PathCheck"),
                                                opaque_type("kubernetes.authorization.GroupCheck"),
                                                opaque_type("kubernetes.authorization.ResourceCheck"),
                                                opaque_type("kubernetes.authorization.Decision")};
  return *types[static_cast<std::size_t>(value.kind)];
}

bool equal_opaque(const Opaque& a, const Opaque& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Opaque::Kind::quantity:
      return static_cast<const QuantityValue&>(a).nano == static_cast<const QuantityValue&>(b).nano;
    case Opaque::Kind::url:
      return url_text(static_cast<const UrlValue&>(a)) == url_text(static_cast<const UrlValue&>(b));
    case Opaque::Kind::ip:
      return static_cast<const IpValue&>(a).address == static_cast<const IpValue&>(b).address;
    case Opaque::Kind::cidr:
      return static_cast<const CidrValue&>(a).address == static_cast<const CidrValue&>(b).address &&
             static_cast<const CidrValue&>(a).bits == static_cast<const CidrValue&>(b).bits;
    case Opaque::Kind::semver:
      return compare_semver(static_cast<const SemverValue&>(a), static_cast<const SemverValue&>(b)) == 0;
    case Opaque::Kind::format:
    case Opaque::Kind::authorizer:
    case Opaque::Kind::path_check:
    case Opaque::Kind::group_check:
    case Opaque::Kind::resource_check:
    case Opaque::Kind::decision:
      return &a == &b;
  }
  return false;
}

std::string opaque_text(const Opaque& value) {
  switch (value.kind) {
    case Opaque::Kind::quantity:
      return "quantity(" + quantity_text(static_cast<const QuantityValue&>(value)) + ")";
    case Opaque::Kind::url:
      return "url(" + url_text(static_cast<const UrlValue&>(value)) + ")";
    case Opaque::Kind::ip:
      return "ip(" + address_text(static_cast<const IpValue&>(value).address) + ")";
    case Opaque::Kind::cidr:
      return "cidr(" + address_text(static_cast<const CidrValue&>(value).address) + "/" +
             std::to_string(static_cast<const CidrValue&>(value).bits) + ")";
    case Opaque::Kind::semver:
      return "semver(" + std::string(static_cast<const SemverValue&>(value).text) + ")";
    case Opaque::Kind::format:
      return "format(" + std::string(format_name(value)) + ")";
    case Opaque::Kind::authorizer:
    case Opaque::Kind::path_check:
    case Opaque::Kind::group_check:
    case Opaque::Kind::resource_check:
    case Opaque::Kind::decision:
      return opaque_type_of(value).name + "()";
  }
  return "";
}

}  // namespace fairway::cel
