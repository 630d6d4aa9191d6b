package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// added are the labels that Prometheus adds to everything it scrapes.
var added = []string{"job", "instance"}

// open are the labels whose values appear only when something happens.
var open = []string{"status", "route", "method", "le"}

// variables are what Grafana puts in place of its own words.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$__interval", "1m", "$job", ".*", "$instance", ".*")

// problems says what is wrong with an expression: it does not parse, or names a metric, a label or a value of one that
// no server shows.
func problems(expression string, shown map[string]*dto.MetricFamily) (wrong []string) {
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(variables.Replace(expression))
	if err != nil {
		return []string{err.Error()}
	}
	known := map[string]bool{}
	for _, label := range added {
		known[label] = true
	}
	var selected []*parser.VectorSelector
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		if v, is := node.(*parser.VectorSelector); is {
			selected = append(selected, v)
		}
		return nil
	})
	for _, v := range selected {
		if v.Name == "up" { // Prometheus makes it itself
			continue
		}
		family, suffix := familyOf(v.Name, shown)
		if family == nil {
			wrong = append(wrong, fmt.Sprintf("there is no metric %s", v.Name))
			continue
		}
		values := valuesOf(family, suffix)
		for label := range values {
			known[label] = true
		}
		for _, m := range v.LabelMatchers {
			wrong = append(wrong, mismatch(v.Name, m, values)...)
		}
	}
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		var named []string
		switch n := node.(type) {
		case *parser.AggregateExpr:
			named = n.Grouping
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				named = append(n.VectorMatching.MatchingLabels, n.VectorMatching.Include...)
			}
		}
		for _, label := range named {
			if !known[label] {
				wrong = append(wrong, fmt.Sprintf("none of its metrics has the label %s", label))
			}
		}
		return nil
	})
	return wrong
}

// mismatch says that a metric has no such label, or that no value of it is selected.
func mismatch(metric string, m *labels.Matcher, values map[string][]string) []string {
	if m.Name == labels.MetricName || slices.Contains(added, m.Name) {
		return nil
	}
	all, has := values[m.Name]
	if !has {
		return []string{fmt.Sprintf("%s has no label %s", metric, m.Name)}
	}
	if slices.Contains(open, m.Name) || slices.ContainsFunc(all, m.Matches) {
		return nil
	}
	return []string{fmt.Sprintf("%s has no %s that is %s%q, only: %s", metric, m.Name, m.Type, m.Value,
		strings.Join(all, ", "))}
}

var partOf = regexp.MustCompile(`_(bucket|sum|count)$`)

// familyOf finds what a name selects: a metric, or a part of a histogram.
func familyOf(name string, shown map[string]*dto.MetricFamily) (family *dto.MetricFamily, suffix string) {
	if family := shown[name]; family != nil && family.GetType() != dto.MetricType_HISTOGRAM {
		return family, ""
	}
	suffix = partOf.FindString(name)
	family = shown[strings.TrimSuffix(name, suffix)]
	if suffix == "" || family == nil || family.GetType() != dto.MetricType_HISTOGRAM {
		return nil, ""
	}
	return family, suffix
}

// valuesOf is which values the labels of a metric have.
func valuesOf(family *dto.MetricFamily, suffix string) map[string][]string {
	values := map[string][]string{}
	if suffix == "_bucket" {
		values["le"] = nil
	}
	for _, m := range family.GetMetric() {
		for _, pair := range m.GetLabel() {
			values[pair.GetName()] = append(values[pair.GetName()], pair.GetValue())
		}
	}
	return values
}
