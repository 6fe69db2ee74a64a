package rules

import (
	"fmt"
)

// mergeMethod is how to merge.
type mergeMethod string

const (
	methodMerge  mergeMethod = "merge"
	methodSquash mergeMethod = "squash"
	methodRebase mergeMethod = "rebase"
)

// mergeParams: merge the pull request at the head that was decided about.
type mergeParams struct {
	Method  mergeMethod `json:"method"`
	Title   *template   `json:"title,omitempty"`
	Message *template   `json:"message,omitempty"`
	// Queue: where the branch demands a merge queue, it is put into it.
	Queue bool `json:"queue"`
	// AutoMerge: where requirements are not met yet, the provider is to merge
	// once they are.
	AutoMerge bool `json:"auto_merge"`
}

func checkMerge(c mutationChecker, e entry) params {
	merge := mergeParams{Method: methodMerge, Queue: true}
	if c.isNothing(e) {
		return merge
	}
	f, ok := c.fields(e, "method", "title", "message", "queue", "auto_merge")
	if !ok {
		return nil
	}
	if f.has("method") {
		merge.Method = parseWord(c.checker, f.keys["method"], "merge.method", methodMerge, methodSquash, methodRebase)
	}
	merge.Title = f.mergeText("title", merge.Method)
	merge.Message = f.mergeText("message", merge.Method)
	merge.Queue = f.flag("queue", true)
	merge.AutoMerge = f.flag("auto_merge", false)
	return merge
}

// mergeText reads title or message of the commit that the merge makes.
func (f fields) mergeText(key string, method mergeMethod) *template {
	if f.has(key) && method == methodRebase {
		f.fault(f.keys[key].at, "merge: a rebase makes no commit and takes no %s", key)
	}
	return f.optional(key)
}

// render names the head that was decided about: the provider refuses to merge
// another one (I10).
func (p mergeParams) render(v *variables) (any, error) {
	sha, err := v.headSHA()
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	title, err := renderOptional("merge.title", p.Title, v)
	if err != nil {
		return nil, err
	}
	message, err := renderOptional("merge.message", p.Message, v)
	if err != nil {
		return nil, err
	}
	return struct {
		Method    mergeMethod `json:"method"`
		SHA       string      `json:"sha"`
		Title     string      `json:"title,omitempty"`
		Message   string      `json:"message,omitempty"`
		Queue     bool        `json:"queue"`
		AutoMerge bool        `json:"auto_merge"`
	}{p.Method, sha, title, message, p.Queue, p.AutoMerge}, nil
}
