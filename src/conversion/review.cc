#include "conversion/review.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/json_arena.h"
#include "base/text.h"
#include "k8s/group_version.h"
#include "k8s/status.h"
#include "kube/admission.h"

namespace fairway::conversion {

namespace {

constexpr std::string_view review_kind = "ConversionReview";

/// What is asked for: views into the review's document.
struct Asked {
  std::string_view api_version, uid, desired;
  json::Array* objects = nullptr;
};

Result<Asked> read_review(json::Value& review) {
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
  json::Value* request = review.get_object().if_contains("request");
  if (request == nullptr || !request->is_object()) return bad("it has no request");
  asked.uid = json::find_string(*request, "uid").value_or("");
  if (asked.uid.empty()) return bad("request.uid is missing");
  asked.desired = json::find_string(*request, "desiredAPIVersion").value_or("");
  if (asked.desired.empty()) return bad("request.desiredAPIVersion is missing");
  json::Value* objects = request->get_object().if_contains("objects");
  if (objects != nullptr && !objects->is_null()) {
    asked.objects = objects->if_array();
    if (asked.objects == nullptr) return bad("request.objects is no list");
  }
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
    const std::string_view field = kube::leading_field(message);
    if (!field.empty() && !field.starts_with("request.objects[")) return field;
    const std::size_t colon = message.find(": ");
    if (colon == std::string_view::npos) return {};
    message.remove_prefix(colon + 2);
  }
}

class Reviewer {
 public:
  Reviewer(const Converters& converters, const Asked& asked, ReviewReply& reply)
      : converters_(converters), asked_(asked), reply_(reply) {}

  void answer(std::size_t body_size) {
    const std::size_t slash = asked_.desired.find('/');
    group_ = slash != std::string_view::npos ? asked_.desired.substr(0, slash) : std::string_view{};
    version_ = asked_.desired.substr(slash + 1);  // npos + 1 is 0
    if (group_.empty() || version_.empty() || version_.find('/') != std::string_view::npos) {
      return refuse(fail(ErrorCode::invalid, "request.desiredAPIVersion: '" + printable(asked_.desired, 80) +
                                                 "' is not GROUP/VERSION")
                        .error(),
                    nullptr);
    }
    std::string& out = reply_.body;
    out.reserve(body_size + body_size / 16 + 512);
    append_head(out, asked_);
    out += R"(,"convertedObjects":[)";
    if (asked_.objects != nullptr) {
      for (std::size_t i = 0; i < asked_.objects->size(); ++i) {
        if (i > 0) out += ',';
        if (auto converted = convert((*asked_.objects)[i]); !converted) {
          return refuse(converted.error().within("request.objects[" + std::to_string(i) + "]"), &identity_);
        }
      }
    }
    out += R"(],"result":{"metadata":{},"status":"Success"}}})";
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

  void refuse(const Error& error, const Identity* identity) {
    const std::string_view reason = error.code == ErrorCode::internal ? k8s::reason::internal_error
                                    : error.code == ErrorCode::too_large
                                        ? k8s::reason::request_entity_too_large
                                        : k8s::reason::invalid;
    k8s::Status status = k8s::Status::failure(reason, error.message);
    if (identity != nullptr && !identity->kind.empty()) {
      status.set("details.name", identity->name);
      status.set("details.group", group_);
      status.set("details.kind", identity->kind);
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
  const Asked& asked_;
  ReviewReply& reply_;
  std::string_view group_, version_;
  const KindConverters* kinds_ = nullptr;
  Identity identity_;
};

}  // namespace

ReviewReply answer_review(const Converters& converters, std::string_view body) {
  json::Arena arena;
  ReviewReply reply;
  const auto refuse = [&](const Error& error) {
    reply.http_status = 400;
    reply.error = error.message;
    reply.body = k8s::Status::failure(k8s::reason::bad_request, error.message).to_text();
    return std::move(reply);
  };
  auto review = json::parse(body, arena.storage());
  if (!review) return refuse(review.error().within("reading a ConversionReview"));
  const auto asked = read_review(*review);
  if (!asked) return refuse(asked.error());
  Reviewer(converters, *asked, reply).answer(body.size());
  return reply;
}

}  // namespace fairway::conversion
