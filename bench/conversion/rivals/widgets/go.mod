module fairway/bench/conversion/rivals/widgets

go 1.26.0

require k8s.io/apimachinery v0.26.5
