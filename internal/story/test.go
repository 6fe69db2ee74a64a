package story

import (
	"fmt"

	"pawl/actuator/rules"
	"pawl/internal/plan"
)

// Options says how to test a story.
type Options struct {
	// Orders is how many other orders to sample where there are too many to run
	// all; 0 runs the written one alone.
	Orders int
	// Strict makes an order that ends in other mutations a failure.
	Strict bool
	// Coverage remembers what of the rules the written order reached. Nil
	// remembers nothing.
	Coverage *Coverage
}

// Report is how one story ended.
type Report struct {
	Story string `json:"story"`
	OK    bool   `json:"ok"`
	// Runs counts the orders that were run, the written one included.
	Runs  int      `json:"runs"`
	Diffs []string `json:"diffs,omitempty"`
	// Notes are no failure: rules whose mutations depend on the order.
	Notes []string `json:"notes,omitempty"`
}

// Test parses and runs one story and reports what of it is not so. A story that
// cannot be read or run fails with the reason.
func Test(name string, data []byte, options Options) Report {
	report := Report{Story: name}
	parsed, err := Parse(name, data)
	if err != nil {
		return report.fail(err)
	}
	set, err := parsed.ruleSet()
	if err != nil {
		return report.fail(err)
	}
	ran, err := parsed.Run(options.covering(parsed, set), parsed.written())
	if err != nil {
		return report.fail(err)
	}
	report.Runs, report.Diffs = 1, parsed.check(ran)
	if options.Orders > 0 && !parsed.Want.OrderMatters() {
		if err := report.addOrders(parsed, set, options); err != nil {
			return report.fail(err)
		}
	}
	report.OK = len(report.Diffs) == 0
	return report
}

func (r *Report) addOrders(parsed *Story, set *rules.Set, options Options) error {
	outcome, err := parsed.RunOrders(asRules(set), options.Orders)
	if err != nil {
		return err
	}
	r.Runs += outcome.Runs
	r.Diffs = append(r.Diffs, outcome.Diffs...)
	for _, sensitive := range outcome.Sensitive {
		if options.Strict {
			r.Diffs = append(r.Diffs, sensitive)
			continue
		}
		r.Notes = append(r.Notes, "order-sensitive: "+sensitive)
	}
	return nil
}

func (r Report) fail(err error) Report {
	r.OK, r.Diffs = false, append(r.Diffs, err.Error())
	return r
}

// covering returns the rules for the written order.
func (o Options) covering(story *Story, set *rules.Set) plan.Rules {
	if o.Coverage == nil || set == nil {
		return asRules(set)
	}
	return o.Coverage.of(story, set)
}

// asRules returns no rules where there is no set.
func asRules(set *rules.Set) plan.Rules {
	if set == nil {
		return nil
	}
	return set
}

// ruleSet reads the story's rules; without a pawl.yaml there are none.
func (s *Story) ruleSet() (*rules.Set, error) {
	if s.Rules == nil {
		return nil, nil //nolint:nilnil // no rules
	}
	set, err := rules.Parse("pawl.yaml", s.Rules)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	return set, nil
}
