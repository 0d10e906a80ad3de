#include "graphdata/schema.h"

#include "base/json.h"
#include "base/text.h"

namespace fairway::graphdata {

Result<Version> read_schema_version(const Files& files) {
  const std::string mend = "; write 1.2.0 into the file version";
  const auto file = files.find("version");
  if (file == files.end()) return fail(ErrorCode::invalid, "version: there is no such file" + mend);
  std::string_view text = file->second;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  Result<Version> version = Version::parse(text);
  if (!version) return fail(ErrorCode::invalid, "version:1: " + version.error().message + mend);
  if (version->major() != 1) {
    return fail(ErrorCode::invalid, "version:1: schema " + version->to_string() +
                                        " is not known here, only 1.x; update Fairway, or the graph data");
  }
  return version;
}

Result<RawMetadata> read_raw_metadata(const Files& files) {
  RawMetadata metadata;
  const auto file = files.find(raw_metadata_path);
  if (file == files.end()) return metadata;
  const std::string where = std::string(raw_metadata_path) + ": ";
  const Result<json::Value> document = json::parse(file->second);
  if (!document) return fail(document.error().within(raw_metadata_path));
  if (!document->is_object())
    return fail(ErrorCode::invalid, where + R"(it is not an object like {"4.1.0":{"KEY":"TEXT"}})");
  for (const auto& [version, entries] : document->get_object()) {
    if (!entries.is_object()) {
      return fail(ErrorCode::invalid, where + "what stands under \"" + printable(version) +
                                          R"(" is not an object like {"KEY":"TEXT"})");
    }
    for (const auto& [key, value] : entries.get_object()) {
      if (!value.is_string()) {
        return fail(ErrorCode::invalid, where + "\"" + printable(key) + "\" under \"" + printable(version) +
                                            "\" is not a text; put it in quotes");
      }
      metadata[version][key] = std::string(value.get_string());
    }
  }
  return metadata;
}

}  // namespace fairway::graphdata
