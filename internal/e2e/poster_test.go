package e2e_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"pawl/internal/fakegithub"
)

// poster sends deliveries as the provider does, and keeps which of them were
// acknowledged: what the program may never lose.
type poster struct {
	url    string
	client *http.Client

	mu       sync.Mutex // guards the rest
	answered map[string]int
	total    int
}

func newPoster(url string) *poster {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	return &poster{
		url: url, client: &http.Client{Transport: transport, Timeout: 15 * time.Second}, answered: make(map[string]int),
	}
}

var errRefused = errors.New("refused")

// once posts a delivery once.
func (p *poster) once(ctx context.Context, hook fakegithub.Webhook) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(hook.Body))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(webhookKey))
	mac.Write(hook.Body)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-GitHub-Event", hook.Event)
	request.Header.Set("X-GitHub-Delivery", hook.ID)
	request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		answer, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return fmt.Errorf("%w: %s %s", errRefused, response.Status, answer)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered[hook.ID]++
	p.total++
	return nil
}

// untilTaken posts a delivery until it is acknowledged, as a provider's
// redelivery does.
func (p *poster) untilTaken(ctx context.Context, hook fakegithub.Webhook) {
	for ctx.Err() == nil && p.once(ctx, hook) != nil {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// connections is how many deliveries are posted at a time.
const connections = 8

// all posts deliveries in their order from several connections at a time, and
// returns when each was acknowledged. It calls half before it hands over the
// second half of them.
func (p *poster) all(ctx context.Context, hooks []fakegithub.Webhook, half func()) {
	queue := make(chan fakegithub.Webhook)
	var posting sync.WaitGroup
	for range connections {
		posting.Go(func() {
			for hook := range queue {
				p.untilTaken(ctx, hook)
			}
		})
	}
	for n, hook := range hooks {
		if n == len(hooks)/2 {
			half()
		}
		queue <- hook
	}
	close(queue)
	posting.Wait()
}

// acknowledged returns the ids that were answered with 2xx, and how often.
func (p *poster) acknowledged() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	copied := make(map[string]int, len(p.answered))
	for id, times := range p.answered {
		copied[id] = times
	}
	return copied
}

// count returns how many posts were acknowledged.
func (p *poster) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total
}
