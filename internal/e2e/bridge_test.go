package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pawl/internal/fakegithub"
	"pawl/internal/fakelinear"
	"pawl/internal/provider/webhook"
	"pawl/internal/sign"
)

const (
	linearKey    = "lin_api_e2e_key"
	linearSecret = "e2e linear secret"
)

var bothWays = ruleSet{listens: []string{"comment_created", "comment_edited", "comment_removed"}, yaml: `rules:
  - name: bridge
    on: [comment_created, comment_edited, comment_removed]
    mutate: {bridge_comment: {body: "{{comment.author}}: {{comment.body}}"}}
`}

// TestCases16And19_BridgeBothWays: a comment on each side has one mirror on the
// other, also where its creation comes twice within 3 ms, where the first tries
// fail, and where the echo of the mirror is there before the answer to the call
// that made it. Edits edit, removals remove, and no echo is mirrored.
func TestCases16And19_BridgeBothWays(t *testing.T) {
	t.Parallel()
	onEachBroker(t, func(t *testing.T, b broker) { //nolint:thelper // a test, not a helper
		w, hooks := newBridgeWorld(t, b)
		w.start("ingest", "ingest")
		w.start("projector", "projector")
		w.start("actuator 1", "actuator")
		w.start("actuator 2", "actuator")
		number := w.github.Open(repository, fakegithub.PullRequest{Author: "ann", Title: "ENG-5: add a pawl"})
		w.post(w.lived())
		eventually(t, 30*time.Second, "the link is folded", func() error { return w.rowsAre(`select count(*) from pawl.issue_link`, 1) })

		// Case 19: the first tries fail; case 16: the answer to the one that does not
		// comes after the echo.
		for range 2 {
			w.github.Fail(fakegithub.Fault{Method: http.MethodPost, Path: "/comments", Status: http.StatusBadGateway})
		}
		made := w.holdComment()
		theirs := w.linear.Comment("ENG-5", "Ada", "hello")
		w.twice(<-hooks)
		made.wait()
		w.post(w.lived()) // the echo
		eventually(t, 30*time.Second, "the echo is folded", func() error {
			return w.rowsAre(`select count(*) from pawl.comment where kind = 'conversation'`, 1)
		})
		made.release()
		ours := w.github.Comment(repository, number, "ann", "looks good")
		go w.forward()
		go func() {
			for hook := range hooks {
				w.toLinear(hook)
			}
		}()
		w.awaitTexts(number, []string{"Ada: hello", "looks good"}, []string{"hello", "ann: looks good"})

		w.linear.Edit(theirs, "Ada", "hello all")
		w.github.EditComment(repository, number, ours, "ann", "looks very good")
		w.awaitTexts(number, []string{"Ada: hello all", "looks very good"}, []string{"hello all", "ann: looks very good"})

		w.linear.Remove(theirs, "Ada")
		w.github.RemoveComment(repository, number, ours, "ann")
		w.awaitTexts(number, nil, nil)
		eventually(t, 60*time.Second, "everything is settled", func() error {
			return w.rowsAre(`select count(*) from pawl.mutation where state not in ('done', 'skipped')`, 0)
		})
		w.checkMirrorsMade()
	})
}

// checkMirrorsMade: one comment of ours was made on each side.
func (w *world) checkMirrorsMade() {
	w.t.Helper()
	at := map[string]int{}
	for _, effect := range w.github.EffectsBy(login) {
		at["github "+string(effect.Kind)]++
	}
	for _, effect := range w.linear.EffectsBy("Pawl") {
		at["linear "+effect.Kind]++
	}
	made := at["github "+string(fakegithub.CommentCreated)] == 1 && at["linear "+fakelinear.Created] == 1
	removed := at["github "+string(fakegithub.CommentDeleted)] == 1 && at["linear "+fakelinear.Deleted] == 1
	if !made || !removed {
		w.t.Errorf("effects of ours: %v, want one creation and one removal on each side", at)
	}
}

// newBridgeWorld is a world with a Linear, and the deliveries that it makes.
func newBridgeWorld(t *testing.T, b broker) (*world, chan []byte) {
	t.Helper()
	hooks := make(chan []byte, 1000)
	fake := fakelinear.New(fakelinear.Config{Authorization: linearKey, Name: "Pawl", Tell: func(body []byte) { hooks <- body }})
	fake.AddIssue("ENG-5")
	w := newWorld(t, b, bothWays, withLinear(fake))
	return w, hooks
}

// twice posts a delivery twice, 3 ms apart.
func (w *world) twice(body []byte) {
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		time.Sleep(3 * time.Millisecond)
		w.toLinear(body)
	}()
	w.toLinear(body)
	<-posted
}

// toLinear posts a delivery of Linear until it is answered 200.
func (w *world) toLinear(body []byte) {
	for w.t.Context().Err() == nil {
		header := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Linear-Event": {"Comment"}}
		header.Set("Linear-Delivery", fmt.Sprintf("%x", sha256.Sum256(body)))
		if err := sign.Sign("linear", webhook.Delivery{Header: header, Raw: body}, []byte(linearSecret)); err != nil {
			w.t.Error(err)
			return
		}
		request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, "http://"+w.webhooks+"/webhooks/linear", bytes.NewReader(body))
		if err != nil {
			return
		}
		request.Header = header
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// awaitTexts waits until both sides show these comments, without their markers.
func (w *world) awaitTexts(number int, atGitHub, atLinear []string) {
	w.t.Helper()
	eventually(w.t, 60*time.Second, "both sides show the same", func() error {
		var github, linear []string
		for _, comment := range w.github.Comments(repository, number) {
			text, _, _ := strings.Cut(comment.Body, "\n\n<!--")
			github = append(github, text)
		}
		for _, comment := range w.linear.Comments("ENG-5") {
			linear = append(linear, comment.Body)
		}
		if !slices.Equal(github, atGitHub) || !slices.Equal(linear, atLinear) {
			return fmt.Errorf("GitHub shows %q, Linear shows %q", github, linear)
		}
		return nil
	})
}

func (w *world) rowsAre(sql string, want int) error {
	var got int
	if err := w.pool.QueryRow(w.t.Context(), sql).Scan(&got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%s: %d, want %d", sql, got, want)
	}
	return nil
}
