// SPDX-License-Identifier: Apache-2.0

// The same as ../main.cc with cel-go in the API server's environment.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func main() {
	set := must(environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", cel.MapType(cel.StringType, cel.DynType))},
	}))
	env := must(set.Env(environment.StoredExpressions))
	var object map[string]any
	if err := json.Unmarshal(must(os.ReadFile(os.Args[2])), &object); err != nil {
		panic(err)
	}
	var programs []cel.Program
	for _, rule := range strings.Split(string(must(os.ReadFile(os.Args[1]))), "\n") {
		if rule == "" {
			continue
		}
		ast, issues := env.Compile(rule)
		if issues.Err() != nil {
			panic(issues.Err())
		}
		programs = append(programs, must(env.Program(ast)))
	}
	variables := map[string]any{"self": object}
	cost := uint64(0)
	for _, program := range programs {
		_, details, err := program.Eval(variables)
		if err != nil {
			panic(err)
		}
		cost += *details.ActualCost()
	}
	times := must(strconv.Atoi(os.Args[3]))
	begin := time.Now()
	for i := 0; i < times; i++ {
		for _, program := range programs {
			program.Eval(variables)
		}
	}
	took := float64(time.Since(begin).Nanoseconds())
	fmt.Printf("%.0f %d\n", took/float64(times*len(programs)), cost)
}
