// SPDX-License-Identifier: Apache-2.0

// A call of the client as the tables of tests/kube/data write it: {"verb": "get", "key": "a/b"}, and what
// comes of it as JSON. The kind is Widget of widgets.example.com/v1 where no other is named.
#pragma once

#include <stdexcept>
#include <string>

#include "kube/client/client.h"
#include "kube/client/pages.h"

namespace fairway::kube::testing {

/// Returns the result of a call in the form of the table.
inline ApiResult<json::Value> as_value(ApiResult<k8s::Dynamic> object) {
  if (!object) return std::unexpected(object.error());
  return json::Value(object->release());
}

inline ApiResult<json::Value> as_value(ApiResult<ObjectList> list) {
  if (!list) return std::unexpected(list.error());
  json::Object result;
  json::Array items;
  for (k8s::Dynamic& item : list->items) items.emplace_back(item.release());
  result["items"] = std::move(items);
  result["resource_version"] = list->resource_version;
  result["continue"] = list->continue_token;
  if (list->remaining) result["remaining"] = *list->remaining;
  return json::Value(std::move(result));
}

/// Returns {"result": ...}, or {"error": {"code", "reason", "message", "causes": [[reason, field], ...]}}.
inline json::Object outcome_of(const ApiResult<json::Value>& result) {
  if (result) return {{"result", *result}};
  json::Array causes;
  for (const k8s::StatusCause& cause : result.error().status.causes())
    causes.push_back(json::Array{cause.reason(), cause.field()});
  return {{"error",
           {{"code", to_string(result.error().code)},
            {"reason", result.error().status.reason()},
            {"message", result.error().message},
            {"causes", std::move(causes)}}}};
}

class Caller {
 public:
  Caller(Client& client, const json::Value& call) : client_(client), call_(call), view_(call.as_object()) {}

  ApiResult<json::Value> run() {
    const std::string_view verb = view_.text("verb");
    if (verb == "get") return as_value(client_.get(resource(), key(), view_.text("subresource")));
    if (verb == "list") return as_value(client_.list(resource(), view_.text("namespace"), list_options()));
    if (verb == "list all")
      return as_value(list_all(client_, resource(), view_.text("namespace"), list_options()));
    if (verb == "each page") return each_page();
    if (verb == "create") return as_value(client_.create(resource(), object(), write_options()));
    if (verb == "replace") {
      return as_value(client_.replace(resource(), object(), view_.text("subresource"), write_options()));
    }
    if (verb == "patch") {
      const std::string_view type = view_.text("type");
      return as_value(client_.patch(resource(), key(),
                                    type == "json"    ? PatchType::json
                                    : type == "merge" ? PatchType::merge
                                                      : PatchType::strategic,
                                    *json::find(call_, "patch"), view_.text("subresource"), write_options()));
    }
    if (verb == "apply") {
      return as_value(
          client_.apply(resource(), object(),
                        {.field_manager = std::string(view_.text("manager")), .force = view_.flag("force")}));
    }
    if (verb == "delete") return as_value(client_.remove(resource(), key(), delete_options()));
    if (verb == "delete all") {
      const auto done =
          client_.remove_all(resource(), view_.text("namespace"), list_options(), delete_options());
      if (!done) return std::unexpected(done.error());
      return json::Value(nullptr);
    }
    throw std::runtime_error("no such verb: " + std::string(verb));
  }

 private:
  k8s::GroupVersionResource resource() const {
    const auto parts = view_.texts("resource");
    if (parts.empty()) return {"widgets.example.com", "v1", "widgets"};
    return {std::string(parts[0]), std::string(parts[1]), std::string(parts[2])};
  }
  k8s::Key key() const {
    const std::string_view text = view_.text("key");
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return {"", std::string(text)};
    return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
  }
  k8s::Dynamic object() const { return k8s::Dynamic(view_.at("object").json()); }
  ListOptions list_options() const {
    ListOptions options;
    options.labels = k8s::LabelSelector::parse(view_.text("labels")).value();
    options.fields = k8s::FieldSelector::parse(view_.text("fields")).value();
    options.limit = view_.integer("limit");
    options.continue_token = view_.text("continue");
    options.resource_version = view_.text("resource_version");
    options.resource_version_match = view_.text("match");
    return options;
  }
  WriteOptions write_options() const {
    WriteOptions options;
    options.field_manager = view_.text("manager");
    options.dry_run = view_.flag("dry_run");
    if (view_.text("validation") == "strict") options.validation = FieldValidation::strict;
    return options;
  }
  DeleteOptions delete_options() const {
    DeleteOptions options;
    options.uid = view_.text("uid");
    options.resource_version = view_.text("resource_version");
    options.dry_run = view_.flag("dry_run");
    if (const auto grace = view_.find_integer("grace")) options.grace_period = std::chrono::seconds(*grace);
    if (view_.text("propagation") == "foreground") options.propagation = Propagation::foreground;
    if (view_.text("propagation") == "background") options.propagation = Propagation::background;
    return options;
  }
  ApiResult<json::Value> each_page() {
    json::Array names;
    const auto done = for_each_page(client_, resource(), view_.text("namespace"), list_options(),
                                    OnExpired::resume, [&](const ObjectList& page) -> Result<void> {
                                      for (const k8s::Dynamic& item : page.items)
                                        names.emplace_back(item.name());
                                      return {};
                                    });
    if (!done) return std::unexpected(done.error());
    return json::Value(std::move(names));
  }

  Client& client_;
  const json::Value& call_;
  k8s::View view_;
};

}  // namespace fairway::kube::testing
