// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// A generator makes rules of what the table has, inside of each other.
type generator struct {
	*rand.Rand
	variables int
}

func (g *generator) of(choices []string) string { return choices[g.Intn(len(choices))] }

// variable returns a name that no other macro has, or now and then one that another may have.
func (g *generator) variable() string {
	if g.Intn(4) > 0 {
		g.variables++
	}
	return fmt.Sprintf("v%d", g.variables%9)
}

func (g *generator) text(depth int, known ...string) string {
	if depth <= 0 || g.Intn(6) == 0 {
		return g.of(append(known, g.of(texts)))
	}
	d, x := depth-1, g.variable()
	switch g.Intn(14) {
	case 0:
		return g.text(d, known...) +
			g.of([]string{".lowerAscii()", ".trim()", ".substring(1)", ".replace('a', 'bc')", ".charAt(1)", ".find('a.*')"})
	case 1:
		return "(" + g.text(d, known...) + " + " + g.text(d, known...) + ")"
	case 2:
		return g.list(d, known...) + "[" + g.of([]string{"0", "1", "self.i"}) + "]"
	case 3:
		return g.list(d, known...) + ".join(" + g.of([]string{"", "','", "self.s"}) + ")"
	case 4:
		return "(" + g.boolean(d, known...) + " ? " + g.text(d, known...) + " : " + g.text(d, known...) + ")"
	case 5:
		return g.text(d, known...) + ".replace(" + g.text(0, known...) + ", " + g.text(0, known...) + ")"
	case 6:
		return g.of(maps) + "[" + g.text(d, known...) + "]"
	case 7:
		mapped := g.text(d, known...) + ").optMap(" + x + ", " + g.text(d, append(known, x)...)
		return "optional.of(" + mapped + ").orValue(" + g.text(0, known...) + ")"
	case 8:
		return "{" + g.text(d, known...) + ": " + g.text(d, known...) + "}['k']"
	case 9:
		return "strings.quote(" + g.text(d, known...) + ")"
	case 10:
		return g.of([]string{"self.lo", "self.o.p.lo"}) + ".filter(" + x + ", " +
			g.boolean(d, append(known, x+".name", x+".tags[0]")...) + ")[0].name"
	case 11:
		return "string(bytes(" + g.text(d, known...) + "))"
	case 12:
		return "dyn(" + g.text(d, known...) + ")"
	default:
		return g.list(d, known...) + g.of([]string{".max()", ".first().value()", "[?0].value()"})
	}
}

func (g *generator) list(depth int, known ...string) string {
	if depth <= 0 || g.Intn(6) == 0 {
		return g.of(lists)
	}
	d, x, y := depth-1, g.variable(), g.variable()
	switch g.Intn(11) {
	case 0, 1:
		return g.text(d, known...) + ".split('/'" + g.of([]string{"", "", ", 2", ", self.i"}) + ")"
	case 2:
		return g.list(d, known...) + ".map(" + x + ", " + g.text(d, append(known, x)...) + ")"
	case 3:
		return g.list(d, known...) + ".filter(" + x + ", " + g.boolean(d, append(known, x)...) + ")"
	case 4:
		return "(" + g.list(d, known...) + " + " + g.list(d, known...) + ")"
	case 5:
		return "[" + g.text(d, known...) + ", " + g.text(d, known...) + "]"
	case 6:
		return g.list(d, known...) +
			g.of([]string{".sort()", ".reverse()", ".distinct()", ".slice(0, 2)", ".map(" + x + ", [" + x + "]).flatten()"})
	case 7:
		return g.of([]string{"self.lo", "self.o.p.lo"}) + ".map(" + x + ", " +
			g.text(d, append(known, x+".name", x+".tags[0]", x+".more[1]")...) + ")"
	case 8:
		return g.list(d, known...) + ".transformList(" + x + "i, " + y + ", " + g.text(d, append(known, y)...) + ")"
	case 9:
		return g.of(maps) + ".map(" + x + ", " + g.text(d, append(known, x)...) + ")"
	default:
		return g.list(d, known...) + ".sortBy(" + x + ", " + g.text(d, append(known, x)...) + ")"
	}
}

func (g *generator) boolean(depth int, known ...string) string {
	if depth <= 0 {
		return g.text(0, known...) + g.of([]string{" == ", " != ", " < "}) + g.text(0, known...)
	}
	d, x, y := depth-1, g.variable(), g.variable()
	switch g.Intn(12) {
	case 0:
		return "(" + g.boolean(d, known...) + g.of([]string{" && ", " || "}) + g.boolean(d, known...) + ")"
	case 1:
		return g.text(d, known...) + ".matches('" + strings.Repeat("a", 1+g.Intn(30)) + "')"
	case 2:
		return g.text(d, known...) + "." + g.of([]string{"contains", "startsWith", "endsWith"}) + "(" + g.text(d, known...) + ")"
	case 3:
		return g.list(d, known...) + "." + g.of([]string{"all", "exists", "exists_one"}) + "(" + x + ", " +
			g.boolean(d, append(known, x)...) + ")"
	case 4:
		list := g.of([]string{"self.lo", "self.o.p.lo", "self.o.p.lo.filter(a, true)"})
		return list + "." + g.of([]string{"all", "exists"}) + "(" + x + ", " +
			g.boolean(d, append(known, x+".name", x+".tags[0]", x+".more[1]")...) + ")"
	case 5:
		return g.of([]string{"self.lo", "self.o.p.lo"}) + ".all(" + x + ", " + x + ".tags.all(" + y + ", " +
			g.boolean(d, append(known, x+".name", y, x+".more[0]")...) + "))"
	case 6:
		return "(" + g.text(d, known...) + " in " + g.list(d, known...) + ")"
	case 7:
		return g.list(d, known...) + g.of([]string{" == ", " != "}) + g.list(d, known...)
	case 8:
		return "sets." + g.of([]string{"contains", "intersects", "equivalent"}) + "(" + g.list(d, known...) + ", " + g.list(d, known...) + ")"
	case 9:
		return g.of(maps) + ".all(" + x + "k, " + y + ", " + g.boolean(d, append(known, x+"k", y)...) + ")"
	case 10:
		return "!(" + g.boolean(d, known...) + ")"
	default:
		return "(" + g.list(d, known...) + ".size() > " + g.of(numbers) + ".sum())"
	}
}

// rule returns the name of a schema and a rule for it.
func (g *generator) rule() (name, expression string) {
	g.variables = 0
	depth := 1 + g.Intn(3)
	switch g.Intn(8) {
	case 0:
		expression = g.list(depth)
	case 1, 2:
		expression = g.text(depth) + " + ''"
	default:
		expression = g.boolean(depth)
	}
	switch g.Intn(4) {
	case 0:
		return "entries", strings.ReplaceAll(expression, "self.", "self.k.")
	case 1:
		return "elements", strings.ReplaceAll(expression, "self.", "self[0].")
	default:
		return "object", expression
	}
}
