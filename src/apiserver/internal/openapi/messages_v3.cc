// SPDX-License-Identifier: Apache-2.0

// The messages of openapi.v3, as far as documents of this server and schemas of definitions need them.
#include <array>

#include "apiserver/internal/openapi/message_table.h"

namespace fairway::apiserver::openapi {
namespace {

using When = Choice::When;

// Schemas refer to themselves.
extern const Message schema;

constexpr std::array docs_rows{Row{"description", 1, Form::text}, Row{"url", 2, Form::text},
                               Row{"x-*", 3, Form::any}};
constexpr Message docs{.rows = docs_rows};

constexpr std::array reference_rows{Row{"$ref", 1, Form::text}, Row{"summary", 2, Form::text},
                                    Row{"description", 3, Form::text}};
constexpr Message reference{.rows = reference_rows, .is_tolerant = true};

constexpr std::array schema_or_reference_choices{Choice{When::has, 2, Form::message, &reference, "$ref"},
                                                 Choice{When::object, 1, Form::message, &schema}};
constexpr Message schema_or_reference{.choices = schema_or_reference_choices};

constexpr std::array named_schemas_rows{Row{"*", 1, Form::message, &schema_or_reference}};
/// Both the schemas of a document and the properties of a schema.
constexpr Message named_schemas{.rows = named_schemas_rows};

constexpr std::array items_choices{Choice{When::object, 1, Form::message, &schema_or_reference}};
constexpr Message items{.choices = items_choices};

constexpr std::array additional_choices{Choice{When::boolean, 2, Form::boolean},
                                        Choice{When::object, 1, Form::message, &schema_or_reference}};
constexpr Message additional{.choices = additional_choices};

/// Defaults that are lists, objects or null have no field of their own.
constexpr std::array default_choices{Choice{When::number, 1, Form::number},
                                     Choice{When::boolean, 2, Form::boolean},
                                     Choice{When::text, 3, Form::text}};
constexpr Message default_value{.choices = default_choices, .is_tolerant = true};

constexpr std::array schema_rows{
    Row{"nullable", 1, Form::boolean},
    Row{"readOnly", 3, Form::boolean},
    Row{"writeOnly", 4, Form::boolean},
    Row{"externalDocs", 6, Form::message, &docs},
    Row{"example", 7, Form::any},
    Row{"deprecated", 8, Form::boolean},
    Row{"title", 9, Form::text},
    Row{"multipleOf", 10, Form::number},
    Row{"maximum", 11, Form::number},
    Row{"exclusiveMaximum", 12, Form::boolean},
    Row{"minimum", 13, Form::number},
    Row{"exclusiveMinimum", 14, Form::boolean},
    Row{"maxLength", 15, Form::integer},
    Row{"minLength", 16, Form::integer},
    Row{"pattern", 17, Form::text},
    Row{"maxItems", 18, Form::integer},
    Row{"minItems", 19, Form::integer},
    Row{"uniqueItems", 20, Form::boolean},
    Row{"maxProperties", 21, Form::integer},
    Row{"minProperties", 22, Form::integer},
    Row{"required", 23, Form::texts},
    Row{"enum", 24, Form::anys},
    Row{"type", 25, Form::text},
    Row{"allOf", 26, Form::messages, &schema_or_reference},
    Row{"oneOf", 27, Form::messages, &schema_or_reference},
    Row{"anyOf", 28, Form::messages, &schema_or_reference},
    Row{"not", 29, Form::message, &schema},
    Row{"items", 30, Form::message, &items},
    Row{"properties", 31, Form::message, &named_schemas},
    Row{"additionalProperties", 32, Form::message, &additional},
    Row{"default", 33, Form::message, &default_value},
    Row{"description", 34, Form::text},
    Row{"format", 35, Form::text},
    Row{"x-*", 36, Form::any},
};
constexpr Message schema{.rows = schema_rows};

constexpr std::array media_type_rows{Row{"schema", 1, Form::message, &schema_or_reference},
                                     Row{"example", 2, Form::any}, Row{"x-*", 5, Form::any}};
constexpr Message media_type{.rows = media_type_rows};

constexpr std::array media_types_rows{Row{"*", 1, Form::message, &media_type}};
constexpr Message media_types{.rows = media_types_rows};

constexpr std::array parameter_rows{
    Row{"name", 1, Form::text},
    Row{"in", 2, Form::text},
    Row{"description", 3, Form::text},
    Row{"required", 4, Form::boolean},
    Row{"deprecated", 5, Form::boolean},
    Row{"allowEmptyValue", 6, Form::boolean},
    Row{"style", 7, Form::text},
    Row{"explode", 8, Form::boolean},
    Row{"allowReserved", 9, Form::boolean},
    Row{"schema", 10, Form::message, &schema_or_reference},
    Row{"example", 11, Form::any},
    Row{"content", 13, Form::message, &media_types},
    Row{"x-*", 14, Form::any},
};
constexpr Message parameter{.rows = parameter_rows};

constexpr std::array parameters_choices{Choice{When::has, 2, Form::message, &reference, "$ref"},
                                        Choice{When::object, 1, Form::message, &parameter}};
constexpr Message parameters{.choices = parameters_choices};

constexpr std::array body_rows{Row{"description", 1, Form::text},
                               Row{"content", 2, Form::message, &media_types},
                               Row{"required", 3, Form::boolean}, Row{"x-*", 4, Form::any}};
constexpr Message body{.rows = body_rows};

constexpr std::array body_choices{Choice{When::has, 2, Form::message, &reference, "$ref"},
                                  Choice{When::object, 1, Form::message, &body}};
constexpr Message body_or_reference{.choices = body_choices};

constexpr std::array response_rows{Row{"description", 1, Form::text},
                                   Row{"content", 3, Form::message, &media_types}, Row{"x-*", 5, Form::any}};
constexpr Message response{.rows = response_rows};

constexpr std::array response_choices{Choice{When::has, 2, Form::message, &reference, "$ref"},
                                      Choice{When::object, 1, Form::message, &response}};
constexpr Message response_or_reference{.choices = response_choices};

constexpr std::array responses_rows{Row{"default", 1, Form::message, &response_or_reference},
                                    Row{"*", 2, Form::message, &response_or_reference},
                                    Row{"x-*", 3, Form::any}};
constexpr Message responses{.rows = responses_rows};

constexpr std::array operation_rows{
    Row{"tags", 1, Form::texts},
    Row{"summary", 2, Form::text},
    Row{"description", 3, Form::text},
    Row{"externalDocs", 4, Form::message, &docs},
    Row{"operationId", 5, Form::text},
    Row{"parameters", 6, Form::messages, &parameters},
    Row{"requestBody", 7, Form::message, &body_or_reference},
    Row{"responses", 8, Form::message, &responses},
    Row{"deprecated", 10, Form::boolean},
    Row{"x-*", 13, Form::any},
};
constexpr Message operation{.rows = operation_rows};

constexpr std::array path_rows{
    Row{"$ref", 1, Form::text},
    Row{"summary", 2, Form::text},
    Row{"description", 3, Form::text},
    Row{"get", 4, Form::message, &operation},
    Row{"put", 5, Form::message, &operation},
    Row{"post", 6, Form::message, &operation},
    Row{"delete", 7, Form::message, &operation},
    Row{"options", 8, Form::message, &operation},
    Row{"head", 9, Form::message, &operation},
    Row{"patch", 10, Form::message, &operation},
    Row{"trace", 11, Form::message, &operation},
    Row{"parameters", 13, Form::messages, &parameters},
    Row{"x-*", 14, Form::any},
};
constexpr Message path{.rows = path_rows};

constexpr std::array paths_rows{Row{"/*", 1, Form::message, &path}, Row{"x-*", 2, Form::any}};
constexpr Message paths{.rows = paths_rows};

constexpr std::array info_rows{
    Row{"title", 1, Form::text},   Row{"description", 2, Form::text}, Row{"termsOfService", 3, Form::text},
    Row{"version", 6, Form::text}, Row{"x-*", 7, Form::any},          Row{"summary", 8, Form::text}};
constexpr Message info{.rows = info_rows};

constexpr std::array components_rows{Row{"schemas", 1, Form::message, &named_schemas},
                                     Row{"x-*", 10, Form::any}};
constexpr Message components{.rows = components_rows};

constexpr std::array document_rows{
    Row{"openapi", 1, Form::text},
    Row{"info", 2, Form::message, &info},
    Row{"paths", 4, Form::message, &paths},
    Row{"components", 5, Form::message, &components},
    Row{"externalDocs", 8, Form::message, &docs},
    Row{"x-*", 9, Form::any},
};
constexpr Message document{.rows = document_rows};

}  // namespace

const Message& document_message_v3() {
  return document;
}

}  // namespace fairway::apiserver::openapi
