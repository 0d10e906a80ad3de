# SPDX-License-Identifier: Apache-2.0

import os
import tempfile
import unittest

import confinement
import kustomization
import runtime_config
import seccomp

IMAGE = {"Entrypoint": ["/usr/bin/fairway"], "Cmd": ["--help"], "Env": ["PATH=/usr/bin"], "User": "65532:65532", "WorkingDir": "/"}
RESTRICTED = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}


class OfAContainer(unittest.TestCase):
    def words(self, **container):
        return runtime_config.command_of(container, IMAGE, {"POD_IP": "10.0.0.1"})

    def test_arguments_take_the_place_of_those_of_the_image(self):
        self.assertEqual(self.words(), ["/usr/bin/fairway", "--help"])
        self.assertEqual(self.words(args=["serve"]), ["/usr/bin/fairway", "serve"])
        self.assertEqual(self.words(args=[]), ["/usr/bin/fairway"])

    def test_a_command_takes_the_place_of_entry_point_and_arguments(self):
        self.assertEqual(self.words(command=["cp", "a"]), ["cp", "a"])
        self.assertEqual(self.words(command=["cp"], args=["b"]), ["cp", "b"])

    def test_variables_in_words_have_their_values(self):
        self.assertEqual(self.words(command=["$(POD_IP):1", "$$(POD_IP)", "$(NONE)", "$POD_IP"]),
                         ["10.0.0.1:1", "$(POD_IP)", "$(NONE)", "$POD_IP"])

    def test_variables_are_those_of_image_cluster_and_container(self):
        container = {"env": [{"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                             {"name": "URL", "value": "http://$(POD_IP)"}]}
        self.assertEqual(runtime_config.environment_of(container, IMAGE, {"HOST": "h"}, {"status.podIP": "10.0.0.1"}),
                         {"PATH": "/usr/bin", "HOST": "h", "POD_IP": "10.0.0.1", "URL": "http://10.0.0.1"})

    def test_the_user_is_that_of_container_then_pod_then_image(self):
        pod = {"securityContext": {"runAsUser": 7, "runAsGroup": 8, "fsGroup": 9, "runAsNonRoot": True}}
        self.assertEqual(runtime_config.user_of({}, {"name": "c"}, IMAGE), {"uid": 65532, "gid": 65532, "additionalGids": []})
        self.assertEqual(runtime_config.user_of(pod, {"name": "c"}, IMAGE), {"uid": 7, "gid": 8, "additionalGids": [9]})
        self.assertEqual(runtime_config.user_of(pod, {"name": "c", "securityContext": {"runAsUser": 5}}, IMAGE)["uid"], 5)

    def test_root_is_refused_where_it_must_not_be(self):
        for user, other in (("", {}), ("0", {}), ("root", {}), ("fairway", {}), ("65532", {"runAsUser": 0})):
            with self.assertRaises(ValueError, msg=user):
                runtime_config.user_of({"securityContext": {"runAsNonRoot": True, **other}}, {"name": "c"}, {"User": user})

    def config(self, pod, container):
        volumes = {"data": ("/here", False), "keys": ("/there", True)}
        return runtime_config.config_of(pod, {"name": "c", **container}, IMAGE, {"A": "b"}, volumes, {}, "/root", "pod", "/run/netns/pod",
                                        lambda capabilities: {"of": capabilities})

    def test_a_restricted_container_keeps_nothing(self):
        made = self.config({"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}}, {"securityContext": RESTRICTED})
        self.assertEqual({name: kept for name, kept in made["process"]["capabilities"].items() if kept}, {})
        self.assertTrue(made["process"]["noNewPrivileges"] and made["root"]["readonly"])
        self.assertEqual(made["linux"]["seccomp"], {"of": []})

    def test_a_container_that_asks_for_nothing_is_not_restricted(self):
        made = self.config({}, {})
        self.assertIn("CAP_CHOWN", made["process"]["capabilities"]["bounding"])
        self.assertEqual(made["process"]["capabilities"]["effective"], [])
        self.assertFalse(made["process"]["noNewPrivileges"] or made["root"]["readonly"] or "seccomp" in made["linux"])

    def test_sysctls_and_mounts_are_those_of_the_pod(self):
        made = self.config({"securityContext": {"sysctls": [{"name": "net.a", "value": "0"}]}},
                           {"volumeMounts": [{"name": "data", "mountPath": "/d"}, {"name": "data", "mountPath": "/r", "readOnly": True},
                                             {"name": "keys", "mountPath": "/k"}]})
        self.assertEqual(made["linux"]["sysctl"], {"net.a": "0"})
        self.assertEqual([(mount["destination"], mount["source"], mount["options"][-1]) for mount in made["mounts"][-3:]],
                         [("/d", "/here", "rw"), ("/r", "/here", "ro"), ("/k", "/there", "ro")])

    def test_amounts_are_bytes(self):
        self.assertEqual([runtime_config.bytes_of(text) for text in ("16Mi", "1Gi", "2k", 3)], [16 << 20, 1 << 30, 2000, 3])


class OfAProfile(unittest.TestCase):
    PROFILE = {"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 38, "syscalls": [
        {"names": ["read"], "action": "SCMP_ACT_ALLOW", "includes": {}, "excludes": {}},
        {"names": ["bpf"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN"]}},
        {"names": ["bpf"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1, "excludes": {"caps": ["CAP_SYS_ADMIN"]}},
        {"names": ["arch_prctl"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["amd64"]}, "args": None}]}

    def calls(self, machine, capabilities):
        return [(call["names"][0], call["action"][9:], call.get("errnoRet"))
                for call in seccomp.filter_of(self.PROFILE, machine, capabilities)["syscalls"]]

    def test_rules_are_those_of_the_machine_and_the_capabilities(self):
        self.assertEqual(self.calls("x86_64", []), [("read", "ALLOW", None), ("bpf", "ERRNO", 1), ("arch_prctl", "ALLOW", None)])
        self.assertEqual(self.calls("aarch64", ["CAP_SYS_ADMIN"]), [("read", "ALLOW", None), ("bpf", "ALLOW", None)])


class OfAProcess(unittest.TestCase):
    GOOD = {"Uid": "7\t7\t7\t7", "Gid": "8\t8\t8\t8", "Groups": "8 9", "NoNewPrivs": "1", "Seccomp": "2",
            **{name: "0000000000000000" for name in confinement.CAPABILITIES}}

    def faults(self, **other):
        text = "".join(f"{name}:\t{value}\n" for name, value in {**self.GOOD, **other}.items())
        return confinement.faults_in(confinement.status_of(text), {"uid": 7, "gid": 8}, [9])

    def test_one_that_is_confined_has_no_faults(self):
        self.assertEqual(self.faults(), [])

    def test_each_thing_too_many_is_a_fault(self):
        for name, value in (("Uid", "7\t0\t7\t7"), ("Gid", "0\t0\t0\t0"), ("Groups", "0 9"), ("CapBnd", "0000000000000400"),
                            ("CapAmb", "0000000000000001"), ("NoNewPrivs", "0"), ("Seccomp", "0")):
            self.assertEqual([fault.split()[0] for fault in self.faults(**{name: value})], [name])

    def test_mounts_of_the_kernel_and_of_the_runtime_do_not_count(self):
        lines = ["22 1 0:20 / / ro,relatime - overlay overlay rw", "23 22 0:21 / /proc rw,nosuid - proc proc rw",
                 "24 22 0:22 / /dev rw - tmpfs tmpfs rw", "25 22 0:23 / /data rw,relatime master:1 - ext4 /dev/vda rw",
                 "26 22 0:23 / /keys ro,relatime - ext4 /dev/vda rw"]
        self.assertEqual(confinement.writable_mounts("\n".join(lines)), ["/data"])


class OfAFolder(unittest.TestCase):
    def read(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                with open(os.path.join(folder, name.replace("_", ".")), "w", encoding="utf-8") as file:
                    file.write(text)
            return kustomization.read_folder(folder)

    def test_images_and_files_have_their_places(self):
        pod = "{initContainers: [{name: i, image: other}], containers: [{name: c, image: fairway}]}"
        objects = self.read(
            kustomization_yaml="resources: [a.yaml]\nimages: [{name: fairway, newName: r.example/x, newTag: 1.0.0}]\n"
                               "configMapGenerator: [{name: m, namespace: n, files: [settings.toml]}]\n",
            settings_toml="a = 1\n", a_yaml=f"kind: Service\n---\nkind: Deployment\nspec: {{template: {{spec: {pod}}}}}\n")
        self.assertEqual([one["kind"] for one in objects], ["Service", "Deployment", "ConfigMap"])
        containers = kustomization.containers_of(kustomization.pod_of(objects[1]))
        self.assertEqual([one["image"] for one in containers], ["other", "r.example/x:1.0.0"])
        self.assertEqual(objects[2]["data"], {"settings.toml": "a = 1\n"})

    def test_what_is_not_known_is_an_error(self):
        with self.assertRaises(SystemExit) as raised:
            self.read(kustomization_yaml="resources: []\npatches: []\n")
        self.assertIn("patches", str(raised.exception))

    def test_a_digest_takes_the_place_of_a_tag(self):
        self.assertEqual(kustomization.image_name("a", [{"name": "a", "newName": "b", "digest": "sha256:1"}]), "b@sha256:1")
        self.assertEqual(kustomization.image_name("a", [{"name": "a", "newName": "b"}]), "b")
        self.assertEqual(kustomization.image_name("c", [{"name": "a", "newName": "b"}]), "c")


if __name__ == "__main__":
    unittest.main()
