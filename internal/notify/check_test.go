package notify_test

import (
	"net/url"
	"strings"
	"testing"

	"pawl/internal/notify"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, row := range rows {
		if err := notify.Check(row.url); err != nil {
			t.Errorf("Check(%s) = %v", row.url, err)
		}
	}
	cases := map[string]string{ // the url, and what the error says; "" is none
		"https://example.com/hook#" + secret:                         "",
		"https://user:pass@example.com:8443/#" + secret:              "",
		"HTTPS://example.com/#" + secret:                             "",
		"http://10.0.0.1/#" + secret:                                 "", // Send decides: the form is right
		"http://[::1]:80/#" + secret:                                 "",
		"https://xn--bcher-kva.example/#" + secret:                   "",
		"smtp://u:p@mail.example.com:587/?from=a@b.c&to=d@e.f,g@h.i": "",
		"":                                                               "not a url",
		"env:SLACK_URL":                                                  "not a url",
		"hooks.slack.com/services/T0/B0/X0":                              "not a url",
		"//example.com/#" + secret:                                       "not a url",
		"https://exa mple.com/":                                          "not a url",
		"https://example.com:port/":                                      "not a url",
		"ftp://example.com/":                                             "unknown scheme",
		"generic://example.com/":                                         "unknown scheme",
		"logger://":                                                      "unknown scheme",
		"mqtt://example.com/topic":                                       "unknown scheme",
		"slack+https://hooks.slack.com/a/b/c":                            "unknown scheme",
		"https:///path#" + secret:                                        "no host",
		"https://example.com:0/#" + secret:                               "port",
		"https://example.com:99999/#" + secret:                           "port",
		"https://bücher.example/#" + secret:                              "xn--",
		"https://a..b/#" + secret:                                        "not a name",
		"http://2130706433/#" + secret:                                   "four decimal numbers",
		"http://0x7f000001/#" + secret:                                   "four decimal numbers",
		"http://0x7f.0.0.1/#" + secret:                                   "four decimal numbers",
		"http://0177.0.0.1/#" + secret:                                   "four decimal numbers",
		"http://127.1/#" + secret:                                        "four decimal numbers",
		"http://127.0.0.1./#" + secret:                                   "four decimal numbers",
		"http://1.2.3.4.5/#" + secret:                                    "four decimal numbers",
		"http://[fe80::1%25eth0]/#" + secret:                             "zone",
		"https://example.com/":                                           "whsec_",
		"https://example.com/#whsec_c2hvcnQ=":                            "24 to 64 bytes",
		"https://example.com/#" + secret + ",x":                          "24 to 64 bytes",
		"matrix://user:pass@matrix.example.com":                          "access token",
		"slack://":                                                       "slack://hook:PART-PART-PART@webhook",
		"teams://?host=https%3A%2F%2F127.0.0.1%2F":                       "teams://?host=",
		"smtp://mail.example.com/":                                       "smtp://USER",
		"smtp://mail.example.com/?from=a@b.c&to=d@e.f%0d%0aBcc:x@y.z":    "plain addresses",
		"smtp://mail.example.com/?from=a@b.c&to=d@e.f&skiptlsverify=yes": "skiptlsverify",
	}
	for raw, want := range cases {
		err := notify.Check(raw)
		if want == "" {
			if err != nil {
				t.Errorf("Check(%s) = %v", raw, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("Check(%s) took it", raw)
			continue
		}
		if fault := failure(t, err); fault.Verdict != notify.Permanent || !strings.Contains(fault.Error(), want) {
			t.Errorf("Check(%s) = %v, want one with %q", raw, fault, want)
		}
	}
}

// FuzzCheck: no url makes it panic, and no error shows a part of one.
func FuzzCheck(f *testing.F) {
	for _, row := range rows {
		f.Add(row.url)
	}
	f.Add("https://user:hunter2hunter2@example.com/path?query=value#" + secret)
	f.Add("smtp://user:hunter2hunter2@mail.example.com:587/?from=a@b.c&to=d@e.f")
	f.Add("matrix://user:pass@matrix.example.com")
	f.Fuzz(func(t *testing.T, raw string) {
		err := notify.Check(raw)
		if err == nil {
			return
		}
		fault := failure(t, err)
		if fault.Verdict != notify.Permanent {
			t.Errorf("verdict %s, want permanent", fault.Verdict)
		}
		known := strings.Join(notify.Schemes(), ", ") + notify.FormOf(fault.Target) + fault.Target
		for _, part := range parts(raw) {
			if len(part) >= 8 && strings.Contains(fault.Error(), part) && !strings.Contains(constants+known, part) {
				t.Errorf("%q shows %q", fault, part)
			}
		}
	})
}

// constants are the words of the errors, which a url may have, too.
const constants = "notify permanent: the url has not the form smtp://USER:PASSWORD@HOST:587/?from=ADDRESS&to=ADDRESS,ADDRESS " +
	"not offered password access token certificate skiptlsverify addresses plain"

func parts(raw string) []string {
	all := strings.FieldsFunc(raw, func(r rune) bool { return strings.ContainsRune(":/?#@&=,. ", r) })
	if at, err := url.Parse(raw); err == nil {
		all = append(all, at.Path, at.RawQuery, at.Fragment, at.Host, at.User.String())
	}
	return all
}
