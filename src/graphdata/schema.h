// The files beside channels and blocked edges: the schema's version and raw metadata.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "base/semver.h"
#include "graphdata/load.h"

namespace fairway::graphdata {

/// The schema version in the file `version`; an Error where it is missing, no version, or not 1.x.
Result<Version> read_schema_version(const Files& files);

using RawMetadata = std::map<std::string, std::map<std::string, std::string>>;

/// raw/metadata.json, {version: {key: text}}; empty where it is absent, an Error where it has another shape.
Result<RawMetadata> read_raw_metadata(const Files& files);

inline constexpr const char* raw_metadata_path = "raw/metadata.json";

}  // namespace fairway::graphdata
