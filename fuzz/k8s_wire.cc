// SPDX-License-Identifier: Apache-2.0

// What an API server is sent and what it says: no crash, and what is read is written as something that is
// read as the same. The first byte chooses what the rest is: a path, a query, an Accept header, a document of
// discovery, or the answer of a webhook.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "k8s/wire/admission_review.h"
#include "k8s/wire/conversion_review.h"
#include "k8s/wire/discovery.h"
#include "k8s/wire/media_type.h"
#include "k8s/wire/options.h"
#include "k8s/wire/resource_path.h"

namespace {

using namespace fairway;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_path(std::string_view text) {
  const auto path = k8s::ApiPath::parse(text);
  if (!path) return require(path.error().code() == 400 && !path.error().message().empty());
  if (path->kind != k8s::ApiPath::Kind::resource) return;
  require(path->resource.check().has_value());
  const auto again = k8s::ApiPath::parse(path->resource.to_string());
  require(again && *again == *path);
}

/// Checks that refused options have a status code of the client's, and that accepted ones are the same after
/// being written and read.
template <class Options>
void check_options(const k8s::StatusResult<Options>& options, const auto& parse) {
  if (!options) return require(options.error().code() == 400 || options.error().code() == 422);
  const auto query = k8s::Query::parse(k8s::to_query(*options).to_string());
  require(query.has_value());
  const auto again = parse(*query);
  require(again && *again == *options);
}

void check_query(std::string_view text) {
  const auto query = k8s::Query::parse(text);
  if (!query) return require(query.error().code() == 400);
  const auto written = k8s::Query::parse(query->to_string());
  require(written && *written == *query);
  check_options(k8s::parse_get_options(*query), k8s::parse_get_options);
  check_options(k8s::parse_delete_collection_options(*query), k8s::parse_delete_collection_options);
  check_options(k8s::parse_create_options(*query), k8s::parse_create_options);
  check_options(k8s::parse_patch_options(*query), k8s::parse_patch_options);
  check_options(k8s::parse_apply_options(*query), k8s::parse_apply_options);
  if (const auto options = k8s::parse_list_options(*query)) {
    const k8s::Query asked = std::visit([](const auto& one) { return k8s::to_query(one); }, *options);
    const auto again = k8s::parse_list_options(asked);
    require(again && *again == *options);
  }
  const auto deletion = k8s::parse_delete_options(*query, "");
  if (deletion) require(k8s::parse_delete_options({}, k8s::to_body(*deletion)) == *deletion);
}

void check_body(std::string_view text) {
  const auto deletion = k8s::parse_delete_options({}, text);
  if (deletion) require(k8s::parse_delete_options({}, k8s::to_body(*deletion)) == *deletion);
}

void check_accept(std::string_view text) {
  for (const k8s::MediaType& clause : k8s::parse_accept(text)) {
    const auto again = k8s::parse_accept(clause.to_string());
    require(again.size() == 1 && again.front().type == clause.type &&
            again.front().subtype == clause.subtype);
  }
  const auto chosen = k8s::negotiate(text, k8s::is_table_or_metadata);
  require(chosen || chosen.error().code() == 406);
}

void check_discovery(std::string_view text) {
  if (const auto discovery = k8s::read_aggregated(text)) {
    const auto again = k8s::read_aggregated(k8s::write_aggregated(*discovery));
    require(again.has_value());
    // A hash of the storage version is of plain documents only, and is in none here.
    require(*again == *discovery);
    for (const k8s::DiscoveredGroup& group : discovery->groups) {
      for (const k8s::DiscoveredVersion& version : group.versions) {
        k8s::write_resource_list({group.name, version.version}, version);
      }
    }
    k8s::write_group_list(*discovery);
  }
  if (const auto groups = k8s::read_group_list(text)) {
    require(k8s::read_group_list(k8s::write_group_list(*groups)).has_value());
  }
  if (const auto list = k8s::read_resource_list(text)) {
    require(k8s::read_resource_list(k8s::write_resource_list(list->first, list->second)).has_value());
  }
  k8s::read_api_versions(text);
  k8s::read_group(text);
}

void check_answers(std::string_view text) {
  for (const bool mutating : {false, true}) {
    const auto read = k8s::read_admission_response(text, "u", mutating);
    if (read)
      require(
          k8s::read_admission_response(k8s::write_admission_response(*read), "u", mutating || !read->patch)
              .has_value());
  }
  static const json::Object original =
      json::parse(R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"a"}})").value().as_object();
  const k8s::ConversionQuestion question{
      .uid = "u", .desired = {"g", "v2"}, .of = {"g", "v1", "K"}, .objects = {&original}};
  const auto converted = k8s::read_conversion_response(text, question);
  if (!converted) return require(!converted.error().message.empty());
  require(converted->size() == 1 && converted->front().at("metadata").as_object().at("name") == "a");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      check_path(text);
      break;
    case 1:
      check_query(text);
      break;
    case 2:
      check_body(text);
      break;
    case 3:
      check_accept(text);
      break;
    case 4:
      check_discovery(text);
      break;
    default:
      check_answers(text);
  }
  return 0;
}
