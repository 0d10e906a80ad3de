module fairway/tests/conformance/cel

go 1.24

require cel.dev/expr v0.25.3
