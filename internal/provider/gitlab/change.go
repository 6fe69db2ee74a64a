package gitlab

import (
	"slices"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// changes are the fields that an update changed. GitLab sends more: times, and
// who edited last. They name no change of their own.
type changes struct {
	Title        payload.Present          `json:"title"`
	Description  payload.Present          `json:"description"`
	TargetBranch payload.Present          `json:"target_branch"`
	Draft        *change[bool]            `json:"draft"`
	Labels       *change[[]*label]        `json:"labels"`
	Assignees    *change[[]*user]         `json:"assignees"`
	Reviewers    *change[[]*user]         `json:"reviewers"`
	MilestoneID  *change[payload.Present] `json:"milestone_id"`
	AutoMerge    *change[bool]            `json:"merge_when_pipeline_succeeds"`
	Locked       *change[bool]            `json:"discussion_locked"`
}

// change is one field before and after.
type change[T any] struct {
	Previous T `json:"previous"`
	Current  T `json:"current"`
}

// wording is a change in the words of schemas.PullRequestSnapshot.
type wording struct {
	word    string
	touched string
	edited  []string
}

// change says what a payload changed, in GitHub's words. An approval changes
// nothing of the snapshot, and a system hook does not say what it changed.
func (p *mergeRequestPayload) change(action string) wording {
	switch action {
	case "open":
		return wording{word: "opened"}
	case "close", "merge":
		return wording{word: "closed"}
	case "reopen":
		return wording{word: "reopened"}
	case "update":
		return p.update()
	}
	return wording{word: schemas.ChangeUnknown}
}

// update says what an update changed. One that changed several things, or that
// names nothing we know, is a change without a word.
func (p *mergeRequestPayload) update() wording {
	var found []wording
	if p.isPush() {
		found = append(found, wording{word: "synchronize", touched: payload.Clean(p.Attributes.OldRevision)})
	}
	for _, read := range []func(*changes) []wording{
		(*changes).labels, (*changes).texts, (*changes).draft, (*changes).assignees,
		(*changes).reviewers, (*changes).milestone, (*changes).autoMerge, (*changes).locked,
	} {
		found = append(found, read(&p.Changes)...)
	}
	if len(found) != 1 {
		return wording{word: schemas.ChangeUnknown}
	}
	return found[0]
}

// isPush reports whether the head moved: oldrev is the head before, and is there
// only then.
func (p *mergeRequestPayload) isPush() bool {
	return p.Attributes.OldRevision != "" && p.Attributes.OldRevision != p.Attributes.head().Value
}

func (c *changes) labels() []wording {
	if c.Labels == nil {
		return nil
	}
	added, removed := difference(c.Labels, (*label).name)
	switch {
	case len(added) == 1 && len(removed) == 0:
		return []wording{{word: "labeled", touched: added[0]}}
	case len(added) == 0 && len(removed) == 1:
		return []wording{{word: "unlabeled", touched: removed[0]}}
	}
	return []wording{{word: "labeled"}}
}

// texts are the fields of an edit. A draft's title changes with the draft.
func (c *changes) texts() []wording {
	var fields []string
	if bool(c.Title) && !c.draftChanged() {
		fields = append(fields, "title")
	}
	if c.Description {
		fields = append(fields, "body")
	}
	if c.TargetBranch {
		fields = append(fields, "base")
	}
	if fields == nil {
		return nil
	}
	return []wording{{word: "edited", edited: fields}}
}

func (c *changes) draftChanged() bool { return c.Draft != nil && c.Draft.Previous != c.Draft.Current }

func (c *changes) draft() []wording {
	if !c.draftChanged() {
		return nil
	}
	return either(c.Draft.Current, "converted_to_draft", "ready_for_review")
}

func (c *changes) assignees() []wording {
	if c.Assignees == nil {
		return nil
	}
	added, _ := difference(c.Assignees, (*user).name)
	return either(len(added) > 0, "assigned", "unassigned")
}

// reviewers says who was asked, or no longer is. A change of what a reviewer said
// is none of the list.
func (c *changes) reviewers() []wording {
	if c.Reviewers == nil {
		return nil
	}
	added, removed := difference(c.Reviewers, (*user).name)
	switch {
	case len(added) == 0 && len(removed) == 0:
		return []wording{{word: schemas.ChangeUnknown}}
	case len(added) == 0 && len(removed) == 1:
		return []wording{{word: "review_request_removed", touched: removed[0]}}
	case len(added) == 0:
		return []wording{{word: "review_request_removed"}}
	case len(added) == 1 && len(removed) == 0:
		return []wording{{word: "review_requested", touched: added[0]}}
	}
	return []wording{{word: "review_requested"}}
}

func (c *changes) milestone() []wording {
	if c.MilestoneID == nil {
		return nil
	}
	return either(bool(c.MilestoneID.Current), "milestoned", "demilestoned")
}

func (c *changes) autoMerge() []wording {
	if c.AutoMerge == nil {
		return nil
	}
	return either(c.AutoMerge.Current, "auto_merge_enabled", "auto_merge_disabled")
}

func (c *changes) locked() []wording {
	if c.Locked == nil {
		return nil
	}
	return either(c.Locked.Current, "locked", "unlocked")
}

func either(condition bool, yes, no string) []wording {
	if condition {
		return []wording{{word: yes}}
	}
	return []wording{{word: no}}
}

// difference returns the names that a change added and removed, sorted.
func difference[T any](c *change[[]*T], nameOf func(*T) string) (added, removed []string) {
	before := payload.Names(c.Previous, nameOf).Value
	after := payload.Names(c.Current, nameOf).Value
	return missingFrom(before, after), missingFrom(after, before)
}

// missingFrom returns those of names that the sorted list lacks.
func missingFrom(list, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, there := slices.BinarySearch(list, name)
		return there
	})
}
