// SPDX-License-Identifier: Apache-2.0

// The identity of a source, by which data on disk is matched with the sources of today.
#pragma once

#include <string>

namespace fairway::updateservice {

/// Returns whether inputs are of a source. Earlier programs kept names only, which count for sources whose
/// identity is their name.
template <class Source>
bool is_same(const Source& source, const std::string& name, const std::string& identity) {
  return source.identity() == (identity.empty() ? name : identity);
}

}  // namespace fairway::updateservice
