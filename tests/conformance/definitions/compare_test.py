# SPDX-License-Identifier: Apache-2.0

"""The comparison of two servers' words about definitions."""

import pathlib
import tempfile
import unittest

import compare

TEXT = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: NAME.example.com}
spec:
  versions:
  - schema: {openAPIV3Schema: {type: object, properties: {maxItems: {type: array, maxItems: 3, items: {type: string, maxLength: 5}}}}}
"""


def definition(name):
    return TEXT.replace("NAME", name)


class Compare(unittest.TestCase):
    def read(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            for index, text in enumerate(texts):
                (pathlib.Path(folder) / f"{index}.yaml").write_text(text)
            return compare.read_definitions(folder)

    def test_templates_and_other_kinds_are_left_out_and_equal_definitions_are_read_once(self):
        found = self.read(definition("a"), "{{ if .Values.crds }}", "kind: Service\napiVersion: v1\n", definition("a"), definition("b"))
        self.assertEqual([one.name for one in found], ["a.example.com", "b.example.com"])

    def test_definitions_of_one_name_are_created_one_after_the_other(self):
        found = self.read(definition("a"), definition("b"), definition("a").replace("maxLength: 5", "maxLength: 6"))
        self.assertEqual([[one.source for one in group] for group in compare.rounds_of(found)], [["0.yaml", "1.yaml"], ["2.yaml"]])

    def test_mutants_have_other_limits_and_keep_properties_of_the_same_names(self):
        none, tenfold = compare.mutants_of(self.read(definition("a"))[0])
        schemas = [one.document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] for one in (none, tenfold)]
        self.assertEqual(schemas[0], {"maxItems": {"type": "array", "items": {"type": "string"}}})
        self.assertEqual(schemas[1], {"maxItems": {"type": "array", "maxItems": 30, "items": {"type": "string", "maxLength": 50}}})

    def test_a_definition_is_settled_once_it_is_served_or_its_names_are_taken(self):
        def state(group="example.com", **conditions):
            listed = [{"type": kind, "status": status} for kind, status in conditions.items()]
            return {"spec": {"group": group}, "status": {"conditions": listed}}

        self.assertFalse(compare.is_settled({"spec": {"group": "example.com"}, "status": None}))
        self.assertFalse(compare.is_settled(state(NamesAccepted="True")))
        self.assertTrue(compare.is_settled(state(NamesAccepted="True", Established="True")))
        self.assertTrue(compare.is_settled(state(NamesAccepted="False")))
        self.assertFalse(compare.is_settled(state("a.k8s.io", NamesAccepted="True", Established="True")))
        self.assertTrue(compare.is_settled(state("a.k8s.io", Established="True", KubernetesAPIApprovalPolicyConformant="True")))

    def test_causes_are_compared_in_any_order_and_every_other_difference_is_named(self):
        def refused(*fields, message="m"):
            causes = [{"field": field, "reason": "FieldValueForbidden", "message": message} for field in fields]
            return compare.refusal(422, {"message": "a is invalid: " + ", ".join(fields), "details": {"causes": causes}})

        self.assertEqual(list(compare.differences(refused("x", "y"), refused("y", "x"))), [])
        self.assertEqual(len(list(compare.differences(refused("x"), refused("y")))), 1)
        choice = "Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        self.assertEqual(list(compare.differences(refused("x", message=choice), refused("y", message=choice))), [])
        self.assertEqual(list(compare.differences({"a": 1}, {"a": 1, "b": 2})), [".b: None, on a kube-apiserver 2"])
        self.assertEqual(list(compare.differences({"a": True}, {"a": 1})), [".a: True, on a kube-apiserver 1"])


if __name__ == "__main__":
    unittest.main()
