// SPDX-License-Identifier: Apache-2.0

// Program http2 runs h2spec, the suite of RFC 7540 and RFC 7541, against a server:
//
//	http2 [-tls] [-path PATH] PORT
//
// It prints h2spec's report, a line "failed: SECTION NUMBER: CASE" for each case that failed, and at last the counts: "146 cases, 145
// passed, 0 skipped, 1 failed". It ends with 1 if one failed.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/reporter"
	"github.com/summerwind/h2spec/spec"
)

// printFailures prints a line for each case of the group that failed: its section, its number and what it sends.
func printFailures(group *spec.TestGroup) {
	for i, test := range group.Tests {
		if test.Result != nil && test.Result.Failed {
			fmt.Printf("failed: %s %d: %s\n", group.Section, i+1, test.Desc)
		}
	}
	for _, part := range group.Groups {
		printFailures(part)
	}
}

func main() {
	tls := flag.Bool("tls", false, "speak TLS")
	path := flag.String("path", "/", "path to ask for; its replies have a body")
	flag.Parse()
	port, err := strconv.Atoi(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "usage: http2 [-tls] [-path PATH] PORT")
		os.Exit(2)
	}
	settings := config.Config{
		Host:         "127.0.0.1",
		Port:         port,
		Path:         *path,
		Timeout:      2 * time.Second,
		MaxHeaderLen: 4000,
		Strict:       true,
		TLS:          *tls,
		Insecure:     true,
	}
	groups := []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()}
	var passed, skipped, failed int
	for _, group := range groups {
		group.Test(&settings)
		passed += group.PassedCount
		skipped += group.SkippedCount
		failed += group.FailedCount
	}
	if failed > 0 {
		reporter.FailedTests(groups)
	}
	for _, group := range groups {
		printFailures(group)
	}
	fmt.Printf("%d cases, %d passed, %d skipped, %d failed\n", passed+skipped+failed, passed, skipped, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
