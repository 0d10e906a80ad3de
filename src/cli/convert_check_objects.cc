// SPDX-License-Identifier: Apache-2.0

#include "cli/convert_check_objects.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/backup_objects.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/conversion_files.h"
#include "command_line/input.h"
#include "conversion/documents.h"

namespace fairway::cli {

namespace {

/// Bytes of objects of a backup that are held for one page.
constexpr std::size_t most_page_bytes = std::size_t{16} << 20;

}  // namespace

Result<std::vector<k8s::Dynamic>> read_objects_of(const CheckOptions& options) {
  std::vector<k8s::Dynamic> objects;
  for (const std::string& file : options.files) {
    auto text = read_input(file);
    if (!text) return fail(text.error());
    auto read = conversion::read_objects({file == "-" ? "standard input" : file, *std::move(text)});
    if (!read) return fail(read.error());
    std::ranges::move(*read, std::back_inserter(objects));
  }
  return objects;
}

Result<void> check_objects(std::vector<k8s::Dynamic> objects, const CheckOptions& options,
                           conversion::ConversionCheck& check, const conversion::CheckProgress& progress) {
  const auto total = static_cast<std::int64_t>(objects.size());
  const auto page = static_cast<std::ptrdiff_t>(options.request.most_objects);
  for (auto begin = objects.begin(); begin != objects.end();) {
    const auto end = begin + std::min(page, objects.end() - begin);
    if (auto added = check.add({std::move_iterator(begin), std::move_iterator(end)}); !added) return added;
    begin = end;
    progress(begin - objects.begin(), total);
  }
  if (check.findings().objects() == 0) {
    return fail(ErrorCode::not_found, join(options.files, ", ") + ": there is no " +
                                          printable(options.request.kind) + " of the group " +
                                          printable(options.request.group) + " in it");
  }
  return {};
}

Result<k8s::CustomResourceDefinition> read_definition_in_backup(const CheckOptions& options) {
  std::optional<k8s::CustomResourceDefinition> found;
  const auto read = apiserver::read_backup(
      options.backup, "apiextensions.k8s.io/customresourcedefinitions",
      [&](std::string_view path, std::string_view json) -> Result<void> {
        auto object = k8s::Dynamic::parse(json);
        if (!object)
          return fail(
              object.error().within(options.backup + ": the CustomResourceDefinition " + printable(path)));
        k8s::CustomResourceDefinition definition(object->json());
        if (definition.group() == options.request.group && definition.defined_kind() == options.request.kind)
          found = std::move(definition);
        return {};
      });
  if (!read) return fail(read.error());
  if (found) return *std::move(found);
  return fail(ErrorCode::not_found, options.backup + " has no definition of " +
                                        printable(options.request.kind) + "." +
                                        printable(options.request.group));
}

Result<void> check_backup(const k8s::CustomResourceDefinition& definition, const CheckOptions& options,
                          conversion::ConversionCheck& check, const conversion::CheckProgress& progress) {
  std::vector<k8s::Dynamic> page;
  std::size_t bytes = 0;
  const auto add = [&]() -> Result<void> {
    bytes = 0;
    if (auto added = check.add(std::exchange(page, {})); !added) return added;
    progress(check.findings().objects(), std::nullopt);
    return {};
  };
  const std::string resource = std::string(definition.group()) + "/" + std::string(definition.plural());
  const auto read = apiserver::read_backup(
      options.backup, resource, [&](std::string_view path, std::string_view json) -> Result<void> {
        auto object = k8s::Dynamic::parse(json);
        if (!object)
          return fail(object.error().within(options.backup + ": " + resource + " " + printable(path)));
        page.push_back(*std::move(object));
        bytes += json.size();
        return page.size() < options.request.most_objects && bytes < most_page_bytes ? Result<void>() : add();
      });
  if (!read) return read;
  return page.empty() ? Result<void>() : add();
}

}  // namespace fairway::cli
