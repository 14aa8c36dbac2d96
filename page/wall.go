package page

// Paywalls, bot walls and pages without text for readers without scripts. A bot wall says nothing about what a page
// costs: it is never called a paywall.

import (
	"net/http"
	"slices"
	"strings"
)

// A page with less text than this may be nothing but a wall; with more, a phrase on it is a part of the page.
const (
	wallText    = 1000 // characters, bot walls
	paywallText = 2000 // characters, paywalls: they show the beginning of an article
)

// challenges are in the HTML of bot walls and of little else.
var challenges = []string{
	"/cdn-cgi/challenge-platform/", "_cf_chl_opt", "cf-browser-verification", "cf-challenge", "captcha-delivery.com", "px-captcha",
	"_incapsula_resource", "distil_r_captcha", "/_sec/cp_challenge/", "awswafintegration", "aws-waf-token", "ddos-guard",
	"sucuri_cloudproxy", "ips.js?kpsdk", "within.website/x/cmd/anubis", "anubis_challenge", "validate.perfdrive.com",
}

// widgets are captchas, which ordinary pages have in their forms too.
var widgets = []string{"g-recaptcha", "h-captcha", "cf-turnstile", "hcaptcha.com", "recaptcha/api.js", "friendlycaptcha", "geetest"}

// botPhrases are what bot walls tell people, lower case.
var botPhrases = []string{
	"just a moment...", "attention required! | cloudflare", "checking your browser before accessing", "verify you are human",
	"verify that you are human", "verifying you are human", "confirm you are human", "are you a robot", "you are not a robot", "you're not a robot",
	"not a bot", "unusual traffic from your", "pardon our interruption", "enable javascript and cookies to continue",
	"ddos protection by", "automated access to", "bot detection", "complete the captcha", "solve the captcha", "security check to access",
	"errors.edgesuite.net", "ich bin kein roboter", "bestätigen sie, dass sie ein mensch", "vérifiez que vous êtes humain", "je ne suis pas un robot",
	"verifica que eres humano", "no soy un robot", "non sono un robot", "não sou um robô", "ik ben geen robot", "подтвердите, что вы не робот",
	"私はロボットではありません", "请完成安全验证", "确认您是真人",
}

// payPhrases are what paywalls tell people, lower case.
var payPhrases = []string{
	"subscribe to continue", "subscribe to read", "subscribe now to read", "subscribers only", "subscriber-only", "for subscribers only", "subscription required",
	"already a subscriber", "to continue reading, subscribe", "become a subscriber", "this article is for subscribers", "exclusive to subscribers",
	"get access to the full", "purchase access", "buy this article", "rent or buy", "access through your institution", "log in via your institution",
	"you have reached your limit of free articles", "you've reached your free article limit", "free articles remaining", "unlock this article",
	"nur für abonnenten", "weiterlesen mit", "jetzt abonnieren", "mit einem abo lesen", "bereits abonnent", "exklusiv für abonnenten", "diesen artikel mit",
	"réservé aux abonnés", "réservé à nos abonnés", "abonnez-vous pour lire", "déjà abonné", "la suite est réservée",
	"solo para suscriptores", "exclusivo para suscriptores", "suscríbete para", "ya eres suscriptor",
	"riservato agli abbonati", "abbonati per continuare", "contenuto riservato", "exclusivo para assinantes", "assine para continuar", "já é assinante",
	"alleen voor abonnees", "word abonnee", "al abonnee", "för prenumeranter", "kun for abonnenter", "tylko dla subskrybentów",
	"только для подписчиков", "оформите подписку", "有料会員限定", "この記事は有料", "会員限定記事", "订阅后阅读", "仅限订阅", "订阅用户专享", "구독자 전용",
}

// wall returns the error of an answer that is no page: a wall with its name, or its status.
func (m *marks) wall(doc *document) error {
	if m.botWall(doc) {
		return &Error{Kind: BotWall, Status: doc.status}
	}
	if doc.ok() {
		return nil
	}
	e := statusError(doc.status)
	if e.Kind == Forbidden && (m.notFree || m.says(payPhrases)) {
		e.Kind = Paywall
	}
	return e
}

func (m *marks) botWall(doc *document) bool {
	if strings.EqualFold(doc.header.Get("Cf-Mitigated"), "challenge") {
		return true
	}
	if !m.html || m.visible >= wallText {
		return false
	}
	if !doc.ok() && !slices.Contains([]int{
		http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusTooManyRequests, http.StatusServiceUnavailable,
	}, doc.status) {
		return false
	}
	if slices.ContainsFunc(challenges, func(c string) bool { return strings.Contains(m.raw, c) }) {
		return !doc.ok() || m.visible < fullText
	}
	captcha := slices.ContainsFunc(widgets, func(w string) bool { return strings.Contains(m.raw, w) })
	return captcha && !doc.ok() || m.says(botPhrases) && (!doc.ok() || captcha || m.visible < fullText)
}

func (m *marks) says(phrases []string) bool {
	title := strings.ToLower(m.title)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(m.text, p) || strings.Contains(title, p) })
}

// paywalled: the page says that the rest is for subscribers. chars is the length of its text.
func (m *marks) paywalled(chars int) bool {
	return m.notFree || m.html && chars < paywallText && m.visible < 2*paywallText && m.says(payPhrases)
}

// needsScript: a page that scripts put together, read without them. chars is the length of the text that was found.
func (m *marks) needsScript(chars int) bool {
	if !m.html || m.scripts == 0 || chars >= fullText {
		return false
	}
	told := strings.Contains(m.noscript, "javascript") || strings.Contains(m.text, "javascript")
	return told || m.mount || chars < partText
}
