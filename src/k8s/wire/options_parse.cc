// SPDX-License-Identifier: Apache-2.0

// How a server reads options: the rules of k8s.io/apimachinery/pkg/apis/meta/{v1,internalversion}/validation,
// and of the conversions from url.Values.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/json.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/view.h"
#include "k8s/wire/options.h"
#include "k8s/wire/status_errors.h"

namespace fairway::k8s {

namespace {

constexpr std::string_view exact = "Exact", not_older_than = "NotOlderThan", dry_run_all = "All";
constexpr std::size_t max_field_manager_bytes = 128;

Status refusal(std::string_view kind, const std::vector<FieldError>& errors) {
  return answer::invalid({"meta.k8s.io", std::string(kind)}, "", errors);
}

std::string text_of(const Query& query, std::string_view name) {
  return std::string(query.find(name).value_or(""));
}

std::optional<bool> flag_of(const Query& query, std::string_view name) {
  const auto text = query.find(name);
  if (!text) return std::nullopt;
  return *text != "0" && !equals_ignoring_case(*text, "false");
}

/// Reads an integer as Go's strconv.ParseInt does.
StatusResult<std::optional<std::int64_t>> integer_of(const Query& query, std::string_view name) {
  const auto text = query.find(name);
  if (!text) return std::nullopt;
  std::string_view digits = *text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_whole = end == digits.data() + digits.size() && !text->starts_with("+-");
  if (error == std::errc{} && is_whole && !digits.empty()) return value;
  const bool is_large = error == std::errc::result_out_of_range && is_whole;
  return std::unexpected(answer::bad_request("strconv.ParseInt: parsing " + quote(*text) + ": " +
                                             (is_large ? "value out of range" : "invalid syntax")));
}

StatusResult<std::optional<std::chrono::seconds>> seconds_of(const Query& query, std::string_view name) {
  const auto value = integer_of(query, name);
  if (!value) return std::unexpected(value.error());
  if (!*value) return std::nullopt;
  return std::chrono::seconds(**value);
}

/// All parameters of lists and watches, before it is checked which of them may be combined.
struct ListParameters {
  ListOptions list;
  bool watch = false, bookmarks = false;
  std::optional<bool> initial_events;
};

StatusResult<ListParameters> read_list(const Query& query) {
  ListParameters read;
  ListOptions& list = read.list;
  read.watch = flag_of(query, "watch").value_or(false);
  read.bookmarks = flag_of(query, "allowWatchBookmarks").value_or(false);
  list.resource_version = text_of(query, "resourceVersion");
  list.resource_version_match = text_of(query, "resourceVersionMatch");
  auto timeout = seconds_of(query, "timeoutSeconds");
  if (!timeout) return std::unexpected(timeout.error());
  list.timeout = *timeout;
  const auto limit = integer_of(query, "limit");
  if (!limit) return std::unexpected(limit.error());
  list.limit = limit->value_or(0);
  list.continue_token = text_of(query, "continue");
  read.initial_events = flag_of(query, "sendInitialEvents");
  auto labels = LabelSelector::parse(text_of(query, "labelSelector"));
  if (!labels) {
    return std::unexpected(answer::bad_request("unable to parse requirement: " + labels.error().message));
  }
  list.labels = *std::move(labels);
  auto fields = FieldSelector::parse(text_of(query, "fieldSelector"));
  if (!fields) return std::unexpected(answer::bad_request("invalid selector: " + fields.error().message));
  list.fields = *std::move(fields);
  return read;
}

constexpr std::string_view match_field = "resourceVersionMatch", events_field = "sendInitialEvents";

std::vector<FieldError> check_list(const ListParameters& read) {
  std::vector<FieldError> errors;
  const std::string& match = read.list.resource_version_match;
  if (!match.empty()) {
    if (read.list.resource_version.empty()) {
      errors.push_back(FieldError::forbidden(
          match_field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (!read.list.continue_token.empty()) {
      errors.push_back(
          FieldError::forbidden(match_field, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match != exact && match != not_older_than) {
      errors.push_back(
          FieldError::not_supported(match_field, json::Value(match), {exact, not_older_than, ""}));
    }
    if (match == exact && read.list.resource_version == "0") {
      errors.push_back(FieldError::forbidden(
          match_field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
  }
  if (read.initial_events) {
    errors.push_back(FieldError::forbidden(events_field, "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

std::vector<FieldError> check_watch(const ListParameters& read) {
  std::vector<FieldError> errors;
  const std::string& match = read.list.resource_version_match;
  if (read.initial_events && match != not_older_than) {
    errors.push_back(FieldError::forbidden(
        match_field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (!match.empty()) {
    if (!read.initial_events) {
      errors.push_back(FieldError::forbidden(
          match_field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    }
    if (match != not_older_than) {
      errors.push_back(FieldError::not_supported(match_field, json::Value(match), {not_older_than}));
    }
    if (!read.list.continue_token.empty()) {
      errors.push_back(
          FieldError::forbidden(match_field, "resourceVersionMatch is forbidden when continue is provided"));
    }
  }
  return errors;
}

/// Validates the options of a list, as storage.ValidateListOptions does.
StatusResult<ListOptions> checked(ListOptions list) {
  if (!list.continue_token.empty() && !list.resource_version.empty()) {
    if (list.resource_version != "0") {
      return std::unexpected(
          answer::bad_request("specifying resource version is not allowed when using continue"));
    }
    list.resource_version.clear();
  }
  return list;
}

void check_field_manager(std::vector<FieldError>& errors, std::string_view manager) {
  if (manager.size() > max_field_manager_bytes) {
    errors.push_back(FieldError::too_long("fieldManager", max_field_manager_bytes));
  }
  for (std::size_t at = 0; at < manager.size();) {
    const Rune rune = first_rune(manager.substr(at));
    if (!is_printable(rune.value)) {
      errors.push_back(FieldError::invalid("fieldManager", json::Value(manager),
                                           "invalid character " + describe_character(rune.value) +
                                               " (at position " + std::to_string(at) + ")"));
    }
    at += rune.width;
  }
}

bool read_dry_run(std::vector<FieldError>& errors, const std::vector<std::string_view>& values) {
  if (std::ranges::any_of(values, [](std::string_view value) { return value != dry_run_all; })) {
    json::Array given;
    for (const std::string_view value : values) given.emplace_back(value);
    errors.push_back(FieldError::not_supported("dryRun", json::Value(std::move(given)), {dry_run_all}));
  }
  return !values.empty();
}

FieldValidation read_field_validation(std::vector<FieldError>& errors, std::string_view text) {
  if (text == "Ignore") return FieldValidation::ignore;
  if (text == "Warn") return FieldValidation::warn;
  if (text == "Strict") return FieldValidation::strict;
  if (!text.empty()) {
    errors.push_back(
        FieldError::not_supported("fieldValidation", json::Value(text), {"", "Ignore", "Strict", "Warn"}));
  }
  return FieldValidation::server_default;
}

WriteOptions read_write(std::vector<FieldError>& errors, const Query& query) {
  WriteOptions options;
  options.field_manager = text_of(query, "fieldManager");
  check_field_manager(errors, options.field_manager);
  options.dry_run = read_dry_run(errors, query.all("dryRun"));
  options.validation = read_field_validation(errors, query.find("fieldValidation").value_or(""));
  return options;
}

StatusResult<WriteOptions> parse_write(const Query& query, std::string_view kind) {
  std::vector<FieldError> errors;
  WriteOptions options = read_write(errors, query);
  if (!errors.empty()) return std::unexpected(refusal(kind, errors));
  return options;
}

/// Parameters of a delete, from a body or a query, before they are checked.
struct DeleteParameters {
  DeleteOptions options;
  std::optional<std::string> propagation;
  std::vector<std::string> dry_run;
  bool empty_uid = false, empty_version = false;
};

StatusResult<DeleteParameters> read_delete_query(const Query& query) {
  DeleteParameters read;
  auto grace_period = seconds_of(query, "gracePeriodSeconds");
  if (!grace_period) return std::unexpected(grace_period.error());
  read.options.grace_period = *grace_period;
  read.options.orphan_dependents = flag_of(query, "orphanDependents");
  if (const auto policy = query.find("propagationPolicy")) read.propagation = std::string(*policy);
  for (const std::string_view value : query.all("dryRun")) read.dry_run.emplace_back(value);
  read.options.uid = text_of(query, "uid");
  read.options.resource_version = text_of(query, "resourceVersion");
  return read;
}

/// Reads members as Go's decoder would: null is absent, another type an error.
class BodyReader {
 public:
  explicit BodyReader(const json::Object& body) : view_(body) {}

  std::optional<std::string> text(std::string_view path) {
    const json::Value* value = find(path);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return std::string(value->get_string());
    return failed(*value, path, "string"), std::nullopt;
  }
  std::optional<std::int64_t> integer(std::string_view path) {
    const json::Value* value = find(path);
    if (value == nullptr) return std::nullopt;
    if (const auto integer = view_.find_integer(path)) return integer;
    return failed(*value, path, "int64"), std::nullopt;
  }
  std::optional<bool> flag(std::string_view path) {
    const json::Value* value = find(path);
    if (value == nullptr) return std::nullopt;
    if (value->is_bool()) return value->get_bool();
    return failed(*value, path, "bool"), std::nullopt;
  }
  void object(std::string_view path) {
    const json::Value* value = find(path);
    if (value != nullptr && !value->is_object()) failed(*value, path, "v1.Preconditions");
  }
  std::vector<std::string> texts(std::string_view path) {
    std::vector<std::string> result;
    const json::Value* value = find(path);
    if (value == nullptr) return result;
    if (!value->is_array()) return failed(*value, path, "[]string"), result;
    for (const json::Value& item : value->get_array()) {
      if (!item.is_string()) return failed(item, path, "string"), result;
      result.emplace_back(item.get_string());
    }
    return result;
  }
  const std::string& fault() const { return fault_; }

 private:
  const json::Value* find(std::string_view path) const {
    const json::Value* value = view_.find(path);
    return value != nullptr && !value->is_null() ? value : nullptr;
  }
  void failed(const json::Value& value, std::string_view path, std::string_view type) {
    if (!fault_.empty()) return;
    const std::string_view kind = value.is_string()   ? "string"
                                  : value.is_bool()   ? "bool"
                                  : value.is_array()  ? "array"
                                  : value.is_object() ? "object"
                                                      : "number";
    fault_ = "json: cannot unmarshal " + std::string(kind) + " into Go struct field DeleteOptions." +
             std::string(path) + " of type " + std::string(type);
  }

  View view_;
  std::string fault_;
};

StatusResult<DeleteParameters> read_delete_body(std::string_view body) {
  const auto bad = [](std::string_view why) { return std::unexpected(answer::bad_request(why)); };
  const auto value = json::parse(body);
  if (!value) return bad("reading DeleteOptions: " + value.error().message);
  if (!value->is_object()) return bad("reading DeleteOptions: the body is no JSON object");
  BodyReader reader(value->get_object());
  const std::string kind = reader.text("kind").value_or("");
  if (!kind.empty() && kind != "DeleteOptions") {
    return bad("decoded object cannot be converted to DeleteOptions: its kind is " +
               quote(kind.substr(0, 80)));
  }
  reader.text("apiVersion");
  DeleteParameters read;
  DeleteOptions& options = read.options;
  if (const auto grace_period = reader.integer("gracePeriodSeconds")) {
    options.grace_period = std::chrono::seconds(*grace_period);
  }
  reader.object("preconditions");
  const auto uid = reader.text("preconditions.uid"), version = reader.text("preconditions.resourceVersion");
  options.uid = uid.value_or("");
  options.resource_version = version.value_or("");
  read.empty_uid = uid && uid->empty();
  read.empty_version = version && version->empty();
  options.orphan_dependents = reader.flag("orphanDependents");
  read.propagation = reader.text("propagationPolicy");
  read.dry_run = reader.texts("dryRun");
  if (!reader.fault().empty()) return bad(reader.fault());
  return read;
}

}  // namespace

StatusResult<GetOptions> parse_get_options(const Query& query) {
  return GetOptions{.resource_version = text_of(query, "resourceVersion")};
}

StatusResult<std::variant<ListOptions, WatchOptions>> parse_list_options(const Query& query) {
  auto read = read_list(query);
  if (!read) return std::unexpected(read.error());
  const std::vector<FieldError> errors = read->watch ? check_watch(*read) : check_list(*read);
  if (!errors.empty()) return std::unexpected(refusal("ListOptions", errors));
  if (!read->watch) {
    auto list = checked(std::move(read->list));
    if (!list) return std::unexpected(list.error());
    return *std::move(list);
  }
  return WatchOptions{.labels = std::move(read->list.labels),
                      .fields = std::move(read->list.fields),
                      .resource_version = std::move(read->list.resource_version),
                      .bookmarks = read->bookmarks,
                      .initial_events = read->initial_events,
                      .timeout = read->list.timeout};
}

StatusResult<ListOptions> parse_delete_collection_options(const Query& query) {
  auto read = read_list(query);
  if (!read) return std::unexpected(read.error());
  if (read->watch) return std::unexpected(answer::bad_request("watch is not for requests that delete"));
  if (const auto errors = check_list(*read); !errors.empty()) {
    return std::unexpected(refusal("ListOptions", errors));
  }
  return checked(std::move(read->list));
}

StatusResult<WriteOptions> parse_create_options(const Query& query) {
  return parse_write(query, "CreateOptions");
}

StatusResult<WriteOptions> parse_update_options(const Query& query) {
  return parse_write(query, "UpdateOptions");
}

StatusResult<WriteOptions> parse_patch_options(const Query& query) {
  std::vector<FieldError> errors;
  if (query.find("force")) {
    errors.push_back(FieldError::forbidden("force", "may not be specified for non-apply patch"));
  }
  WriteOptions options = read_write(errors, query);
  if (!errors.empty()) return std::unexpected(refusal("PatchOptions", errors));
  return options;
}

StatusResult<ApplyOptions> parse_apply_options(const Query& query) {
  std::vector<FieldError> errors;
  if (query.find("fieldManager").value_or("").empty()) {
    errors.push_back(FieldError::required("fieldManager", "is required for apply patch"));
  }
  WriteOptions options = read_write(errors, query);
  if (!errors.empty()) return std::unexpected(refusal("PatchOptions", errors));
  return ApplyOptions{.field_manager = std::move(options.field_manager),
                      .force = flag_of(query, "force"),
                      .dry_run = options.dry_run,
                      .validation = options.validation};
}

StatusResult<DeleteOptions> parse_delete_options(const Query& query, std::string_view body) {
  auto read = trim(body).empty() ? read_delete_query(query) : read_delete_body(body);
  if (!read) return std::unexpected(read.error());
  DeleteOptions& options = read->options;
  std::vector<FieldError> errors;
  if (read->empty_uid) errors.push_back(FieldError::invalid("preconditions.uid", "", "must not be empty"));
  if (read->empty_version) {
    errors.push_back(FieldError::invalid("preconditions.resourceVersion", "", "must not be empty"));
  }
  if (read->propagation) {
    const json::Value policy(*read->propagation);
    if (options.orphan_dependents) {
      errors.push_back(FieldError::invalid("propagationPolicy", policy,
                                           "orphanDependents and deletionPropagation cannot be both set"));
    }
    constexpr std::array policies = {Propagation::foreground, Propagation::background, Propagation::orphan};
    constexpr std::array<std::string_view, 3> names = {"Foreground", "Background", "Orphan"};
    const auto* named = std::ranges::find(names, *read->propagation);
    if (named == names.end()) {
      errors.push_back(
          FieldError::not_supported("propagationPolicy", policy, {names[0], names[1], names[2], "nil"}));
    } else {
      options.propagation = policies.at(static_cast<std::size_t>(named - names.begin()));
    }
  }
  options.dry_run = read_dry_run(errors, {read->dry_run.begin(), read->dry_run.end()});
  if (!errors.empty()) return std::unexpected(refusal("DeleteOptions", errors));
  return std::move(options);
}

}  // namespace fairway::k8s
