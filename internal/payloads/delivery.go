package payloads

import (
	"fmt"
	"net/http"

	"pawl/internal/provider/webhook"
)

// Delivery returns the sample as its provider sends it under an id, but for the
// proof. A real delivery carries more headers than those that are read, Gitea's
// those of GitHub too; they are here, for what must not look at them. Where a
// header names the host that sends, it is the instance.
func (s Sample) Delivery(id, instance string) (webhook.Delivery, error) {
	var headers [][2]string
	switch s.Forge() {
	case GitHub:
		headers = githubHeaders(githubEvent(s.body), id)
	case GitLab:
		headers = gitlabHeaders(gitlabEvent(s.Name, s.body), id, instance)
	case Gitea:
		headers = giteaHeaders(giteaType(s.Name, s.body), id)
	case Bitbucket:
		headers = [][2]string{
			{"X-Event-Key", bitbucketKey(s.Name, s.body)},
			{"X-Request-UUID", id},
			{"X-Hook-UUID", "hook-1"},
			{"X-Attempt-Number", "1"},
			{"User-Agent", "Bitbucket-Webhooks/2.0"},
		}
	case BitbucketServer:
		headers = [][2]string{{"X-Event-Key", bitbucketKey(s.Name, s.body)}, {"X-Request-Id", id}}
	case Linear:
		headers = [][2]string{{"Linear-Event", s.body.text("type")}, {"Linear-Delivery", id}, {"User-Agent", "Linear-Webhook"}}
	case Statuspage:
		headers = [][2]string{{"User-Agent", statuspageAgent(s.body)}}
	}
	made := webhook.Delivery{Header: make(http.Header), Raw: s.Body, ContentType: string(webhook.JSON), Instance: instance}
	made.Header.Set("Content-Type", made.ContentType)
	for _, header := range headers {
		if header[1] == "" {
			return webhook.Delivery{}, fmt.Errorf("%s: nothing tells its %s", s.Name, header[0])
		}
		made.Header.Set(header[0], header[1])
	}
	if len(headers) == 0 {
		return webhook.Delivery{}, fmt.Errorf("%s: no provider reads it", s.Name)
	}
	return made, nil
}

// statuspageAgent is the sender's name, for a body of one of its two shapes.
func statuspageAgent(body fields) string {
	if body.has("page", "incident") || body.has("page", "component_update") {
		return "Statuspage"
	}
	return ""
}

func githubHeaders(event, id string) [][2]string {
	return [][2]string{
		{"X-GitHub-Event", event},
		{"X-GitHub-Delivery", id},
		{"X-GitHub-Hook-ID", "1"},
		{"X-GitHub-Hook-Installation-Target-Type", "repository"},
		{"X-GitHub-Hook-Installation-Target-ID", "1"},
		{"User-Agent", "GitHub-Hookshot/1"},
	}
}

// gitlabHeaders has the two UUIDs of each delivery, which are no identities.
func gitlabHeaders(event, id, instance string) [][2]string {
	return [][2]string{
		{"X-Gitlab-Event", event},
		{"Idempotency-Key", id},
		{"X-Gitlab-Instance", "https://" + instance},
		{"X-Gitlab-Webhook-UUID", "webhook-1"},
		{"X-Gitlab-Event-UUID", "event-1"},
		{"User-Agent", "GitLab/18"},
	}
}

// giteaHeaders has each header three times, as Gitea sends them
// (services/webhook).
func giteaHeaders(kind, id string) [][2]string {
	var headers [][2]string
	for _, family := range []string{"X-Gitea", "X-Gogs", "X-GitHub"} {
		headers = append(headers, [][2]string{
			{family + "-Event", giteaEvent(kind)}, {family + "-Event-Type", kind}, {family + "-Delivery", id},
		}...)
	}
	return headers
}
