// SPDX-License-Identifier: Apache-2.0

// The webhook's side of a ConversionReview.
#include "k8s/wire/conversion_review.h"

#include "base/json_arena.h"
#include "base/json_stream.h"
#include "base/text.h"

namespace fairway::k8s {

namespace {

constexpr std::string_view review_kind = "ConversionReview";

/// Reads a review whose objects were already taken out; `handed_on`: there was at least one.
Result<ConversionRequest> read_head(const json::Value& review, bool handed_on) {
  const auto bad = [](std::string_view why) {
    return fail(ErrorCode::invalid,
                "the body is no ConversionReview of apiextensions.k8s.io/v1 or v1beta1: " + std::string(why));
  };
  ConversionRequest head;
  head.api_version = json::find_string(review, "apiVersion").value_or("");
  if (head.api_version != "apiextensions.k8s.io/v1" && head.api_version != "apiextensions.k8s.io/v1beta1") {
    return bad("apiVersion is '" + printable(head.api_version, 80) + "'");
  }
  if (const auto kind = json::find_string(review, "kind"); kind != review_kind) {
    return bad("kind is '" + printable(kind.value_or(""), 80) + "'");
  }
  const json::Value* request = json::find(review, "request");
  if (request == nullptr || !request->is_object()) return bad("it has no request");
  head.uid = json::find_string(*request, "uid").value_or("");
  if (head.uid.empty()) return bad("request.uid is missing");
  head.desired_api_version = json::find_string(*request, "desiredAPIVersion").value_or("");
  if (head.desired_api_version.empty()) return bad("request.desiredAPIVersion is missing");
  const json::Value* objects = json::find(*request, "objects");
  const bool is_list = objects != nullptr && objects->is_array();
  if (!is_list && objects != nullptr && !objects->is_null()) return bad("request.objects is no list");
  if (!is_list && handed_on) return bad("request.objects is there twice");
  return head;
}

/// Appends the beginning of a reply, up to the members of `response`.
void append_head(std::string& out, const ConversionRequest& request) {
  out += R"({"kind":"ConversionReview","apiVersion":)";
  json::append_quoted(out, request.api_version);
  out += R"(,"response":{"uid":)";
  json::append_quoted(out, request.uid);
}

}  // namespace

Result<void> read_conversion_request(std::string_view body, ConversionRequestSink& sink,
                                     std::size_t max_object_bytes) {
  json::Arena arena;
  std::optional<ConversionRequest> begun;
  const auto begin = [&](ConversionRequest head) {
    begun = head;
    sink.begin(std::move(head));
  };
  // Objects that came before what is asked for: no API server writes them so.
  std::vector<json::Value> early;
  std::size_t early_bytes = 0;

  const json::ListReader* read_so_far = nullptr;
  const auto take = [&](json::Value object) -> Result<void> {
    if (!begun) {
      ConversionRequest head{std::string(read_so_far->text("apiVersion")),
                             std::string(read_so_far->text("request.uid")),
                             std::string(read_so_far->text("request.desiredAPIVersion"))};
      if (!early.empty() || head.api_version.empty() || head.uid.empty() ||
          head.desired_api_version.empty()) {
        early_bytes += read_so_far->item_bytes();
        if (early_bytes > max_object_bytes) {
          return fail(ErrorCode::too_large, "request.objects stands before what is asked for");
        }
        early.push_back(std::move(object));
        return {};
      }
      begin(std::move(head));
    }
    sink.add(std::move(object));
    return {};
  };
  const auto storage = [&] {
    if (early.empty()) arena.reset();
    return arena.storage();
  };
  json::ListReader reader({"request", "objects"}, take, storage, max_object_bytes);
  read_so_far = &reader;

  Result<void> fed = reader.feed(body);
  auto review = fed ? reader.finish() : Result<json::Value>(fail(std::move(fed.error())));
  if (!review) return fail(review.error().within("reading a ConversionReview"));
  auto head = read_head(*review, begun || !early.empty());
  if (!head) return fail(std::move(head.error()));
  if (!begun) {
    begin(*std::move(head));
    for (json::Value& object : early) sink.add(std::move(object));
  } else if (*begun != *head) {
    return fail(ErrorCode::invalid, "the body is no ConversionReview: what is asked for is there twice");
  }
  return {};
}

ConversionResponseWriter::ConversionResponseWriter(std::string& out, const ConversionRequest& request)
    : out_(out) {
  append_head(out_, request);
  out_ += R"(,"convertedObjects":[)";
}

std::string& ConversionResponseWriter::next() {
  if (!first_) out_ += ',';
  first_ = false;
  return out_;
}

void ConversionResponseWriter::end() {
  out_ += R"(],"result":{"metadata":{},"status":"Success"}}})";
}

std::string write_conversion_failure(const ConversionRequest& request, const Status& status) {
  std::string text;
  append_head(text, request);
  text += R"(,"convertedObjects":[],"result":)";
  json::append_text(text, status.json());
  text += "}}";
  return text;
}

}  // namespace fairway::k8s
