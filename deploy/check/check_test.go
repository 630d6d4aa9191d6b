package check

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// dashboard is what is looked at of a dashboard.
type dashboard struct {
	Title  string
	Panels []struct {
		ID      int
		Type    string
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ Expr, LegendFormat string }
	}
	Templating struct {
		List []struct {
			Name, Type string
			Query      any
		}
	}
}

// rules is a file of alert rules; what it does not have is refused.
type rules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert       string
			Expr        string
			For         string
			Labels      map[string]string
			Annotations map[string]string
		}
	}
}

func TestDashboardAndAlerts(t *testing.T) {
	shown := metrics(t)
	seen := map[string]bool{} // of the service's own metrics
	hold := func(where, expression string) {
		for _, wrong := range problems(expression, shown) {
			t.Errorf("%s: %s: %s", where, expression, wrong)
		}
		for name := range shown {
			seen[name] = seen[name] || strings.Contains(expression, name)
		}
	}

	t.Run("dashboard", func(t *testing.T) {
		text, err := os.ReadFile("../grafana/groundwork.json")
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		ids, cells, expressions := map[int]bool{}, map[[2]int]string{}, 0
		for _, p := range d.Panels {
			if p.ID == 0 || ids[p.ID] {
				t.Errorf("%s: the id %d is there twice, or none", p.Title, p.ID)
			}
			ids[p.ID] = true
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					if other := cells[[2]int{x, y}]; other != "" || x >= 24 {
						t.Fatalf("%s lies on %s, or outside", p.Title, other)
					}
					cells[[2]int{x, y}] = p.Title
				}
			}
			for _, target := range p.Targets {
				hold("panel "+p.Title, target.Expr)
				expressions++
			}
		}
		if expressions < 40 {
			t.Errorf("only %d expressions were found in the dashboard", expressions)
		}
		for _, v := range d.Templating.List {
			if query, is := v.Query.(map[string]any); is {
				text := query["query"].(string)
				metric, _, found := strings.Cut(strings.TrimPrefix(text, "label_values("), ",")
				if !found {
					t.Errorf("the variable %s asks %q", v.Name, text)
				}
				hold("variable "+v.Name, metric)
			}
		}
	})

	t.Run("alerts", func(t *testing.T) {
		file, err := os.Open("../prometheus/alerts.yml")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var r rules
		reader := yaml.NewDecoder(file)
		reader.KnownFields(true)
		if err := reader.Decode(&r); err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, group := range r.Groups {
			for _, rule := range group.Rules {
				if rule.Alert == "" || names[rule.Alert] {
					t.Errorf("the alert %q is there twice, or has no name", rule.Alert)
				}
				names[rule.Alert] = true
				hold("alert "+rule.Alert, rule.Expr)
				if rule.For != "" {
					if _, err := model.ParseDuration(rule.For); err != nil {
						t.Errorf("%s: for: %v", rule.Alert, err)
					}
				}
				if s := rule.Labels["severity"]; s != "warning" && s != "critical" {
					t.Errorf("%s: its severity is %q", rule.Alert, s)
				}
				for _, says := range []string{"summary", "description"} {
					if !strings.HasSuffix(rule.Annotations[says], ".") && !strings.HasSuffix(rule.Annotations[says], ").") {
						t.Errorf("%s: its %s is no sentence: %q", rule.Alert, says, rule.Annotations[says])
					}
				}
			}
		}
		if len(names) < 15 {
			t.Errorf("only %d alerts were found", len(names))
		}
	})

	for name, is := range seen {
		if strings.HasPrefix(name, "groundwork_") && !is {
			t.Errorf("neither the dashboard nor an alert looks at %s", name)
		}
	}
}

// TestMisspelt shows that what is misspelt is found.
func TestMisspelt(t *testing.T) {
	shown := metrics(t)
	for expression, want := range map[string]string{
		`sum(groundwork_jobs_waiting`:                                            "parse error",
		`groundwork_jobs_wating > 1`:                                             "there is no metric groundwork_jobs_wating",
		`sum by (kinds) (groundwork_jobs_waiting)`:                               "has the label kinds",
		`groundwork_jobs_ended_total{resullt="failed"}`:                          "has no label resullt",
		`groundwork_jobs_ended_total{result="faild"}`:                            `no result that is ="faild"`,
		`rate(groundwork_http_request_seconds[5m])`:                              "there is no metric groundwork_http_request_seconds",
		`groundwork_ready / on (part) groundwork_info`:                           "has the label part",
		`histogram_quantile(0.9, groundwork_http_request_seconds_bucket{a="b"})`: "has no label a",
	} {
		if wrong := strings.Join(problems(expression, shown), "; "); !strings.Contains(wrong, want) {
			t.Errorf("%s: want %q, got %q", expression, want, wrong)
		}
	}
	for _, expression := range []string{`up == 0`, `rate(groundwork_http_request_seconds_sum{job="a"}[$__rate_interval])`} {
		if wrong := problems(expression, shown); wrong != nil {
			t.Errorf("%s: %s", expression, wrong)
		}
	}
}
