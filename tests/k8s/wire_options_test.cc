// SPDX-License-Identifier: Apache-2.0

// Options of requests: read as the tables say, refused with Kubernetes's codes and words, and written again.
#include <gtest/gtest.h>

#include "base/text.h"
#include "k8s/data.h"
#include "k8s/kubectl_requests.h"
#include "k8s/wire/options.h"
#include "k8s/wire/resource_path.h"
#include "support/shared_data.h"

namespace fairway::k8s {
namespace {

template <class Options>
StatusResult<std::string> written(const StatusResult<Options>& options) {
  if (!options) return std::unexpected(options.error());
  return to_query(*options).to_string();
}

/// Parses the options of a request of that kind, and writes them again.
StatusResult<std::string> read_and_write(std::string_view kind, std::string_view encoded,
                                         std::string_view body) {
  const auto query = Query::parse(encoded);
  if (!query) return std::unexpected(query.error());
  if (kind == "get") return written(parse_get_options(*query));
  if (kind == "deletecollection") return written(parse_delete_collection_options(*query));
  if (kind == "create") return written(parse_create_options(*query));
  if (kind == "update") return written(parse_update_options(*query));
  if (kind == "patch") return written(parse_patch_options(*query));
  if (kind == "apply") return written(parse_apply_options(*query));
  if (kind == "delete") {
    const auto options = parse_delete_options(*query, body);
    if (!options) return std::unexpected(options.error());
    return to_body(*options);
  }
  if (kind != "list") throw std::runtime_error("no such kind of request");
  const auto options = parse_list_options(*query);
  if (!options) return std::unexpected(options.error());
  return std::visit([](const auto& one) { return to_query(one).to_string(); }, *options);
}

TEST(Options, AreReadAsTheTableSays) {
  for (const auto& row : fairway::testing::read_table(testing::data_path("wire_options.tsv"))) {
    SCOPED_TRACE(row.at(0) + "?" + row.at(1) + " " + row.at(2));
    const auto text = read_and_write(row.at(0), row.at(1), row.at(2));
    ASSERT_TRUE(text) << text.error().message();
    EXPECT_EQ(*text, row.at(3));
    // What is written is read as the same.
    const bool is_body = row.at(0) == "delete";
    EXPECT_EQ(read_and_write(row.at(0), is_body ? "" : *text, is_body ? *text : ""), *text);
  }
}

TEST(Options, AreRefusedAsTheTableSays) {
  int checked = 0;
  for (const auto& row : fairway::testing::read_table(testing::data_path("wire_option_errors.tsv"))) {
    SCOPED_TRACE(row.at(0) + "?" + row.at(1) + " " + row.at(2));
    ++checked;
    const auto text = read_and_write(row.at(0), row.at(1), row.at(2));
    ASSERT_FALSE(text) << *text;
    const Status& status = text.error();
    EXPECT_EQ(std::to_string(status.code()), row.at(3));
    EXPECT_EQ(status.reason(), status.code() == 400 ? reason::bad_request : reason::invalid);
    EXPECT_TRUE(matches_glob(row.at(4), status.message()) || status.message() == row.at(4))
        << status.message();
    std::vector<std::string> causes;
    for (const StatusCause& cause : status.causes()) {
      causes.push_back(std::string(cause.reason()) + " " + std::string(cause.field()));
    }
    EXPECT_EQ(join(causes, ", "), row.at(5));
  }
  EXPECT_GT(checked, 40);
}

TEST(Options, ThatAreWrittenAreReadAsTheSame) {
  using std::chrono::seconds;
  const ListOptions list{.labels = LabelSelector::parse("a=b,!c").value(),
                         .fields = FieldSelector::parse("metadata.name!=x").value(),
                         .limit = 7,
                         .resource_version = "5",
                         .resource_version_match = "NotOlderThan",
                         .timeout = seconds(9)};
  EXPECT_EQ(std::get<ListOptions>(parse_list_options(to_query(list)).value()), list);
  EXPECT_EQ(parse_delete_collection_options(to_query(list)), list);
  for (const std::optional<bool> initial :
       {std::optional<bool>(), std::optional(true), std::optional(false)}) {
    const WatchOptions watch{.labels = list.labels,
                             .fields = list.fields,
                             .resource_version = "5",
                             .bookmarks = initial.has_value(),
                             .initial_events = initial,
                             .timeout = seconds(300)};
    EXPECT_EQ(std::get<WatchOptions>(parse_list_options(to_query(watch)).value()), watch);
  }
  for (const auto validation : {FieldValidation::server_default, FieldValidation::ignore,
                                FieldValidation::warn, FieldValidation::strict}) {
    const WriteOptions write{.field_manager = "m ä", .dry_run = true, .validation = validation};
    EXPECT_EQ(parse_create_options(to_query(write)), write);
    EXPECT_EQ(parse_update_options(to_query(write)), write);
    EXPECT_EQ(parse_patch_options(to_query(write)), write);
    const ApplyOptions apply{.field_manager = "m", .force = true, .validation = validation};
    EXPECT_EQ(parse_apply_options(to_query(apply)), apply);
  }
  for (const auto propagation :
       {Propagation::server_default, Propagation::foreground, Propagation::background, Propagation::orphan}) {
    const DeleteOptions remove{.uid = "u",
                               .resource_version = "5",
                               .propagation = propagation,
                               .grace_period = seconds(0),
                               .dry_run = true};
    EXPECT_EQ(parse_delete_options({}, to_body(remove)), remove);
  }
  EXPECT_EQ(to_body({}), "");
}

TEST(Options, OfAPatchAreThoseOfItsType) {
  for (const auto type : {PatchType::json, PatchType::merge, PatchType::strategic, PatchType::apply}) {
    EXPECT_EQ(parse_patch_type(std::string(content_type(type)) + "; charset=utf-8",
                               {PatchType::json, PatchType::merge, PatchType::strategic, PatchType::apply}),
              type);
  }
  const auto refused = parse_patch_type("application/strategic-merge-patch+json",
                                        {PatchType::json, PatchType::merge, PatchType::apply});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), 415);
  EXPECT_EQ(refused.error().message(),
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}

TEST(Options, ThatKubectlSendsAreReadAndWrittenAsTheyCame) {
  const auto file = fairway::testing::shared_path("facts/kubectl-requests.txt");
  FAIRWAY_NEEDS_SHARED(file);
  int checked = 0;
  for (const testing::KubectlRequest& request : testing::kubectl_requests(file)) {
    const auto path = ApiPath::parse(request.path);
    if (!path || path->kind != ApiPath::Kind::resource) continue;
    SCOPED_TRACE(request.method + " " + request.path + "?" + request.query);
    const bool is_apply = request.content_type.starts_with("application/apply-patch");
    const std::string kind = request.method == "POST"      ? "create"
                             : request.method == "PUT"     ? "update"
                             : request.method == "PATCH"   ? is_apply ? "apply" : "patch"
                             : request.method == "DELETE"  ? "delete"
                             : path->resource.name.empty() ? "list"
                                                           : "get";
    const auto text = read_and_write(kind, request.query, "");
    ASSERT_TRUE(text) << text.error().message();
    Query again = Query::parse(*text).value();
    // How long the whole request may take is not of its options.
    const Query asked = Query::parse(request.query).value();
    if (const auto timeout = asked.find("timeout")) again.add("timeout", *timeout);
    again.sort();
    EXPECT_EQ(again.to_string(), request.query);
    ++checked;
  }
  EXPECT_GT(checked, 20);
}

}  // namespace
}  // namespace fairway::k8s
