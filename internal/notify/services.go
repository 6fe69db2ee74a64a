package notify

import (
	"net/url"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/discord"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/googlechat"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/lark"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/matrix"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/mattermost"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/rocketchat"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/signal"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/slack"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/teams"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/telegram"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/wecom"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/zulip"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/incident/opsgenie"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/incident/pagerduty"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/bark"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/gotify"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ifttt"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/join"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ntfy"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushbullet"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushover"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/signalgrid"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/sms/twilio"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/specialized/notifiarr"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

// client is a service that sees the network through the client it is given.
type client interface {
	types.Service
	types.HTTPClientSetter
}

// service is one of the library's.
type service struct {
	// form shows what a url looks like.
	form string
	make func() client
	// titled services show a title of their own, of any length.
	titled bool
	// keyed is the parameter by which the service knows a message again, or "".
	keyed string
}

//nolint:gochecknoglobals // a constant table; Go has no constant maps
var services = map[string]service{
	"bark":       {form: "bark://:DEVICE_KEY@HOST", make: func() client { return &bark.Service{} }, titled: true},
	"discord":    {form: "discord://TOKEN@WEBHOOK_ID", make: newDiscord, titled: true},
	"googlechat": {form: "googlechat://chat.googleapis.com/v1/spaces/SPACE/messages?key=KEY&token=TOKEN", make: newGoogleChat},
	"gotify":     {form: "gotify://HOST/TOKEN", make: func() client { return &gotify.Service{} }, titled: true},
	"hangouts":   {form: "hangouts://chat.googleapis.com/v1/spaces/SPACE/messages?key=KEY&token=TOKEN", make: newGoogleChat},
	"ifttt":      {form: "ifttt://KEY/?events=EVENT", make: func() client { return &ifttt.Service{} }},
	"join":       {form: "join://shoutrrr:API_KEY@join/?devices=DEVICE", make: func() client { return &join.Service{} }, titled: true},
	"lark":       {form: "lark://open.larksuite.com/TOKEN?secret=SECRET", make: func() client { return &lark.Service{} }, titled: true},
	"matrix":     {form: "matrix://:ACCESS_TOKEN@HOST/?rooms=ROOM", make: func() client { return &matrix.Service{} }, titled: true},
	"mattermost": {form: "mattermost://HOST/TOKEN/CHANNEL", make: func() client { return &mattermost.Service{} }, titled: true},
	"notifiarr":  {form: "notifiarr://API_KEY?channel=CHANNEL", make: func() client { return &notifiarr.Service{} }},
	"ntfy":       {form: "ntfy://USER:PASSWORD@HOST/TOPIC", make: func() client { return &ntfy.Service{} }, titled: true},
	"opsgenie":   {form: "opsgenie://api.opsgenie.com/API_KEY", make: func() client { return &opsgenie.Service{} }, keyed: "alias"},
	"pagerduty":  {form: "pagerduty://events.pagerduty.com/INTEGRATION_KEY", make: newPagerDuty, keyed: "dedup_key"},
	"pushbullet": {form: "pushbullet://TOKEN/DEVICE", make: func() client { return &pushbullet.Service{} }, titled: true},
	"pushover":   {form: "pushover://shoutrrr:TOKEN@USER_KEY", make: func() client { return &pushover.Service{} }, titled: true},
	"rocketchat": {form: "rocketchat://HOST/TOKEN_A/TOKEN_B/CHANNEL", make: func() client { return &rocketchat.Service{} }},
	"signal":     {form: "signal://USER:PASSWORD@HOST:PORT/+SENDER/+RECIPIENT", make: func() client { return &signal.Service{} }},
	"signalgrid": {form: "signalgrid://CLIENT_KEY@CHANNEL", make: func() client { return &signalgrid.Service{} }, titled: true},
	"slack":      {form: "slack://hook:PART-PART-PART@webhook or slack://xoxb:TOKEN@CHANNEL", make: func() client { return &slack.Service{} }, titled: true},
	"teams":      {form: "teams://?host=WORKFLOW_URL_ESCAPED", make: newTeams, titled: true},
	"telegram":   {form: "telegram://TOKEN@telegram?chats=CHAT", make: func() client { return &telegram.Service{} }, titled: true},
	"twilio":     {form: "twilio://ACCOUNT_SID:TOKEN@+FROM/+TO", make: func() client { return &twilio.Service{} }, titled: true},
	"wecom":      {form: "wecom://KEY", make: func() client { return &wecom.Service{} }},
	"zulip":      {form: "zulip://BOT_MAIL:BOT_KEY@HOST/?stream=STREAM&topic=TOPIC", make: func() client { return &zulip.Service{} }},
}

func newGoogleChat() client { return &googlechat.Service{} }

// restless is Discord's service, which waits between tries of its own, up to
// minutes, without the caller's context. It is told that the time is over.
type restless struct{ discord.Service }

func newDiscord() client { return &restless{} }

// Initialize implements types.Service.
func (r *restless) Initialize(serviceURL *url.URL, logger types.StdLogger) error {
	err := r.Service.Initialize(serviceURL, logger)
	r.Sleeper = noSleep{}
	return err
}

type noSleep struct{}

// Sleep returns at once.
func (noSleep) Sleep(time.Duration) {}

// ported is PagerDuty's service, which calls port 0 where the url names none.
type ported struct{ pagerduty.Service }

func newPagerDuty() client { return &ported{} }

// Initialize implements types.Service.
func (p *ported) Initialize(serviceURL *url.URL, logger types.StdLogger) error {
	err := p.Service.Initialize(serviceURL, logger)
	if err == nil && serviceURL.Port() == "" {
		p.Config.Port = 443
	}
	return err
}

// early is Teams' service, which looks at its address only when it sends.
type early struct{ teams.Service }

func newTeams() client { return &early{} }

// Initialize implements types.Service.
func (e *early) Initialize(serviceURL *url.URL, logger types.StdLogger) error {
	if err := e.Service.Initialize(serviceURL, logger); err != nil {
		return err
	}
	return teams.ValidateWebhookURL(e.Config.Host)
}
