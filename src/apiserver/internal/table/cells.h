// SPDX-License-Identifier: Apache-2.0

// Columns and cells of built-in kinds in tables.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/table/table_columns.h"
#include "base/clock.h"
#include "base/json.h"
#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/view.h"

namespace fairway::apiserver::table {

/// The name of a column, and its differences from a text that is always shown.
struct Header {
  std::string_view name;
  std::string_view type = "string";
  int priority = 0;
  std::string_view format = {};
};
inline constexpr Header name_header{.name = "Name", .format = "name"};
inline constexpr Header age_header{.name = "Age"};
constexpr Header wide(std::string_view name) {
  return {.name = name, .priority = 1};
}

/// A kind of a file of printers: its columns, and the function that makes its cells.
struct Printer {
  k8s::GroupKind kind;
  std::vector<Header> headers;
  Row (*row)(const k8s::View& object, WallTime now);
  /// Tells the objects of which one has its name marked in a list; none: no row is marked.
  bool (*asks_for_mark)(const k8s::View& object) = nullptr;
};
std::vector<Printer> pod_printers();
std::vector<Printer> workload_printers();
std::vector<Printer> network_printers();
std::vector<Printer> storage_printers();
std::vector<Printer> policy_printers();
std::vector<Printer> cluster_printers();
std::vector<Printer> device_printers();

/// Returns the age of a time in an object: "<unknown>" if it has none.
std::string age(const k8s::View& object, std::string_view path, WallTime now);
/// Returns the age of the object itself.
std::string age(const k8s::View& object, WallTime now);
std::string_view name_of(const k8s::View& object);
/// Returns labels as "a=b,c=d" in the order of keys, or "<none>".
std::string labels_text(const k8s::StringMap& labels);
/// Returns a label selector of an object, "<none>" if it is empty, "<error>" if it cannot be read.
std::string selector_text(const k8s::View& object, std::string_view path);
/// Return the names and images of the containers of a Pod's spec, joined by commas.
std::string container_names(const k8s::View& pod_spec);
std::string container_images(const k8s::View& pod_spec);
/// Returns the text or, if it is empty, `otherwise`.
std::string text_or(const k8s::View& object, std::string_view path, std::string_view otherwise);
/// Returns the number of members of an object, or items of a list.
std::int64_t count(const k8s::View& object, std::string_view path);
/// Returns the entries, and the number of those left out: "a,b,c + 2 more...".
std::string with_more(const std::vector<std::string>& shown, std::size_t left_out);
/// Returns a quantity, or a number or text; "0" if it is absent.
std::string quantity_text(const k8s::View& object, std::string_view path, std::string_view key);

}  // namespace fairway::apiserver::table
