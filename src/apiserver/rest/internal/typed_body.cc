#include "apiserver/rest/internal/typed_body.h"

#include "apiserver/kinds/defaults.h"
#include "apiserver/kinds/kinds.h"
#include "apiserver/kinds/strict_fields.h"
#include "apiserver/kinds/typed_object.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/wire/field_error.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver {

namespace {

/// What is wrong, in the server's words.
Result<void> read(Call& call, k8s::Dynamic& object, const MessageType& type, std::string_view text,
                  k8s::FieldValidation validation) {
  const json::Value document(object.json());
  auto typed = read_typed(document, type);
  if (!typed) return fail(typed.error());
  if (!text.empty() && validation != k8s::FieldValidation::ignore) {
    const auto errors = strict_field_errors(text, type);
    if (!errors.empty() && validation == k8s::FieldValidation::strict) {
      return fail(ErrorCode::invalid, "strict decoding error: " + join(errors, ", "));
    }
    call.warnings.insert(call.warnings.end(), errors.begin(), errors.end());
  }
  auto made = apply_defaults(*typed, type);
  if (!made) return fail(made.error());
  object = k8s::Dynamic(std::move(made->get_object()));
  return {};
}

}  // namespace

k8s::StatusResult<void> make_typed(Call& call, k8s::Dynamic& object, k8s::FieldValidation validation) {
  return call.resource->is_custom ? k8s::StatusResult<void>()
                                  : make_typed(call, object, call.resource->kind, validation);
}

k8s::StatusResult<void> make_typed(Call& call, k8s::Dynamic& object, const k8s::GroupVersionKind& kind,
                                   k8s::FieldValidation validation) {
  const MessageType* type = Kinds::find(kind);
  if (type == nullptr) return {};
  // Protobuf has neither names nor anything twice.
  const std::string_view body = call.http.body;
  const bool is_json = trim(body).starts_with('{');
  const auto done = read(call, object, *type, is_json ? body : std::string_view{}, validation);
  if (done) return {};
  return std::unexpected(k8s::answer::bad_request(kind.kind + " in version " + quote(kind.version) +
                                                  " cannot be handled as a " + kind.kind + ": " +
                                                  done.error().message));
}

k8s::StatusResult<void> make_patched_typed(Call& call, k8s::Dynamic& object,
                                           k8s::FieldValidation validation) {
  const MessageType* type = call.resource->is_custom ? nullptr : Kinds::find(call.resource->kind);
  if (type == nullptr) return {};
  const std::string text = json::to_text(object.json());
  const auto done = read(call, object, *type, text, validation);
  if (done) return {};
  return std::unexpected(k8s::answer::invalid(
      {}, "", {k8s::FieldError::invalid("patch", json::Value(text), done.error().message)}));
}

}  // namespace fairway::apiserver
