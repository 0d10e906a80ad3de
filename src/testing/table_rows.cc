// SPDX-License-Identifier: Apache-2.0

#include "testing/table_rows.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/yaml.h"
#include "k8s/equality.h"

namespace fairway::testing {

namespace {

Result<TableRow> read_row(const json::Value& value) {
  const auto bad = [](const std::string& why) { return fail(ErrorCode::invalid, why); };
  if (!value.is_object()) return bad("it is no mapping");
  constexpr std::array<std::string_view, 5> known = {"name", "input", "to", "output", "error"};
  for (const auto& member : value.get_object()) {
    if (std::ranges::find(known, std::string_view(member.key())) == known.end()) {
      return bad("'" + printable(member.key(), 80) +
                 "' is not known; there are name, input, to, output and error");
    }
  }
  TableRow row;
  row.name = json::find_string(value, "name").value_or("");
  const json::Value *input = json::find(value, "input"), *output = json::find(value, "output");
  const auto error = json::find_string(value, "error");
  if (row.name.empty()) return bad("name is missing");
  if (input == nullptr) return bad("input is missing");
  if ((output != nullptr) == error.has_value()) return bad("give either output or error");
  auto object = k8s::Dynamic::from(*input);
  if (!object) return fail(object.error().within("input"));
  row.input = *std::move(object);
  if (output != nullptr) {
    auto expected = k8s::Dynamic::from(*output);
    if (!expected) return fail(expected.error().within("output"));
    row.output = *std::move(expected);
  }
  if (error) row.error = *error;
  row.to =
      json::find_string(value, "to").value_or(row.output ? row.output->api_version() : std::string_view{});
  if (row.to.empty()) return bad("to is missing");
  return row;
}

std::string check(const conversion::Converters& converters, const TableRow& row) {
  const auto result = converters.convert(row.input, row.to);
  if (row.error) {
    if (result) return "expected an error that says '" + *row.error + "', got " + result->to_text();
    if (result.error().message.find(*row.error) != std::string::npos) return {};
    return "expected an error that says '" + *row.error + "', got: " + result.error().message;
  }
  if (!result) return result.error().message;
  if (k8s::equal(json::Value(result->json()), json::Value(row.output->json()))) return {};
  return "expected " + row.output->to_text() + ", got " + result->to_text();
}

}  // namespace

Result<std::vector<TableRow>> parse_table_rows(std::string_view text) {
  const auto parsed = yaml::parse(text);
  if (!parsed) {
    return fail(ErrorCode::invalid,
                "line " + std::to_string(parsed.error().mark.line) + ": " + parsed.error().message);
  }
  std::vector<TableRow> rows;
  for (const yaml::Node& document : parsed->documents) {
    if (document.kind != yaml::Node::Kind::sequence) {
      return fail(ErrorCode::invalid, "line " + std::to_string(document.mark.line) + ": rows must be a list");
    }
    for (const yaml::Node& item : document.items) {
      auto row = read_row(yaml::to_json(item));
      if (!row) return fail(row.error().within("the row at line " + std::to_string(item.mark.line)));
      rows.push_back(*std::move(row));
    }
  }
  return rows;
}

std::vector<std::string> check_table_rows(const conversion::Converters& converters,
                                          const std::vector<TableRow>& rows) {
  std::vector<std::string> failures;
  for (const TableRow& row : rows) {
    if (const std::string why = check(converters, row); !why.empty())
      failures.push_back(row.name + ": " + why);
  }
  return failures;
}

}  // namespace fairway::testing
