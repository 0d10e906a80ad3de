// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"strings"
)

//go:embed table.txt
var table string

// sections are the lines of each section of table.txt.
var sections = func() map[string][]string {
	made := map[string][]string{}
	name := ""
	for _, line := range strings.Split(table, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "# ") || line == "#":
		case isHeading(line):
			name = strings.Trim(line, "[]")
		default:
			made[name] = append(made[name], line)
		}
	}
	return made
}()

// isHeading tells a heading from a list, which has more than letters in its brackets.
func isHeading(line string) bool {
	inside, found := strings.CutPrefix(line, "[")
	inside, closed := strings.CutSuffix(inside, "]")
	return found && closed && inside != "" && strings.Trim(inside, "abcdefghijklmnopqrstuvwxyz ") == ""
}

var texts, lists, numbers, maps = sections["texts"], sections["lists"], sections["numbers"], sections["maps"]

// each calls write with each rule of the table.
func each(write func(name, expression string)) {
	for _, rule := range sections["rules"] {
		name, expression, _ := strings.Cut(rule, "\t")
		write(name, expression)
	}
	sorts := []string{"texts", "lists", "numbers", "maps", "others"}
	for _, sort := range sorts {
		for _, value := range sections[sort] {
			write("object", value)
		}
	}
	// One of so many uses of a value is estimated; the first two values meet each use.
	for i, step := range []int{11, 7, 3, 2, 5} {
		at := 0
		uses := sections["with "+sorts[i]]
		for j, value := range sections[sorts[i]] {
			for k, use := range uses {
				at++
				if at%step == 0 || j < 2 || k == j%len(uses) {
					write("object", strings.ReplaceAll(use, "$", value))
				}
			}
		}
	}
}
