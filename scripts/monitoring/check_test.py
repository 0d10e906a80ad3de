# SPDX-License-Identifier: Apache-2.0
"""Tests of check.py: `python3 -m unittest discover -q -s scripts/monitoring -p '*_test.py'`, which ./dev lint runs."""

import unittest

import check
import exposition
import places

METRICS = """# TYPE requests_total counter
requests_total{code="200",endpoint="graph"} 3
requests_total{code="503",endpoint="graph"} 1
# TYPE ready gauge
ready 1
# TYPE took_seconds histogram
took_seconds_bucket{le="1"} 3
took_seconds_bucket{le="+Inf"} 4
took_seconds_sum 3.5
took_seconds_count 4
# TYPE update gauge
update{state="idle",version="1.2 \\"x\\""} 1
"""


def given(text):
    return text


def refused(_):
    raise ValueError("1:5: parse error: unclosed left parenthesis")


class CheckTest(unittest.TestCase):
    def faults(self, text, named=(), formatted=given, programs=("service",)):
        """Returns the faults of a query, where the service gives METRICS and the others nothing."""
        query = places.Query("a.json", "panel 'A'", text, set(programs), set(named))
        return check.faults_of(query, {"service": exposition.read(METRICS, "metrics"), "gateway": {}}, formatted)

    def assert_fault(self, text, *parts, **options):
        """Asserts that the query has one fault, which has these parts."""
        (fault,) = self.faults(text, **options)
        for part in parts:
            self.assertIn(part, fault)

    def test_queries_that_fit_have_no_faults(self):
        for text in (
                'sum by (code) (rate(requests_total{job=~"$job", namespace=~"$namespace", endpoint="graph"}[5m]))',
                'count(up{job="fairway-updates"} == 0) or vector(0)',
                "histogram_quantile(0.9, sum by (le) (rate(took_seconds_bucket[5m])))",
                "rate(took_seconds_sum[5m]) / rate(took_seconds_count[5m])",
                "requests_total / on (instance) group_left (version) update",
                'label_replace(ready, "where", "$1", "instance", "(.*):.*")',
                'requests_total{code=~"5..", code!~"200|503"} offset 5m',
                "time() - max without (job) (ready) > 3600",
                "max_over_time(ready[1h:5m] @ end())",
                "topk(10, requests_total)",
                "-ready ^ 2"):
            self.assertEqual(self.faults(text), [], text)

    def test_an_invalid_query_is_what_the_program_says_of_it(self):
        self.assert_fault("sum(", "unclosed left parenthesis", formatted=refused)

    def test_a_misspelt_metric_is_named_with_one_that_is_near(self):
        self.assert_fault("sum by (code) (rate(request_total[5m]))", "no program gives the metric request_total",
                          "did you mean requests_total?")

    def test_a_metric_of_another_program_is_not_there(self):
        self.assert_fault("ready", "no program gives the metric ready", programs=("gateway",))

    def test_a_label_that_is_selected_is_there(self):
        self.assert_fault('requests_total{cod="200"}', "requests_total has no label cod", "did you mean code?")

    def test_a_label_that_is_grouped_by_is_there(self):
        self.assert_fault("sum by (endpint) (requests_total)", "sum by names the label endpint", "did you mean endpoint?")
        self.assert_fault("sum without (endpint) (requests_total)", "sum without names the label endpint")
        self.assert_fault("sum by (code) (sum by (endpoint) (requests_total))", "sum by names the label code")

    def test_a_label_that_is_matched_on_is_on_both_sides(self):
        self.assert_fault("requests_total / on (code) update", "the right side of on names the label code")
        self.assert_fault("requests_total / ignoring (cod) ready", "ignoring names the label cod")
        self.assert_fault("requests_total / on (job) group_left (cod) update", "group_left names the label cod")

    def test_a_quantile_needs_buckets(self):
        self.assert_fault("histogram_quantile(0.9, sum by (job) (rate(took_seconds_bucket[5m])))", "histogram_quantile names the label le")

    def test_a_value_that_no_series_has_is_found(self):
        self.assert_fault('requests_total{code="2000"}', "code='2000'", "did you mean 200?")
        self.assert_fault('requests_total{code!="404"}', "code!='404'")
        self.assert_fault('requests_total{code=~"200|404"}', "code=~'200|404'")
        self.assert_fault('requests_total{code=~"4.."}', "code=~'4..'")
        self.assert_fault('ready{job="fairway-update"}', "job='fairway-update'", "did you mean fairway-updates?")

    def test_a_rate_is_of_a_counter_and_a_delta_of_a_gauge(self):
        self.assert_fault("rate(ready[5m])", "rate is for counters, and ready is a gauge")
        self.assert_fault("delta(requests_total[5m])", "delta is for gauges, and requests_total is a counter")

    def test_texts_name_labels_of_the_result(self):
        self.assertEqual(self.faults("sum by (code) (requests_total)", ["code"]), [])
        self.assertEqual(self.faults("requests_total > 1", ["code", "instance"]), [])
        self.assertEqual(self.faults("round(requests_total, 5)", ["code"]), [])
        self.assertEqual(self.faults('absent(ready{job="fairway-updates"})', ["job"]), [])
        self.assert_fault("sum by (code) (requests_total)", "names the label endpoint", named=["endpoint"])
        self.assert_fault("sum(requests_total)", "names the label instance", named=["instance"])
        self.assert_fault('absent(ready{job="fairway-updates"} == 1)', "names the label job", named=["job"])

    def test_a_metric_has_to_be_named(self):
        self.assert_fault('{job="fairway-updates"}', "names no metric")
        self.assert_fault('{__name__=~"ready|update"}', "by a regular expression")
        self.assertEqual(self.faults('{__name__="ready"}'), [])


class MetricsTest(unittest.TestCase):
    def test_labels_have_their_values_unescaped(self):
        self.assertEqual(exposition.read(METRICS, "m")["update"].values, {"state": {"idle"}, "version": {'1.2 "x"'}})

    def test_a_line_that_is_no_sample_is_named(self):
        for line in ("<html>", "a{b=c} 1", "a{} {} 1"):
            with self.assertRaisesRegex(ValueError, "^file:2: this is no sample"):
                exposition.read(f"ready 1\n{line}\n", "file")

    def test_the_programs_have_to_be_known(self):
        for text in ("serve=a", "service", "service="):
            with self.assertRaisesRegex(ValueError, "give it as PROGRAM=FILE"):
                check.collected([text])


class PlacesTest(unittest.TestCase):
    def test_a_dashboard_has_queries_in_variables_panels_and_closed_rows(self):
        board = {
            "templating": {"list": [{"name": "job", "type": "query", "query": {"query": "label_values(ready, job)"}},
                                    {"name": "datasource", "type": "datasource", "query": "prometheus"}]},
            "panels": [{"title": "A", "targets": [{"expr": "rate(a[$__rate_interval])", "legendFormat": "{{ code }} of {{job}}"}]},
                       {"title": "R", "type": "row", "panels": [{"title": "B", "targets": [{"expr": "b"}]}]}]}
        self.assertEqual(
            [(query.place, query.text, query.programs, query.named) for query in places.queries_of_dashboard("f", board, "service")],
            [("variable job", "ready", {"service"}, {"job"}), ("panel 'A'", "rate(a[5m])", {"service"}, {"code", "job"}),
             ("panel 'B'", "b", {"service"}, set())])

    def test_a_rule_is_about_the_programs_of_its_job(self):
        rules = [{"alert": "A", "expr": 'x{job="fairway-gateway"}', "annotations": {"summary": "{{ $labels.pod }} {{ $value }}"}},
                 {"alert": "B", "expr": "x"}]
        first, second = places.queries_of_rules("f", {"spec": {"groups": [{"rules": rules}]}})
        self.assertEqual((first.place, first.programs, first.named), ("alert A", {"gateway"}, {"pod"}))
        self.assertEqual(second.programs, set(places.JOBS.values()))


if __name__ == "__main__":
    unittest.main()
