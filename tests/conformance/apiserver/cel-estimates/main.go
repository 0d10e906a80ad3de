// SPDX-License-Identifier: Apache-2.0

// What Kubernetes estimates that rules cost at most and at least, before they are evaluated:
//
//	cel-estimates table          each function with each sort of argument, and some rules at random: tests/cel/estimates.tsv
//	cel-estimates SEED COUNT     rules at random
//
// The first lines are the types of `self`, as "NAME<TAB>JSON"; an empty line ends them. Each further line is the name of the type,
// the expression and "MIN..MAX", or "refused" if it is not accepted.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	rules "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// A subject is a schema, and what is needed to estimate rules beside it.
type subject struct {
	name       string
	structural *schema.Structural
	declared   *apiservercel.DeclType
	env        *cel.Env
}

func newSubject(name, document string) *subject {
	var external v1.JSONSchemaProps
	if err := json.Unmarshal([]byte(document), &external); err != nil {
		must(0, fmt.Errorf("reading the schema of %s: %w", name, err))
	}
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		must(0, err)
	}
	structural := must(schema.NewStructural(&internal))
	declared := model.SchemaDeclType(structural, false).MaybeAssignTypeName("selfType")
	set := must(environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", declared.CelType()), cel.Variable("oldSelf", declared.CelType())},
		DeclTypes:         []*apiservercel.DeclType{declared},
	}))
	return &subject{name, structural, declared, must(set.Env(environment.NewExpressions))}
}

// EstimateSize answers with the limit of the type that a path leads to from `self`, as the API server does.
func (s *subject) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	path := node.Path()
	if len(path) == 0 {
		return nil
	}
	at := s.declared
	for _, step := range path[1:] {
		switch step {
		case "@items", "@values":
			at = at.ElemType
		case "@keys":
			at = at.KeyType
		default:
			if field, found := at.Fields[step]; found {
				at = field.Type
			} else {
				at = nil
			}
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Max: uint64(at.MaxElements)}
}

func (s *subject) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// estimate returns the bounds of an expression's cost. What the API server itself computes for a rule has to be the same.
func (s *subject) estimate(expression string) string {
	ast, issues := s.env.Compile(expression)
	if issues.Err() != nil {
		return "refused"
	}
	estimate := must(s.env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: s}))
	if ast.OutputType() == cel.BoolType {
		with := *s.structural
		with.XValidations = v1.ValidationRules{{Rule: expression}}
		compiled := must(rules.Compile(&with, model.SchemaDeclType(&with, false), celconfig.PerCallLimit,
			environment.MustBaseEnvSet(version.MajorMinor(1, 36)), rules.NewExpressionsEnvLoader()))
		if compiled[0].Error == nil && compiled[0].MaxCost != estimate.Max {
			must(0, fmt.Errorf("%s: %d here, %d in a definition", expression, estimate.Max, compiled[0].MaxCost))
		}
	}
	return fmt.Sprintf("%d..%d", estimate.Min, estimate.Max)
}

// shape returns a type as the test reads it.
func shape(t *apiservercel.DeclType) map[string]any {
	made := map[string]any{"max": t.MaxElements}
	switch {
	case t.IsObject():
		fields := map[string]any{}
		for name, field := range t.Fields {
			fields[name] = shape(field.Type)
		}
		made["fields"] = fields
	case t.IsList():
		made["items"] = shape(t.ElemType)
	case t.IsMap():
		made["values"], made["keys"] = shape(t.ElemType), shape(t.KeyType)
	default:
		made["type"] = t.CelType().String()
	}
	return made
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	known := map[string]*subject{}
	if os.Args[1] == "table" {
		fmt.Fprintln(out, "# Written by cel-estimates (tests/conformance/apiserver): what Kubernetes 1.37.2 estimates that rules cost.")
	}
	for _, s := range schemas {
		known[s.name] = newSubject(s.name, s.document)
		fmt.Fprintf(out, "%s\t%s\n", s.name, must(json.Marshal(shape(known[s.name].declared))))
	}
	fmt.Fprintln(out)
	seen := map[string]bool{}
	write := func(name, expression string) {
		if key := name + expression; !seen[key] {
			seen[key] = true
			fmt.Fprintf(out, "%s\t%s\t%s\n", name, expression, known[name].estimate(expression))
		}
	}
	random := func(seed int64, count int) {
		g := &generator{Rand: rand.New(rand.NewSource(seed))}
		for ; count > 0; count-- {
			write(g.rule())
		}
	}
	if os.Args[1] == "table" {
		each(write)
		random(1, 250)
	} else {
		random(must(strconv.ParseInt(os.Args[1], 10, 64)), must(strconv.Atoi(os.Args[2])))
	}
}
