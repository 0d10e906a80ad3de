// SPDX-License-Identifier: Apache-2.0

#include "graphdata/internal/schema.h"

#include <string_view>

namespace fairway::graphdata {

Result<Version> read_schema_version(const Files& files) {
  const std::string fix = "; write 1.2.0 into the file version";
  const auto file = files.find("version");
  if (file == files.end()) return fail(ErrorCode::invalid, "version: there is no such file" + fix);
  std::string_view text = file->second;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  Result<Version> version = Version::parse(text);
  if (!version) return fail(ErrorCode::invalid, "version:1: " + version.error().message + fix);
  if (version->major() != 1) {
    return fail(ErrorCode::invalid, "version:1: schema " + version->to_string() +
                                        " is not known here, only 1.x; update Fairway, or the graph data");
  }
  return version;
}

}  // namespace fairway::graphdata
