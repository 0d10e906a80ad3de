// SPDX-License-Identifier: Apache-2.0

// Prometheus's own engine over its own in-memory head, asked line by line.
//
// The argument is a file of series, one a line: {"metric":{...},"points":[[milliseconds,"value"],...]}. Each line of
// standard input is a request, and each gets one line of answer:
//
//	{"query":"up","start":0}                          the value at one time (milliseconds), as the HTTP API gives it
//	{"query":"up","start":0,"end":60000,"step":1000}  the values over a range
//	{"queries":["up","1"],"start":0,"rounds":10}      {"nanoseconds":N} of processor time: all queries, parsed and
//	                                                  evaluated, so many times
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
)

type request struct {
	Query   string   `json:"query"`
	Queries []string `json:"queries"`
	Start   int64    `json:"start"`
	End     int64    `json:"end"`
	Step    int64    `json:"step"`
	Rounds  int      `json:"rounds"`
}

type rival struct {
	engine *promql.Engine
	series storage.Queryable
}

func newEngine() *promql.Engine {
	// What cmd/prometheus sets when no flag is given.
	return promql.NewEngine(promql.EngineOpts{
		MaxSamples:               50_000_000,
		Timeout:                  2 * time.Minute,
		LookbackDelta:            5 * time.Minute,
		NoStepSubqueryIntervalFn: func(int64) int64 { return time.Minute.Milliseconds() },
		EnableAtModifier:         true,
		EnableNegativeOffset:     true,
		Parser:                   parser.NewParser(parser.Options{}),
	})
}

func (r *rival) prepare(query string, asked request) (promql.Query, error) {
	start := time.UnixMilli(asked.Start)
	if asked.Step == 0 {
		return r.engine.NewInstantQuery(context.Background(), r.series, nil, query, start)
	}
	return r.engine.NewRangeQuery(context.Background(), r.series, nil, query, start, time.UnixMilli(asked.End),
		time.Duration(asked.Step)*time.Millisecond)
}

func (r *rival) ask(asked request) any {
	query, err := r.prepare(asked.Query, asked)
	if err != nil {
		return failure("bad_data", err)
	}
	defer query.Close()
	return success(query.Exec(context.Background()), asked.Query)
}

// processorTime is what this process has used so far, garbage collection included.
func processorTime() (time.Duration, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, err
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
}

func (r *rival) measure(asked request) any {
	began, err := processorTime()
	if err != nil {
		return failure("internal", err)
	}
	for round := 0; round < asked.Rounds; round++ {
		for _, text := range asked.Queries {
			query, err := r.prepare(text, asked)
			if err != nil {
				return failure("bad_data", err)
			}
			if result := query.Exec(context.Background()); result.Err != nil {
				return failure("execution", result.Err)
			}
			query.Close()
		}
	}
	ended, err := processorTime()
	if err != nil {
		return failure("internal", err)
	}
	return map[string]int64{"nanoseconds": (ended - began).Nanoseconds()}
}

func run(file string) error {
	series, err := loadSeries(file)
	if err != nil {
		return fmt.Errorf("reading the series of %s: %w", file, err)
	}
	r := &rival{engine: newEngine(), series: series}
	out := bufio.NewWriter(os.Stdout)
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var asked request
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		answer := any(nil)
		if len(asked.Queries) > 0 {
			answer = r.measure(asked)
		} else {
			answer = r.ask(asked)
		}
		if err := write.Encode(answer); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return in.Err()
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rival SERIES")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
