// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
)

// place is a value in an object: its parent, and the key or index there.
type place struct {
	parent any
	key    string
	index  int
	path   string // with indices
	schema string // without them, from the innermost name of a well-known type
	value  any
}

// set replaces the value of a place.
func (p place) set(value any) {
	switch parent := p.parent.(type) {
	case map[string]any:
		parent[p.key] = value
	case []any:
		parent[p.index] = value
	}
}

// roots are the members whose schema is the same wherever they are.
var roots = map[string]string{
	"containers": "Container", "initContainers": "Container", "ephemeralContainers": "Container", "template": "Template",
	"jobTemplate": "JobTemplate", "livenessProbe": "Probe", "readinessProbe": "Probe", "startupProbe": "Probe",
	"postStart": "Handler", "preStop": "Handler", "labelSelector": "Selector", "selector": "Selector",
	"namespaceSelector": "Selector", "podAffinity": "Affinity", "podAntiAffinity": "Affinity", "podSelector": "Selector",
	"backend": "Backend", "defaultBackend": "Backend", "from": "Peers", "to": "Peers", "target": "Target", "scaleUp": "Scaling",
	"scaleDown": "Scaling", "nodeSelectorTerms": "NodeSelectorTerms",
}

// walk calls visit for each value of an object, except for its identity and its status, which other tests are about.
func walk(value any, at place, visit func(place)) {
	if at.parent != nil && at.path != ".metadata" {
		visit(at)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if at.parent == nil && (key == "kind" || key == "apiVersion" || key == "status") {
				continue
			}
			if at.path == ".metadata" && key != "labels" && key != "annotations" {
				continue
			}
			below := place{parent: value, key: key, path: at.path + "." + key, schema: at.schema + "." + key, value: value[key]}
			if root, known := roots[key]; known {
				below.schema = root
			}
			walk(value[key], below, visit)
		}
	case []any:
		for i, item := range value {
			walk(item, place{parent: value, index: i, path: fmt.Sprintf("%s[%d]", at.path, i), schema: at.schema + "[]", value: item}, visit)
		}
	}
}

// top is the place of an object itself: fields of equal names in other kinds are others.
func top(object any) place {
	kind, _ := object.(map[string]any)["kind"].(string)
	return place{schema: kind}
}

func clone(value any) any {
	switch value := value.(type) {
	case map[string]any:
		made := make(map[string]any, len(value))
		for key, item := range value {
			made[key] = clone(item)
		}
		return made
	case []any:
		made := make([]any, len(value))
		for i, item := range value {
			made[i] = clone(item)
		}
		return made
	}
	return value
}

// hostile texts: names that are none, paths that leave, numbers where none are, members of other enumerations.
var hostileTexts = []string{
	"", " ", "UPPER", "a b", "a.b", "a_b", "-a", "a-", ".", "..", "...", "..a", "../a", "a/../b", "/abs", "/a/b", "a/b", "a/b/c", "é",
	"0", "1", "-1", "007", "1.5", "100%", "101%", "25%", "1000000000000000000000", "500m", "2Gi", "1n", "-2", "0.5", "1k", "3Mi", "10",
	"a=b", "x:1", "10.0.0.1", "10.0.0.01", "::1", "::ffff:10.0.0.1", "300.1.1.1", "fd00::1", "TCP", "Always", "Never", "OnFailure", "None",
	"Exists", "Equal", "In", "NotIn", "Gt", "Lt", "DoesNotExist", "NoExecute", "NoSchedule", "Localhost", "RuntimeDefault", "Unconfined",
	"RollingUpdate", "Recreate", "OnDelete", "Indexed", "NonIndexed", "Local", "Europe/Berlin", "No/Where", "UTC", "*/5 * * * *", "@hourly",
	"@every 5m", "60 * * * *", "* * *", "CRON_TZ=UTC * * * * *", "1-5/2 0 1,15 JAN-MAR mon", "a\nb", "kubernetes.io/x", "example.com/x",
	"hugepages-2Mi", "memory", "cpu", "requests.cpu", "metadata.name", "metadata.labels['a']", "status.podIP", "net.ipv4.ip_forward",
	"10.0.0.0/8", "10.0.0.1/8", "10.0.0.0/08", "10.9.0.0/16", "fd00::/8", "fd00::1/8", "::ffff:10.0.0.0/104", "0.0.0.0", "127.0.0.1", "::",
	"169.254.1.1", "fe80::1", "224.0.0.1", "ff02::1", "*.example.com", "*.com", "*", "a.*.b", "/a//b", "/a/./b", "/a/..", "/%2f", "a.b/c d",
	"ClientIP", "LoadBalancer", "NodePort", "ClusterIP", "ExternalName", "IPv4", "IPv6", "SCTP", "Cluster", "Namespace", "apps/v1", "a/b/v1",
	"Utilization", "AverageValue", "Value", "Resource", "BestEffort", "NotBestEffort", "Terminating", "CrossNamespacePodAffinity", "pods",
	"count/pods", "requests.storage", "storage", "Recycle", "Delete", "Immediate", "Block", "ReadWriteOncePod",
	"kernel.shm_rmid_forced", "Bidirectional", "windows", "linux", "iqn.2001-04.com.example:storage", "http", "data", "web",
}

var hostileNumbers = []int64{
	0, -1, 1, 2, 5, 30, 64, 100, 101, 255, 256, 511, 512, 3599, 3600, 65535, 65536, 100000, 100001, 2147483647, 2147483648, -2147483648, 8080,
}

// mutator makes mutants, each from one object and what the others have.
type mutator struct {
	random *rand.Rand
	// By schema: what is found there in any object of the table, to be put elsewhere of the same schema.
	members map[string][]any
	texts   []string
}

func newMutator(random *rand.Rand, names []string, objects map[string]any) *mutator {
	m := &mutator{random: random, members: map[string][]any{}}
	seen := map[string]bool{}
	for _, name := range names {
		walk(objects[name], top(objects[name]), func(p place) {
			m.members[p.schema] = append(m.members[p.schema], p.value)
			if text, is := p.value.(string); is && !seen[text] {
				seen[text] = true
				m.texts = append(m.texts, text)
			}
		})
	}
	return m
}

func (m *mutator) text() string {
	switch m.random.Intn(12) {
	case 0:
		return strings.Repeat("a", []int{16, 64, 65, 254, 300}[m.random.Intn(5)])
	case 1, 2, 3, 4:
		return m.texts[m.random.Intn(len(m.texts))]
	}
	return hostileTexts[m.random.Intn(len(hostileTexts))]
}

func (m *mutator) number() any { return hostileNumbers[m.random.Intn(len(hostileNumbers))] }

// graft adds to a map a member that another map of the same schema has.
func (m *mutator) graft(at place, object map[string]any) string {
	var known []string
	for schema := range m.members {
		if rest, below := strings.CutPrefix(schema, at.schema+"."); below && !strings.ContainsAny(rest, ".[") {
			known = append(known, rest)
		}
	}
	for member, root := range roots {
		if _, here := object[member]; !here && at.schema == "Container[]" && (root == "Probe") {
			known = append(known, member)
		}
	}
	if len(known) == 0 {
		return ""
	}
	slices.Sort(known)
	member := known[m.random.Intn(len(known))]
	schema := at.schema + "." + member
	if root, is := roots[member]; is {
		schema = root
	}
	if values := m.members[schema]; len(values) > 0 {
		object[member] = clone(values[m.random.Intn(len(values))])
		return "graft " + at.path + "." + member
	}
	return ""
}

// change does one thing to an object and says what.
func (m *mutator) change(object any) string {
	var places []place
	walk(object, top(object), func(p place) { places = append(places, p) })
	if len(places) == 0 {
		return ""
	}
	p := places[m.random.Intn(len(places))]
	switch m.random.Intn(10) {
	case 0, 1:
		if parent, is := p.parent.(map[string]any); is {
			delete(parent, p.key)
			return "drop " + p.path
		}
	case 2:
		if same := m.members[p.schema]; len(same) > 0 {
			p.set(clone(same[m.random.Intn(len(same))]))
			return "swap " + p.path
		}
	case 3:
		other := places[m.random.Intn(len(places))]
		if fmt.Sprintf("%T", other.value) == fmt.Sprintf("%T", p.value) {
			p.set(clone(other.value))
			return "copy " + other.path + " to " + p.path
		}
	}
	switch value := p.value.(type) {
	case map[string]any:
		if m.random.Intn(6) == 0 {
			p.set(map[string]any{})
			return "empty " + p.path
		}
		return m.graft(p, value)
	case []any:
		switch m.random.Intn(3) {
		case 0:
			p.set([]any{})
			return "empty " + p.path
		case 1:
			if len(value) > 0 {
				p.set(append(value, clone(value[m.random.Intn(len(value))])))
				return "duplicate " + p.path
			}
		case 2:
			if len(value) > 0 {
				p.set(slices.Delete(slices.Clone(value), 0, 1))
				return "behead " + p.path
			}
		}
	case string:
		p.set(m.text())
		return "text " + p.path
	case bool:
		p.set(!value)
		return "flip " + p.path
	case float64, int64:
		p.set(m.number())
		return "number " + p.path
	}
	return ""
}

// mutate makes a mutant of an object by one to three changes.
func (m *mutator) mutate(object any) (any, string) {
	for {
		made := clone(object)
		changes := 1
		if m.random.Intn(3) == 0 {
			changes += 1 + m.random.Intn(2)
		}
		var how []string
		for range changes {
			if done := m.change(made); done != "" {
				how = append(how, done)
			}
		}
		if len(how) > 0 {
			return made, strings.Join(how, ", ")
		}
	}
}
