// SPDX-License-Identifier: Apache-2.0

// Tar archives that are made here.
#pragma once

#include <map>
#include <string>

namespace fairway::oci {

/// Returns a tar of files, from their paths: sorted, readable by all, without times, owners or anything else
/// that varies, so that the same files give the same bytes. Folders have no entries of their own.
std::string make_tar(const std::map<std::string, std::string>& files);

}  // namespace fairway::oci
