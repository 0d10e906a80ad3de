// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// refusal is what a chart does not take.
type refusal struct {
	Chart   string `json:"chart"`
	Values  values `json:"values"`
	Message string `json:"message"`
}

func TestTheSchemaRefusesWhatIsWrong(t *testing.T) {
	for _, one := range readTable[refusal](t, "cases/refused.yaml") {
		text, err := json.Marshal(one.Values)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(one.Chart+"/"+string(text), func(t *testing.T) {
			_, err := template(chartOf(t, one.Chart), "default", one.Values)
			if err == nil {
				t.Fatal("it renders")
			}
			if !strings.Contains(err.Error(), one.Message) {
				t.Errorf("the message does not say %q:\n%v", one.Message, err)
			}
		})
	}
}

// open are the maps of values.yaml whose keys are the user's.
var open = []string{
	"/affinity", "/nodeSelector", "/podAnnotations", "/podLabels", "/service/annotations", "/monitoring/labels", "/resources/limits",
	"/resources/requests", "/releases/keys", "/releases/stores",
}

func defaults(t *testing.T, c chart) values {
	t.Helper()
	var all values
	if err := yaml.Unmarshal(readFile(t, c.path()+"/values.yaml"), &all); err != nil {
		t.Fatalf("reading the values of %s: %v", c.name, err)
	}
	return all
}

// nested returns values in which the keys of the path lead to one.
func nested(path []string, value any) values {
	for _, name := range slices.Backward(path) {
		value = values{name: value}
	}
	return value.(values)
}

// eachValue visits the maps and values of values.yaml.
func eachValue(value any, path []string, visit func(path []string, value any)) {
	visit(path, value)
	if entries, ok := value.(values); ok {
		for name, entry := range entries {
			eachValue(entry, append(slices.Clone(path), name), visit)
		}
	}
}

func isOpen(path []string) bool { return slices.Contains(open, "/"+strings.Join(path, "/")) }

func TestTheSchemaRefusesAMisspeltKeyAnywhere(t *testing.T) {
	for _, c := range charts {
		eachValue(defaults(t, c), nil, func(path []string, value any) {
			if _, ok := value.(values); !ok || isOpen(path) {
				return
			}
			t.Run(c.name+"/"+strings.Join(path, "/"), func(t *testing.T) {
				_, err := template(c, "default", nested(append(slices.Clone(path), "misspelt"), "value"))
				if err == nil || !strings.Contains(err.Error(), "additional properties 'misspelt' not allowed") {
					t.Errorf("a key `misspelt` is taken: %v", err)
				}
			})
		})
	}
}

func TestTheSchemaRefusesAWrongTypeAnywhere(t *testing.T) {
	for _, c := range charts {
		eachValue(defaults(t, c), nil, func(path []string, value any) {
			if len(path) == 0 {
				return
			}
			var wrong any = "of another type"
			if _, text := value.(string); text {
				wrong = []any{"of another type"}
			}
			t.Run(c.name+"/"+strings.Join(path, "/"), func(t *testing.T) {
				_, err := template(c, "default", nested(path, wrong))
				if err == nil || !strings.Contains(err.Error(), "at '/"+strings.Join(path, "/")+"'") {
					t.Errorf("%v in the place of %v is taken: %v", wrong, value, err)
				}
			})
		})
	}
}

// unlisted are keys of the schema that values.yaml has no default for.
var unlisted = []string{"/global", "/settings/", "/resources/claims", "/class/parameters/"}

// described is a schema, as far as these tests look at it.
type described struct {
	Description string               `json:"description"`
	Properties  map[string]described `json:"properties"`
}

// eachProperty visits the properties of a schema.
func eachProperty(s described, path string, visit func(path string, s described)) {
	for name, property := range s.Properties {
		visit(path+"/"+name, property)
		eachProperty(property, path+"/"+name, visit)
	}
}

func readSchema(t *testing.T, c chart) described {
	t.Helper()
	var s described
	if err := json.Unmarshal(readFile(t, c.path()+"/values.schema.json"), &s); err != nil {
		t.Fatalf("reading the schema of %s: %v", c.name, err)
	}
	return s
}

func TestEachValueHasADefaultAndADescription(t *testing.T) {
	for _, c := range charts {
		t.Run(c.name, func(t *testing.T) {
			there := map[string]bool{}
			eachValue(defaults(t, c), nil, func(path []string, _ any) { there["/"+strings.Join(path, "/")] = true })
			eachProperty(readSchema(t, c), "", func(path string, s described) {
				if !there[path] && !slices.ContainsFunc(unlisted, func(one string) bool { return strings.HasPrefix(path, one) }) {
					t.Errorf("values.yaml has no default for %s", path)
				}
				// The flags of `fairway serve` describe themselves.
				if s.Description == "" && !strings.HasPrefix(path, "/settings/") {
					t.Errorf("the schema does not describe %s", path)
				}
			})
		})
	}
}

// owned are the flags of `fairway serve` that the chart sets, since its ports, volumes and Services depend on them.
var owned = []string{"data", "listen", "peer-listen", "peer-token-file", "peers", "status-listen"}

var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z0-9-]+)`)

func TestTheSettingsAreTheFlagsOfServe(t *testing.T) {
	program := os.Getenv("FAIRWAY")
	if program == "" {
		t.Skip("FAIRWAY does not name the program fairway")
	}
	help, err := exec.Command(program, "serve", "--help").Output()
	if err != nil {
		t.Fatalf("running %s serve --help: %v", program, err)
	}
	flags := map[string]bool{}
	for _, match := range flagLine.FindAllStringSubmatch(string(help), -1) {
		flags[match[1]] = true
	}
	if !flags["releases"] {
		t.Fatalf("%s serve --help shows no flag --releases:\n%s", program, help)
	}
	delete(flags, "help")
	for _, name := range owned {
		delete(flags, name)
	}
	settings := readSchema(t, chartOf(t, "fairway-update-service")).Properties["settings"].Properties
	for name := range settings {
		if !flags[name] {
			t.Errorf("the schema has settings.%s, but `fairway serve` has no flag --%s, or the chart sets it", name, name)
		}
	}
	for name := range flags {
		if _, there := settings[name]; !there {
			t.Errorf("`fairway serve` has the flag --%s, but the schema has no settings.%s: add it", name, name)
		}
	}
}
