// SPDX-License-Identifier: Apache-2.0

// Random expressions, and what cel-go makes of them in the environment of Kubernetes's custom resources:
//
//	cel-random SEED COUNT
//
// prints a line of JSON for each: the expression, whether it is accepted, its value as text, or that its evaluation fails, and
// what it costs at run time.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/util/version"
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

type generator struct {
	*rand.Rand
	// Names of variables of macros that are integers, and that are texts.
	integers, texts []string
}

func (g *generator) of(choices ...string) string { return choices[g.Intn(len(choices))] }

// bound calls make with one more variable.
func (g *generator) bound(list *[]string, name string, make func() string) string {
	*list = append(*list, name)
	made := make()
	*list = (*list)[:len(*list)-1]
	return made
}

func (g *generator) name() string { return fmt.Sprintf("v%d", len(g.integers)+len(g.texts)) }

func (g *generator) integer(depth int) string {
	if depth <= 0 {
		return g.of(append([]string{"i", "0", "1", "-3", "7", "9223372036854775807", "size(s)", "li[0]"}, g.integers...)...)
	}
	d := depth - 1
	switch g.Intn(13) {
	case 0, 1:
		return "(" + g.integer(d) + " " + g.of("+", "-", "*", "/", "%") + " " + g.integer(d) + ")"
	case 2:
		return g.text(d) + ".size()"
	case 3:
		return g.integers_(d) + ".size()"
	case 4:
		return "(" + g.boolean(d) + " ? " + g.integer(d) + " : " + g.integer(d) + ")"
	case 5:
		return g.integers_(d) + "[" + g.of("0", "1", "i", "-1") + "]"
	case 6:
		return g.integers_(d) + "." + g.of("min", "max", "sum") + "()"
	case 7:
		return g.text(d) + "." + g.of("indexOf", "lastIndexOf") + "(" + g.text(0) + ")"
	case 8:
		return "int(" + g.of("'12'", "'x'", "3u", g.text(0)) + ")"
	case 9:
		return g.optional(d) + ".orValue(" + g.integer(d) + ")"
	case 10:
		return "cel.bind(" + g.bindInteger(d) + ")"
	case 11:
		return g.optional(d) + ".value()"
	default:
		return g.integer(0)
	}
}

func (g *generator) bindInteger(depth int) string {
	name := g.name()
	return name + ", " + g.integer(depth) + ", " + g.bound(&g.integers, name, func() string { return g.integer(depth) })
}

func (g *generator) boolean(depth int) string {
	if depth <= 0 {
		return g.of("b", "true", "false", "has(m.a)", "'a' in m", "has(m.zz)")
	}
	d := depth - 1
	switch g.Intn(12) {
	case 0:
		return "(" + g.boolean(d) + " && " + g.boolean(d) + ")"
	case 1:
		return "(" + g.boolean(d) + " || " + g.boolean(d) + ")"
	case 2:
		return "!" + g.boolean(d)
	case 3, 4:
		return "(" + g.integer(d) + " " + g.of("<", "<=", ">", ">=", "==", "!=") + " " + g.integer(d) + ")"
	case 5:
		return "(" + g.text(d) + " " + g.of("==", "!=", "<") + " " + g.text(d) + ")"
	case 6:
		return g.text(d) + "." + g.of("startsWith", "endsWith", "contains") + "(" + g.text(0) + ")"
	case 7:
		name := g.name()
		return g.integers_(d) + "." + g.of("all", "exists", "exists_one") + "(" + name + ", " +
			g.bound(&g.integers, name, func() string { return g.boolean(d) }) + ")"
	case 8:
		name := g.name()
		return g.texts_(d) + "." + g.of("all", "exists") + "(" + name + ", " +
			g.bound(&g.texts, name, func() string { return g.boolean(d) }) + ")"
	case 9:
		return "(" + g.integer(d) + " in " + g.integers_(d) + ")"
	case 10:
		return g.optional(d) + ".hasValue()"
	default:
		return g.text(d) + ".matches('" + g.of("^h", "o w", "[0-9]+", "^$") + "')"
	}
}

func (g *generator) text(depth int) string {
	if depth <= 0 {
		return g.of(append([]string{"s", "'a'", "''", "'o'", "ls[0]", "m.a.x", "'ä'"}, g.texts...)...)
	}
	d := depth - 1
	switch g.Intn(9) {
	case 0:
		return "(" + g.text(d) + " + " + g.text(d) + ")"
	case 1:
		return g.text(d) + "." + g.of("lowerAscii", "upperAscii", "trim", "reverse") + "()"
	case 2:
		return g.text(d) + ".replace(" + g.text(0) + ", " + g.text(0) + ")"
	case 3:
		return g.text(d) + ".substring(" + g.of("0", "1", "i", "99") + ")"
	case 4:
		return "string(" + g.integer(d) + ")"
	case 5:
		return g.texts_(d) + ".join('" + g.of("", ",") + "')"
	case 6:
		return "(" + g.boolean(d) + " ? " + g.text(d) + " : " + g.text(d) + ")"
	case 7:
		return g.text(d) + ".charAt(" + g.of("0", "1", "i") + ")"
	default:
		return g.text(0)
	}
}

func (g *generator) integers_(depth int) string {
	if depth <= 0 {
		return g.of("li", "[1, 2]", "[i]", "[3, 1, 3]")
	}
	d := depth - 1
	name := g.name()
	inner := func(make func(int) string) string {
		return g.bound(&g.integers, name, func() string { return make(d) })
	}
	switch g.Intn(8) {
	case 0:
		return "(" + g.integers_(d) + " + " + g.integers_(d) + ")"
	case 1:
		return g.integers_(d) + ".map(" + name + ", " + inner(g.integer) + ")"
	case 2:
		return g.integers_(d) + ".filter(" + name + ", " + inner(g.boolean) + ")"
	case 3:
		return g.integers_(d) + ".map(" + name + ", " + inner(g.boolean) + ", " + inner(g.integer) + ")"
	case 4:
		return "[" + g.integer(d) + ", " + g.integer(d) + "]"
	case 5:
		return "[?" + g.optional(d) + ", " + g.integer(d) + "]"
	case 6:
		return g.of("[optional.of(i), optional.none()].unwrapOpt()", "optional.unwrap(["+g.optional(d)+"])")
	default:
		return g.integers_(0)
	}
}

func (g *generator) texts_(depth int) string {
	if depth <= 0 {
		return g.of("ls", "['a', s]", "[s]")
	}
	d := depth - 1
	name := g.name()
	switch g.Intn(5) {
	case 0:
		return g.text(d) + ".split('" + g.of(" ", "o", "") + "')"
	case 1:
		return g.integers_(d) + ".map(" + name + ", " + g.bound(&g.integers, name, func() string { return g.text(d) }) + ")"
	case 2:
		return g.texts_(d) + ".filter(" + name + ", " + g.bound(&g.texts, name, func() string { return g.boolean(d) }) + ")"
	case 3:
		return g.text(d) + ".findAll('" + g.of("o", "[a-z]+", "l") + "')"
	default:
		return g.texts_(0)
	}
}

// Of an integer.
func (g *generator) optional(depth int) string {
	if depth <= 0 {
		return g.of("optional.of(i)", "li[?0]", "li[?9]", "optional.ofNonZeroValue(0)")
	}
	d := depth - 1
	name := g.name()
	switch g.Intn(5) {
	case 0:
		return g.integers_(d) + "." + g.of("first", "last") + "()"
	case 1:
		return "optional.of(" + g.integer(d) + ")"
	case 2:
		return g.optional(d) + ".optMap(" + name + ", " + g.bound(&g.integers, name, func() string { return g.integer(d) }) + ")"
	case 3:
		return g.optional(d) + ".or(" + g.optional(d) + ")"
	default:
		return g.optional(0)
	}
}

func (g *generator) any() string {
	depth := 1 + g.Intn(4)
	switch g.Intn(8) {
	case 0:
		return g.integers_(depth)
	case 1:
		return g.texts_(depth)
	case 2:
		return g.optional(depth)
	case 3:
		return g.text(depth)
	case 4, 5:
		return g.integer(depth)
	case 6:
		// Of any types: it need not be accepted.
		return g.of("("+g.integer(1)+" + "+g.text(1)+")", "["+g.integer(1)+", "+g.text(1)+"]", g.text(1)+".size().size()",
			g.boolean(1)+" + 1", "nothing."+g.of("a", "b"), g.integers_(1)+".join()", "s.first()", "m.first()")
	default:
		return g.boolean(depth)
	}
}

func text(value ref.Val) string {
	switch v := value.(type) {
	case types.String:
		return string(must(json.Marshal(string(v))))
	case types.Bool, types.Int:
		return fmt.Sprint(v)
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none()"
		}
		return "optional(" + text(v.GetValue()) + ")"
	case traits.Lister:
		var all []string
		for i := types.Int(0); i < v.Size().(types.Int); i++ {
			all = append(all, text(v.Get(i)))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return fmt.Sprintf("%T", value)
}

func main() {
	set := must(environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable("s", cel.StringType), cel.Variable("i", cel.IntType), cel.Variable("b", cel.BoolType),
			cel.Variable("ls", cel.ListType(cel.StringType)), cel.Variable("li", cel.ListType(cel.IntType)),
			cel.Variable("m", cel.MapType(cel.StringType, cel.MapType(cel.StringType, cel.StringType))),
		},
	}))
	env := must(set.Env(environment.NewExpressions))
	variables := map[string]any{
		"s": "hello world", "i": 5, "b": true, "ls": []string{"a", "bb", "ccc"}, "li": []int{1, 2, 3, 4},
		"m": map[string]map[string]string{"a": {"x": "y"}},
	}
	g := &generator{Rand: rand.New(rand.NewSource(must(strconv.ParseInt(os.Args[1], 10, 64))))}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for count := must(strconv.Atoi(os.Args[2])); count > 0; count-- {
		line := map[string]any{"expression": g.any()}
		ast, issues := env.Compile(line["expression"].(string))
		if issues.Err() != nil {
			line["refused"] = issues.Err().Error()
		} else {
			// Constants are computed here: what fails then fails for every object.
			program, err := env.Program(ast, cel.CostTracking(&library.CostEstimator{}), cel.CostLimit(1_000_000))
			var value ref.Val
			var details *cel.EvalDetails
			if err == nil {
				value, details, err = program.Eval(variables)
			} else {
				line["constant"] = true
			}
			if err != nil {
				line["error"] = err.Error()
			} else {
				line["value"] = text(value)
				line["cost"] = *details.ActualCost()
			}
		}
		out.Write(must(json.Marshal(line)))
		out.WriteByte('\n')
	}
}
