package rules

import "regexp"

// notifyParams: tell somebody, by a service whose address is a secret.
type notifyParams struct {
	URL   string    `json:"url"`
	Text  template  `json:"text"`
	Title *template `json:"title,omitempty"`
}

func checkNotify(c mutationChecker, e entry) params {
	f, ok := c.fields(e, "url", "text", "title")
	if !ok {
		return nil
	}
	return notifyParams{f.reference(), f.required("text"), f.optional("title")}
}

var referencePattern = regexp.MustCompile(`^(env:[A-Za-z_][A-Za-z0-9_]*|file:\S.*)$`)

// reference reads where the address is. The fault does not quote what is
// written: it may be the secret.
func (f fields) reference() string {
	e, ok := f.keys["url"]
	if !ok {
		f.fault(f.at, "notify: url is missing")
		return ""
	}
	text, ok := f.textOf(e, "notify.url")
	if ok && !referencePattern.MatchString(text.text) {
		f.fault(text.at, "notify.url must say where the address is, env:NAME or file:PATH, and not be the address itself: it is a secret")
		return ""
	}
	return text.text
}

func (p notifyParams) render(v *variables) (any, error) {
	text, err := p.Text.rendered(v, "notify.text")
	if err != nil {
		return nil, err
	}
	title, err := renderOptional("notify.title", p.Title, v)
	if err != nil {
		return nil, err
	}
	return struct {
		URL   string `json:"url"`
		Text  string `json:"text"`
		Title string `json:"title,omitempty"`
	}{p.URL, text, title}, nil
}
