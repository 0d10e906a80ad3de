// The addresses of --addresses: for Gateways that ask for none, and those that are allowed though they are
// local.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// Ranges of IPv4 addresses.
class AddressPool {
 public:
  /// No addresses.
  AddressPool() = default;
  /// "198.51.100.0/24", or one address; several with commas between them. Of a range with network and
  /// broadcast address (up to /30) these two are not given out. Errors: it is no such range, or larger than a
  /// /16.
  static Result<AddressPool> parse(std::string_view text);

  bool contains(std::string_view address) const;
  /// The first that is not taken, of the ranges in their order.
  std::optional<std::string> first_free(const std::set<std::string>& taken) const;

 private:
  struct Range {
    std::uint32_t first, last;
  };
  static Result<Range> parse_range(std::string_view text);
  std::vector<Range> ranges_;
};

/// The addresses of Gateways, in the order of their precedence, that name none: that of their status or the
/// one of `before` if it is one of the pool and free, so that it stays, else the first free one. `before`:
/// what has been assigned last, and may not be in a status yet. Gateways for which none is left are not in
/// what is returned.
std::map<k8s::Key, std::string> assign_addresses(const std::vector<const k8s::Dynamic*>& by_age,
                                                 const AddressPool& pool,
                                                 const std::map<k8s::Key, std::string>& before = {});

/// Whether a Gateway's spec leaves its address to the controller.
bool wants_address(const k8s::Dynamic& gateway);

}  // namespace fairway::gateway
