// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/review.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "conversion/internal/error_field.h"
#include "k8s/group_version.h"
#include "k8s/status.h"
#include "k8s/wire/conversion_review.h"

namespace fairway::conversion {

namespace {

/// Converts objects as they are read; each is freed once it is in the reply, so that a review of many needs
/// the memory of one.
class Reviewer : public k8s::ConversionRequestSink {
 public:
  Reviewer(const Converters& converters, std::size_t body_size, ReviewReply& reply)
      : converters_(converters), body_size_(body_size), reply_(reply) {}

  void begin(k8s::ConversionRequest request) override {
    request_ = std::move(request);
    const std::string_view desired = request_.desired_api_version;
    const std::size_t slash = desired.find('/');
    group_ = slash != std::string_view::npos ? desired.substr(0, slash) : std::string_view{};
    version_ = desired.substr(slash + 1);  // npos + 1 is 0
    if (group_.empty() || version_.empty() || version_.find('/') != std::string_view::npos) {
      failed_ = Error{ErrorCode::invalid,
                      "request.desiredAPIVersion: '" + printable(desired, 80) + "' is not GROUP/VERSION"};
      return;
    }
    reply_.body.reserve(body_size_ + body_size_ / 16 + 512);
    writer_.emplace(reply_.body, request_);
  }

  void add(json::Value object) override {
    const std::size_t index = objects_++;
    if (failed_) return;
    auto converted = convert(object);
    if (converted) return;
    if (failures_.size() < most_failures) {
      failures_.push_back({index, std::move(converted.error()), std::move(identity_), kinds_of_failure_});
    } else {
      ++unnamed_;
    }
  }

  /// Ends the reply. `body` is read once more if there were failures, for the values in them.
  void end(std::string_view body) {
    if (failed_) return refuse(*failed_, {});
    if (failures_.empty()) return writer_->end();
    add_values(body);
    Error error = failures_.front().error;
    error.message.clear();
    for (Failure& one : failures_) {
      one.error = one.error.within("request.objects[" + std::to_string(one.index) + "]");
      if (!error.message.empty()) error.message += "; ";
      error.message += one.error.message;
    }
    if (unnamed_ > 0) error.message += "; and " + std::to_string(unnamed_) + " more objects";
    refuse(error, failures_.front().identity);
  }

 private:
  /// Failures of one review that are named.
  static constexpr std::size_t most_failures = 10;
  struct Identity {
    std::string kind, name;
  };
  struct Failure {
    std::size_t index = 0;
    Error error;
    Identity identity;
    /// The converters that failed; nullptr if the object did not get that far.
    const KindConverters* kinds = nullptr;
  };

  /// The objects of the failures, out of the text: they were freed when they were converted.
  class FailedObjects : public k8s::ConversionRequestSink {
   public:
    explicit FailedObjects(Reviewer& reviewer) : reviewer_(reviewer) {}
    void begin(k8s::ConversionRequest) override {}
    void add(json::Value object) override {
      const std::size_t index = next_++;
      const auto found = std::ranges::find(reviewer_.failures_, index, &Failure::index);
      if (found == reviewer_.failures_.end() || found->kinds == nullptr || !object.is_object()) return;
      found->error = found->kinds->with_values(k8s::Dynamic(std::move(object.get_object())),
                                               reviewer_.version_, std::move(found->error));
    }

   private:
    Reviewer& reviewer_;
    std::size_t next_ = 0;
  };

  void add_values(std::string_view body) {
    FailedObjects objects(*this);
    // It was read before: there is no other error, and without values the errors are as good as they were.
    [[maybe_unused]] const auto reread = k8s::read_conversion_request(body, objects, max_object_bytes);
  }

  Result<void> convert(json::Value& value) {
    identity_ = {};
    kinds_of_failure_ = nullptr;
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
                    printable(request_.desired_api_version, 80));
    }
    if (kinds_ == nullptr || kinds_->kind() != kind) kinds_ = converters_.find(group_, kind);
    if (kinds_ == nullptr) return failed("kind: there are no converters for this kind");
    const std::string_view from = api_version.substr(slash + 1);
    ConvertedPair* counted = count(from);
    // The name is only needed for errors, when the object is freed already.
    const std::string name(object.name());
    auto converted = kinds_->answer(std::move(object), version_);
    if (!converted) {
      if (counted != nullptr) ++counted->failed;
      identity_ = {kinds_->kind(), name};
      kinds_of_failure_ = kinds_;
      return fail(std::move(converted.error()));
    }
    if (counted != nullptr) ++(converted->quarantined ? counted->quarantined : counted->converted);
    json::append_text(writer_->next(), converted->object.json());
    if (converted->quarantined && reply_.quarantined.size() < most_named_quarantined) {
      reply_.quarantined.push_back({.group = kinds_->group(),
                                    .kind = kinds_->kind(),
                                    .version = std::string(version_),
                                    .key = converted->object.key(),
                                    .uid = std::string(converted->object.uid()),
                                    .resource_version = std::string(converted->object.resource_version()),
                                    .reason = *std::move(converted->quarantined)});
    }
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

  void refuse(const Error& error, const Identity& first) {
    // Nobody gets them.
    reply_.quarantined.clear();
    for (ConvertedPair& pair : reply_.pairs) pair.quarantined = 0;
    const std::string_view reason = error.code == ErrorCode::internal ? k8s::reason::internal_error
                                    : error.code == ErrorCode::too_large
                                        ? k8s::reason::request_entity_too_large
                                        : k8s::reason::invalid;
    k8s::Status status = k8s::Status::failure(reason, error.message);
    if (!first.kind.empty()) {
      status.set("details.name", first.name);
      status.set("details.group", group_);
      status.set("details.kind", first.kind);
    }
    const auto add_cause = [&](const std::string& message) {
      const std::string_view field = field_in_error(message);
      if (!field.empty()) status.add_cause(k8s::cause::field_value_invalid, message, field);
    };
    if (failures_.empty()) add_cause(error.message);
    for (const Failure& one : failures_) add_cause(one.error.message);
    reply_.error = error.message;
    reply_.body = k8s::write_conversion_failure(request_, status);
  }

  const Converters& converters_;
  const std::size_t body_size_;
  ReviewReply& reply_;
  k8s::ConversionRequest request_;
  std::optional<k8s::ConversionResponseWriter> writer_;
  std::string_view group_, version_;
  std::size_t objects_ = 0;
  const KindConverters* kinds_ = nullptr;
  Identity identity_;                                 ///< object that has just failed
  const KindConverters* kinds_of_failure_ = nullptr;  ///< converters of that object
  std::vector<Failure> failures_;
  std::size_t unnamed_ = 0;      ///< failures beyond `most_failures`
  std::optional<Error> failed_;  ///< the request itself is at fault
};

}  // namespace

std::map<std::string, std::uint64_t> unnamed_quarantined(const ReviewReply& reply) {
  std::map<std::string, std::uint64_t> left;
  for (const ConvertedPair& pair : reply.pairs) {
    if (pair.quarantined > 0) left[pair.kind + "." + pair.group] += pair.quarantined;
  }
  for (const QuarantinedObject& named : reply.quarantined) --left[named.kind + "." + named.group];
  std::erase_if(left, [](const auto& one) { return one.second == 0; });
  return left;
}

ReviewReply answer_review(const Converters& converters, std::string_view body) {
  ReviewReply reply;
  Reviewer reviewer(converters, body.size(), reply);
  if (auto read = k8s::read_conversion_request(body, reviewer, max_object_bytes); !read) {
    ReviewReply refusal;
    const bool is_too_large = read.error().code == ErrorCode::too_large;
    refusal.http_status = is_too_large ? 413 : 400;
    refusal.error = read.error().message;
    refusal.body =
        k8s::Status::failure(is_too_large ? k8s::reason::request_entity_too_large : k8s::reason::bad_request,
                             read.error().message)
            .to_text();
    return refusal;
  }
  reviewer.end(body);
  return reply;
}

}  // namespace fairway::conversion
