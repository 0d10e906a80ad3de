#include "conversion/review.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_arena.h"
#include "base/json_stream.h"
#include "base/text.h"
#include "k8s/group_version.h"
#include "k8s/status.h"
#include "webhook/admission.h"

namespace fairway::conversion {

namespace {

constexpr std::string_view review_kind = "ConversionReview";

/// What is asked for, beside the objects.
struct Asked {
  std::string api_version, uid, desired;
  friend bool operator==(const Asked&, const Asked&) = default;
};

/// Reads a review that has lost its objects on the way; `handed_on`: there were some.
Result<Asked> read_review(const json::Value& review, bool handed_on) {
  const auto bad = [](std::string_view why) {
    return fail(ErrorCode::invalid,
                "the body is no ConversionReview of apiextensions.k8s.io/v1 or v1beta1: " + std::string(why));
  };
  Asked asked;
  asked.api_version = json::find_string(review, "apiVersion").value_or("");
  if (asked.api_version != "apiextensions.k8s.io/v1" && asked.api_version != "apiextensions.k8s.io/v1beta1") {
    return bad("apiVersion is '" + printable(asked.api_version, 80) + "'");
  }
  if (const auto kind = json::find_string(review, "kind"); kind != review_kind) {
    return bad("kind is '" + printable(kind.value_or(""), 80) + "'");
  }
  const json::Value* request = json::find(review, "request");
  if (request == nullptr || !request->is_object()) return bad("it has no request");
  asked.uid = json::find_string(*request, "uid").value_or("");
  if (asked.uid.empty()) return bad("request.uid is missing");
  asked.desired = json::find_string(*request, "desiredAPIVersion").value_or("");
  if (asked.desired.empty()) return bad("request.desiredAPIVersion is missing");
  const json::Value* objects = json::find(*request, "objects");
  const bool is_list = objects != nullptr && objects->is_array();
  if (!is_list && objects != nullptr && !objects->is_null()) return bad("request.objects is no list");
  if (!is_list && handed_on) return bad("request.objects is there twice");
  return asked;
}

/// Appends the beginning of a reply, up to the members of `response`.
void append_head(std::string& out, const Asked& asked) {
  out += R"({"kind":"ConversionReview","apiVersion":)";
  json::append_quoted(out, asked.api_version);
  out += R"(,"response":{"uid":)";
  json::append_quoted(out, asked.uid);
}

/// The field that an error names: "Widget a: converting from v1 to v2: spec.size: too large" says spec.size.
std::string_view field_of(std::string_view message) {
  while (true) {
    // What stands in front is where the object is in the review.
    const std::string_view field = webhook::leading_field(message);
    if (!field.empty() && !field.starts_with("request.objects[")) return field;
    const std::size_t colon = message.find(": ");
    if (colon == std::string_view::npos) return {};
    message.remove_prefix(colon + 2);
  }
}

/// Converts objects as they are read: each is forgotten once it is in the reply, so that a review of many
/// costs the memory of one.
class Reviewer {
 public:
  Reviewer(const Converters& converters, std::size_t body_size, ReviewReply& reply)
      : converters_(converters), body_size_(body_size), reply_(reply) {}

  bool has_begun() const { return begun_; }
  const Asked& asked() const { return asked_; }

  void begin(Asked asked) {
    begun_ = true;
    asked_ = std::move(asked);
    const std::string_view desired = asked_.desired;
    const std::size_t slash = desired.find('/');
    group_ = slash != std::string_view::npos ? desired.substr(0, slash) : std::string_view{};
    version_ = desired.substr(slash + 1);  // npos + 1 is 0
    if (group_.empty() || version_.empty() || version_.find('/') != std::string_view::npos) {
      failed_ = Error{ErrorCode::invalid,
                      "request.desiredAPIVersion: '" + printable(desired, 80) + "' is not GROUP/VERSION"};
      return;
    }
    reply_.body.reserve(body_size_ + body_size_ / 16 + 512);
    append_head(reply_.body, asked_);
    reply_.body += R"(,"convertedObjects":[)";
  }

  void add(json::Value object) {
    const std::size_t index = objects_++;
    if (failed_) return;
    if (index > 0) reply_.body += ',';
    if (auto converted = convert(object); !converted) {
      failed_ = converted.error().within("request.objects[" + std::to_string(index) + "]");
    }
  }

  void end() {
    if (failed_) return refuse(*failed_);
    reply_.body += R"(],"result":{"metadata":{},"status":"Success"}}})";
  }

 private:
  struct Identity {
    std::string kind, name;
  };

  Result<void> convert(json::Value& value) {
    identity_ = {};
    const auto bad = [](std::string why) { return fail(ErrorCode::invalid, std::move(why)); };
    if (!value.is_object()) return bad("it is no object");
    k8s::Dynamic object(std::move(value.get_object()));
    const std::string_view api_version = object.api_version(), kind = object.kind();
    const auto failed = [&](const std::string& why) {
      identity_ = {std::string(kind), std::string(object.name())};
      return bad(printable(kind, 80) + " " + printable(object.key().to_string()) + ": " + why);
    };
    if (api_version.empty() || kind.empty()) return failed("apiVersion or kind is missing");
    const std::size_t slash = api_version.find('/');
    if (slash == std::string_view::npos || api_version.substr(0, slash) != group_) {
      return failed("apiVersion: '" + printable(api_version, 80) + "' is of another group than the desired " +
                    printable(asked_.desired, 80));
    }
    if (kinds_ == nullptr || kinds_->kind() != kind) kinds_ = converters_.find(group_, kind);
    if (kinds_ == nullptr) return failed("kind: there are no converters for this kind");
    const std::string_view from = api_version.substr(slash + 1);
    ConvertedPair* counted = count(from);
    // Names are only needed where it goes wrong, and the object is gone then.
    const std::string name(object.name());
    auto converted = kinds_->convert(std::move(object), version_);
    if (!converted) {
      if (counted != nullptr) ++counted->failed;
      identity_ = {kinds_->kind(), name};
      return fail(std::move(converted.error()));
    }
    if (counted != nullptr) ++counted->converted;
    json::append_text(reply_.body, converted->json());
    return {};
  }

  ConvertedPair* count(std::string_view from) {
    auto& pairs = reply_.pairs;
    for (ConvertedPair& pair : pairs) {
      if (pair.from == from && pair.kind == kinds_->kind()) return &pair;
    }
    const auto& names = kinds_->version_names();
    for (const std::string_view version : {from, version_}) {
      if (std::ranges::find(names, version) == names.end()) return nullptr;
    }
    return &pairs.emplace_back(kinds_->group(), kinds_->kind(), std::string(from), std::string(version_));
  }

  void refuse(const Error& error) {
    const std::string_view reason = error.code == ErrorCode::internal ? k8s::reason::internal_error
                                    : error.code == ErrorCode::too_large
                                        ? k8s::reason::request_entity_too_large
                                        : k8s::reason::invalid;
    k8s::Status status = k8s::Status::failure(reason, error.message);
    if (!identity_.kind.empty()) {
      status.set("details.name", identity_.name);
      status.set("details.group", group_);
      status.set("details.kind", identity_.kind);
    }
    const std::string_view field = field_of(error.message);
    if (!field.empty()) {
      status.add_cause(k8s::cause::field_value_invalid, error.message, field);
    }
    reply_.error = error.message;
    reply_.body.clear();
    append_head(reply_.body, asked_);
    reply_.body += R"(,"convertedObjects":[],"result":)";
    json::append_text(reply_.body, status.json());
    reply_.body += "}}";
  }

  const Converters& converters_;
  const std::size_t body_size_;
  ReviewReply& reply_;
  bool begun_ = false;
  Asked asked_;
  std::string_view group_, version_;
  std::size_t objects_ = 0;
  const KindConverters* kinds_ = nullptr;
  Identity identity_;
  std::optional<Error> failed_;
};

}  // namespace

ReviewReply answer_review(const Converters& converters, std::string_view body) {
  json::Arena arena;
  ReviewReply reply;
  Reviewer reviewer(converters, body.size(), reply);
  // Objects that came before what is asked for: no API server writes them so.
  std::vector<json::Value> early;
  std::size_t early_bytes = 0;

  const json::ListReader* read_so_far = nullptr;
  const auto take = [&](json::Value object) -> Result<void> {
    if (!reviewer.has_begun()) {
      Asked asked{std::string(read_so_far->text("apiVersion")), std::string(read_so_far->text("request.uid")),
                  std::string(read_so_far->text("request.desiredAPIVersion"))};
      if (!early.empty() || asked.api_version.empty() || asked.uid.empty() || asked.desired.empty()) {
        early_bytes += read_so_far->item_bytes();
        if (early_bytes > max_object_bytes) {
          return fail(ErrorCode::too_large, "request.objects stands before what is asked for");
        }
        early.push_back(std::move(object));
        return {};
      }
      reviewer.begin(std::move(asked));
    }
    reviewer.add(std::move(object));
    return {};
  };
  const auto storage = [&] {
    if (early.empty()) arena.reset();
    return arena.storage();
  };
  json::ListReader reader({"request", "objects"}, take, storage, max_object_bytes);
  read_so_far = &reader;

  const auto refuse = [&](const Error& error) {
    ReviewReply refusal;
    const bool is_too_large = error.code == ErrorCode::too_large;
    refusal.http_status = is_too_large ? 413 : 400;
    refusal.error = error.message;
    refusal.body =
        k8s::Status::failure(is_too_large ? k8s::reason::request_entity_too_large : k8s::reason::bad_request,
                             error.message)
            .to_text();
    return refusal;
  };
  Result<void> fed = reader.feed(body);
  auto review = fed ? reader.finish() : Result<json::Value>(fail(std::move(fed.error())));
  if (!review) return refuse(review.error().within("reading a ConversionReview"));
  auto asked = read_review(*review, reviewer.has_begun() || !early.empty());
  if (!asked) return refuse(asked.error());
  if (!reviewer.has_begun()) {
    reviewer.begin(*std::move(asked));
    for (json::Value& object : early) reviewer.add(std::move(object));
  } else if (reviewer.asked() != *asked) {
    return refuse({ErrorCode::invalid, "the body is no ConversionReview: what is asked for is there twice"});
  }
  reviewer.end();
  return reply;
}

}  // namespace fairway::conversion
