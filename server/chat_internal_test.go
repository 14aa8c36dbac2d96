package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzChat(f *testing.F) {
	for _, seed := range []string{
		`{"model":"plumb-quick","messages":[{"role":"user","content":"Why?"}]}`,
		`{"model":"plumb-deep","messages":[{"role":"assistant","content":null},{"role":"user","content":[{"type":"text","text":"Why?"}]}],"stream":true}`,
		`{"model":"plumb-quick","messages":[{"role":"user","content":{"a":1}}],"metadata":{"session_id":"x"}}`,
		`{"messages":null}`, `[]`, `null`, `{`, "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		ask, preset, err := readChat(httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		if q := ask.question(); q == "" || utf8.RuneCountInString(q) > 10_000 || preset == "" || firstThread(ask) == "" {
			t.Errorf("%q is a question to %q", q, preset)
		}
	})
}

func TestPiecesOfAReportAreTheReport(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("Zeile mit Ümlaut\n", 900), strings.Repeat("é", 5000), strings.Repeat("x", 2048) + "日本"} {
		var got strings.Builder
		for rest := text; rest != ""; {
			piece := cut(rest)
			if piece == "" || len(piece) > chatPieceSize || !utf8.ValidString(piece) {
				t.Fatalf("piece of %d bytes", len(piece))
			}
			got.WriteString(piece)
			rest = rest[len(piece):]
		}
		if got.String() != text {
			t.Errorf("%.40q", text)
		}
	}
}

func TestErrorsUnderV1(t *testing.T) {
	for status, want := range map[int]string{401: "authentication_error", 429: "rate_limit_error", 400: "invalid_request_error", 500: "server_error", 503: "server_error", 413: "invalid_request_error"} {
		if got := openAIError(status, "x").Error; got.Type != want || got.Message != "x" {
			t.Errorf("%d: %+v", status, got)
		}
	}
}
