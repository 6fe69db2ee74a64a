package actuator

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// answerError is a refusal by a provider that is not GitHub: an answer that is
// no success, with what it means. The transport makes it, before a client
// library can drop the half of it.
type answerError struct {
	method, path string
	status       int // 0: it is ours, and has a message alone
	message      string

	verdict verdict
	wait    time.Duration // of limited
	refusal refusal
}

func (e *answerError) Error() string {
	if e.status == 0 {
		return e.message
	}
	text := fmt.Sprintf("%s %s: %d", e.method, e.path, e.status)
	if e.message == "" {
		return text + " " + http.StatusText(e.status)
	}
	return text + " " + e.message
}

func (e *answerError) is(status ...int) bool { return slices.Contains(status, e.status) }

func (e *answerError) says(part string) bool {
	return strings.Contains(strings.ToLower(e.message), part)
}

// answerOf returns the refusal that an error carries, nil where there is none.
func answerOf(err error) *answerError {
	var answer *answerError
	errors.As(err, &answer)
	return answer
}

// answerFailure classifies the refusals of providers that are not GitHub.
func answerFailure(err error) (failure, bool) {
	answer := answerOf(err)
	if answer == nil {
		return failure{}, false
	}
	if answer.verdict == limited {
		return limitedFor(err, answer.wait), true
	}
	return failure{verdict: answer.verdict, err: err}, true
}

// newAnswerError reads an answer that is no success, and gives it the meaning
// that its status has at all of them. A provider that knows better says so.
func newAnswerError(response *http.Response) *answerError {
	start := peekBody(response)
	_ = response.Body.Close()
	request := response.Request
	answer := &answerError{
		method: request.Method, path: request.URL.Path, status: response.StatusCode, message: messageOf(start),
		verdict: permanent,
	}
	switch read := isRead(request); {
	case answer.status == http.StatusTooManyRequests:
		answer.verdict, answer.wait = limited, cmp.Or(waitIn(response.Header), secondaryPause)
	case answer.status >= http.StatusInternalServerError && read, answer.is(http.StatusRequestTimeout), answer.status/100 == 3:
		answer.verdict = transient
	case answer.status >= http.StatusInternalServerError:
		answer.verdict = unknown
	case answer.status == http.StatusUnauthorized && read:
		// A token is being rotated. Of a call that changes it means that the
		// account may not: the same token has just read.
		answer.verdict = transient
	case answer.status == http.StatusConflict:
		answer.verdict = gone
	}
	return answer
}

// waitIn reads how long to wait, zero where no header says it.
func waitIn(header http.Header) time.Duration {
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); err == nil {
		return time.Duration(seconds)*time.Second + resetSlack
	}
	if reset, err := strconv.ParseInt(header.Get("Ratelimit-Reset"), 10, 64); err == nil {
		return max(time.Until(time.Unix(reset, 0))+resetSlack, resetSlack)
	}
	return 0
}

// maxMessage bounds what is kept of a provider's message.
const maxMessage = 300

// messageOf finds what an answer says in the shapes that GitLab and Gitea use:
// message as a text, a list, or texts by field; or error, with error_description.
func messageOf(body []byte) string {
	var said struct {
		Message     any    `json:"message"`
		Error       any    `json:"error"`
		Description string `json:"error_description"`
		Scope       string `json:"scope"`
	}
	if json.Unmarshal(body, &said) != nil {
		return plainMessage(body)
	}
	texts := append(textsIn(said.Message), textsIn(said.Error)...)
	if said.Description != "" {
		texts = append(texts, said.Description)
	}
	if said.Scope != "" {
		texts = append(texts, "scope needed: "+said.Scope)
	}
	return shortened(strings.Join(texts, ": "))
}

// plainMessage is what a proxy says, unless it is a page.
func plainMessage(body []byte) string {
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") || !utf8.ValidString(text) {
		return ""
	}
	return shortened(text)
}

func shortened(text string) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), maxMessage)])
}

func textsIn(value any) []string {
	switch value := value.(type) {
	case string:
		if value != "" {
			return []string{value}
		}
	case []any:
		var texts []string
		for _, one := range value {
			texts = append(texts, textsIn(one)...)
		}
		return texts
	case map[string]any:
		var texts []string
		for name, one := range value {
			texts = append(texts, name+" "+strings.Join(textsIn(one), ", "))
		}
		slices.Sort(texts)
		return texts
	}
	return nil
}
