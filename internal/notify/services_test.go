package notify_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pawl/internal/notify"
)

type row struct {
	url     string
	secrets []string
	host    string
	answer  string
}

// rows are the services, each with a url, what of it is secret, who is called,
// and what the service says when it is content.
var rows = []row{
	{"bark://:devicekey123@bark.example.com", []string{"devicekey123"}, "bark.example.com", `{"code":200}`},
	{"discord://tokentoken123@693853386302554172", []string{"tokentoken123", "693853386302554172"}, "discord.com", ``},
	{"googlechat://chat.googleapis.com/v1/spaces/FOOFOO/messages?key=keykeykey&token=tokentoken", []string{"FOOFOO", "keykeykey", "tokentoken"}, "chat.googleapis.com", `{}`},
	{"gotify://gotify.example.com/Aaa.bbb.ccc.ddd", []string{"Aaa.bbb.ccc.ddd"}, "gotify.example.com", `{"id":1}`},
	{"hangouts://chat.googleapis.com/v1/spaces/FOOFOO/messages?key=keykeykey&token=tokentoken", []string{"FOOFOO", "keykeykey", "tokentoken"}, "chat.googleapis.com", `{}`},
	{"ifttt://makerkey123/?events=deploy", []string{"makerkey123"}, "maker.ifttt.com", ``},
	{"join://shoutrrr:apikey123@join/?devices=dev123", []string{"apikey123", "dev123"}, "joinjoaomgcd.appspot.com", ``},
	{"lark://open.larksuite.com/token123?secret=secret123", []string{"token123", "secret123"}, "open.larksuite.com", `{"code":0}`},
	{"matrix://:access123@matrix.example.com/?rooms=!room123:matrix.example.com", []string{"access123", "room123"}, "matrix.example.com", `{"event_id":"e","room_id":"!room123:matrix.example.com","joined_rooms":["!room123:matrix.example.com"]}`},
	{"mattermost://chat.example.com/token123/channel123", []string{"token123", "channel123"}, "chat.example.com", `ok`},
	{"notifiarr://apikey123?channel=123456789", []string{"apikey123"}, "notifiarr.com", `{}`},
	{"ntfy://user123:pass123@ntfy.example.com/topic123", []string{"user123", "pass123", "topic123"}, "ntfy.example.com", `{}`},
	{"opsgenie://api.opsgenie.com/eb243592-faa2-4ba2-a551q-1afdf565c889", []string{"eb243592"}, "api.opsgenie.com:443", `{}`},
	{"pagerduty://events.pagerduty.com/eb243592faa24ba2a5511afdf565c889", []string{"eb243592"}, "events.pagerduty.com:443", `{}`},
	{"pushbullet://tokentokentokentokentokentokentoke/device123", []string{"tokentoken", "device123"}, "api.pushbullet.com", `{"type":"note","body":"api is down","title":"Status","active":true}`},
	{"pushover://shoutrrr:apptoken123@userkey123", []string{"apptoken123", "userkey123"}, "api.pushover.net", `{"status":1}`},
	{"rocketchat://chat.example.com/tokena123/tokenb123/channel123", []string{"tokena123", "tokenb123"}, "chat.example.com", ``},
	{"signal://user123:pass123@signal.example.com/+1234567890/+0987654321", []string{"user123", "pass123", "1234567890", "0987654321"}, "signal.example.com:8080", `{"timestamp":"1"}`},
	{"signalgrid://clientkey123@channel123", []string{"clientkey123", "channel123"}, "api.signalgrid.co", `{"ok":true}`},
	{"slack://hook:WNA3PBYV6-F20DUQND3RQ-Webc4MAvoacrpPakR8phF0zi@webhook", []string{"WNA3PBYV6", "F20DUQND3RQ", "Webc4MAvoacrpPakR8phF0zi"}, "hooks.slack.com", `ok`},
	{"slack://xoxb:123456789012-1234567890123-4mt0t4l1YL3g1T5L4cK70k3N@C001CH4NN3L", []string{"123456789012", "4mt0t4l1YL3g1T5L4cK70k3N", "C001CH4NN3L"}, "slack.com", `{"ok":true}`},
	{"teams://?host=https%3A%2F%2Fprod-00.westus.logic.azure.com%3A443%2Fworkflows%2Fabc123def%2Ftriggers%2Fmanual%2Fpaths%2Finvoke%3Fapi-version%3D2016-06-01%26sp%3D%252Ftriggers%252Fmanual%252Frun%26sv%3D1.0%26sig%3DSIGSIGSIG", []string{"abc123def", "SIGSIGSIG"}, "prod-00.westus.logic.azure.com:443", ``},
	{"telegram://12345:mocktoken-mocktoken@telegram/?chats=channel123", []string{"mocktoken", "channel123"}, "api.telegram.org", `{"ok":true,"result":{}}`},
	{"twilio://ACXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX:authToken123@+15551234567/+15559876543", []string{"ACXXXXXXXX", "authToken123", "5551234567", "5559876543"}, "api.twilio.com", `{}`},
	{"wecom://693axxx6-7aoc-4bc4-97a0-0ec2sifa5aaa", []string{"693axxx6"}, "qyapi.weixin.qq.com", `{"errcode":0}`},
	{"zulip://bot123%40example.com:secretkey123@zulip.example.com?stream=general&topic=builds", []string{"bot123", "secretkey123"}, "zulip.example.com", `{"result":"success"}`},
}

func TestServices_TableHasEach(t *testing.T) {
	t.Parallel()
	var missing []string
	for _, scheme := range notify.Schemes() {
		if !slices.ContainsFunc(rows, func(r row) bool { return strings.HasPrefix(r.url, scheme+"://") }) {
			missing = append(missing, scheme)
		}
	}
	if want := []string{"http", "https", "smtp"}; !slices.Equal(missing, want) {
		t.Errorf("schemes without a row: %v, want those of their own tests: %v", missing, want)
	}
}

// TestServices_Send: each service calls through the guarded client, under the
// host that is expected, and its message arrives.
func TestServices_Send(t *testing.T) {
	t.Parallel()
	for _, row := range rows {
		scheme, _, _ := strings.Cut(row.url, ":")
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
				if scheme == "pagerduty" {
					w.WriteHeader(http.StatusAccepted)
				}
				if scheme == "twilio" {
					w.WriteHeader(http.StatusCreated)
				}
				fmt.Fprint(w, row.answer)
			})
			sender := newSender(t, loopback())
			sender.Reroute(r.address())
			if err := sender.Send(t.Context(), row.url, message); err != nil {
				t.Fatalf("Send() = %v\n%+v", err, r.requests())
			}
			requests := r.requests()
			if last := requests[len(requests)-1]; last.host != row.host {
				t.Errorf("called %s, want %s", last.host, row.host)
			}
			all := fmt.Sprint(requests)
			for _, want := range []string{"api", "down", "Status"} {
				if !strings.Contains(all, want) {
					t.Errorf("%q is in no request: %s", want, all)
				}
			}
		})
	}
}

// TestServices_Failures: what becomes of an attempt is read from the exchange,
// at the first answer, without waiting; and the url shows nowhere.
func TestServices_Failures(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	cases := []struct {
		name    string
		answer  http.HandlerFunc
		verdict notify.Verdict
		retryIn time.Duration
	}{
		{"forbidden", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no "+r.URL.String(), http.StatusForbidden)
		}, notify.Permanent, 0},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusTemporaryRedirect)
		}, notify.Permanent, 0},
		{"limited", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusTooManyRequests)
		}, notify.Later, 30 * time.Second},
		{"unavailable", status(http.StatusServiceUnavailable), notify.Unknown, 0},
		{"closes", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, notify.Unknown, 0},
		{"hangs", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}, notify.Unknown, 0},
	}
	for _, row := range rows {
		scheme, _, _ := strings.Cut(row.url, ":")
		for _, c := range cases {
			t.Run(scheme+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				r := newReceiver(t, c.answer)
				config := loopback()
				config.Timeout = 20 * time.Second
				if c.name == "hangs" {
					config.Timeout = 200 * time.Millisecond
				}
				sender := newSender(t, config)
				sender.Reroute(r.address())
				begun := time.Now()
				fault := failure(t, sender.Send(t.Context(), row.url, message))
				if fault.Verdict != c.verdict {
					t.Errorf("verdict %s, want %s: %v", fault.Verdict, c.verdict, fault)
				}
				if wait := fault.RetryAt.Sub(begun); c.retryIn > 0 && (wait < c.retryIn || wait > c.retryIn+20*time.Second) {
					t.Errorf("again in %s, want %s", wait, c.retryIn)
				}
				if took := time.Since(begun); took > 15*time.Second {
					t.Errorf("took %s: the service waited by itself", took)
				}
				if want := "https://" + row.host; fault.Target != want && fault.Target != "http://"+row.host {
					t.Errorf("target %q, want %q", fault.Target, want)
				}
				noSecret(t, fault, row.secrets)
				if c.verdict != notify.Permanent && len(r.requests()) != 1 {
					t.Errorf("%d requests, want 1: the caller tries again", len(r.requests()))
				}
			})
		}
	}
}

func noSecret(t *testing.T, err error, secrets []string) {
	t.Helper()
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%q shows %q", text, secret)
			}
		}
	}
}

// TestServices_MalformedShowsNothing: a url that its service does not take is a
// permanent failure that names the form and nothing of the url.
func TestServices_MalformedShowsNothing(t *testing.T) {
	t.Parallel()
	for _, scheme := range notify.Schemes() {
		for _, rest := range []string{"://hunter2:hunter2hunter2@hunter2/hunter2?hunter2=hunter2#hunter2", "://", ":hunter2", "://?hunter2=%zz", "://hunter2:hunter2@[hunter2"} {
			if err := notify.Check(scheme + rest); err != nil {
				if fault := failure(t, err); fault.Verdict != notify.Permanent {
					t.Errorf("%s: verdict %s, want permanent", scheme, fault.Verdict)
				}
				noSecret(t, err, []string{"hunter2"})
			}
		}
	}
}

// TestServices_KeyedServicesKnowAMessageAgain: where a service has a key of its
// own, the message's key is it, unless the url says another.
func TestServices_KeyedServicesKnowAMessageAgain(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"opsgenie://api.opsgenie.com/key123":                                               `"alias":"` + key + `"`,
		"opsgenie://api.opsgenie.com/key123?alias=mine":                                    `"alias":"mine"`,
		"pagerduty://events.pagerduty.com/eb243592faa24ba2a5511afdf565c889":                `"dedup_key":"` + key + `"`,
		"pagerduty://events.pagerduty.com/eb243592faa24ba2a5511afdf565c889?dedup_key=mine": `"dedup_key":"mine"`,
	} {
		r := newReceiver(t, status(http.StatusAccepted))
		sender := newSender(t, loopback())
		sender.Reroute(r.address())
		if err := sender.Send(t.Context(), url, message); err != nil {
			t.Errorf("%s: %v", url, err)
		}
		if got := r.requests(); len(got) != 1 || !strings.Contains(got[0].body, want) {
			t.Errorf("%s: got %v, want %s in it", url, got, want)
		}
	}
}

// TestServices_RefusedInTheAnswer: Slack says no in a 200.
func TestServices_RefusedInTheAnswer(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"ok":false,"error":"channel_not_found"}`: "(channel_not_found)",
		`{"ok":false,"error":"hook_secret_word"}`:  "the message is refused",
		`{"ok":false,"error":"Bearer xoxb-1234"}`:  "the message is refused",
	} {
		r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
		sender := newSender(t, loopback())
		sender.Reroute(r.address())
		url := "slack://xoxb:123456789012-1234567890123-4mt0t4l1YL3g1T5L4cK70k3N@C001CH4NN3L?botname=hook_secret_word"
		fault := failure(t, sender.Send(t.Context(), url, message))
		if fault.Verdict != notify.Permanent || !strings.HasSuffix(fault.Reason, want) {
			t.Errorf("%s: got %s, %v, want permanent, … %s", body, fault.Verdict, fault, want)
		}
	}
}
