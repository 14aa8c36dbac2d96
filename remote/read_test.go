package remote

// Answers of the three services, as they are and as nobody would want them.

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/verify"
)

// quoted is a string as JSON.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestOpenAICountsCharactersAndGeminiBytes(t *testing.T) {
	text := "Die Mühle, 漢字 und 🙂 brannte. Es regnete."
	cut := strings.Index(text, " Es regnete.")
	want := "Die Mühle, 漢字 und 🙂 brannte [1]. Es regnete."
	note := func(end int) string {
		return fmt.Sprintf(`{"type":"url_citation","start_index":0,"end_index":%d,"url":"https://a.example/","title":"A"}`, end)
	}
	for name, read := range map[string]func() (answer, error){
		"openai": func() (answer, error) {
			return openAI{}.read([]byte(`{"status":"completed","output":[{"type":"reasoning"},{"type":"message","content":[{"type":"output_text","text":` + quoted(text) + `,"annotations":[` + note(utf8.RuneCountInString(text[:cut])) + `]}]}]}`))
		},
		"gemini": func() (answer, error) {
			return gemini{}.read([]byte(`{"status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":` + quoted(text) + `,"annotations":[` + note(cut) + `]}]}]}`))
		},
	} {
		a, err := read()
		if err != nil || !strings.HasPrefix(a.Report, want) || !strings.HasSuffix(a.Report, "[1] A. <https://a.example/>\n") {
			t.Errorf("%s: %q, %v", name, a.Report, err)
		}
	}
}

func TestPartsOfAnAnswerAreOneReport(t *testing.T) {
	part := func(text string) string {
		return `{"type":"output_text","text":` + quoted(text) + `,"annotations":[{"type":"url_citation","start_index":0,"end_index":999,"url":"https://` + text[:1] + `.example/","title":""},{"type":"file_citation"}]}`
	}
	a, err := openAI{}.read([]byte(`{"status":"completed","output":[{"type":"message","content":[` + part("a burned.") + `,` + part("b rained.") + `]},{"type":"web_search_call"}]}`))
	want := "a burned [1].\n\nb rained [2].\n\n## Sources\n\n[1] a.example. <https://a.example/>\n\n[2] b.example. <https://b.example/>\n"
	if err != nil || a.Report != want {
		t.Errorf("%q, %v", a.Report, err)
	}
}

func TestAReportThatWasCutOffIsDelivered(t *testing.T) {
	for name, body := range map[string]string{
		"openai": `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"Half a"}]}]}`,
		"gemini": `{"status":"incomplete","outputs":[{"type":"text","text":"Half a"}]}`,
	} {
		a, err := wires[name].read([]byte(body))
		if err != nil || !a.Done || a.Report != "Half a\n" || a.Status != "incomplete" || a.failed != "" {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestGeminisOwnMarksStayWhereTheyLeadSomewhere(t *testing.T) {
	own := "The mill burned down in 2022 [cite: 1, 2]. It was rebuilt in 2024[cite:2].\n\n**Sources:**\n1. [a.example](https://a.example/x)\n2. [b.example](https://b.example/y)\n"
	a, err := gemini{}.read([]byte(`{"status":"completed","outputs":[{"type":"text","text":` + quoted(own) + `,"annotations":[{"start_index":0,"end_index":20,"source":"https://c.example/"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	claims := verify.Split(a.Report)
	if len(claims) != 2 || len(claims[0].Citations) != 2 || len(claims[1].Citations) != 1 || claims[1].Citations[0] != "https://b.example/y" {
		t.Errorf("claims %+v of:\n%s", claims, a.Report)
	}
	text := "The mill burned down in 2022 [cite: 1]."
	a, err = gemini{}.read([]byte(`{"status":"completed","outputs":[{"type":"text","text":` + quoted(text) + `,"annotations":[{"start_index":0,"end_index":28,"source":"https://c.example/"}]}]}`))
	if want := "The mill burned down in 2022 [1].\n\n## Sources\n\n[1] c.example. <https://c.example/>\n"; err != nil || a.Report != want {
		t.Errorf("%q, %v", a.Report, err)
	}
}

func TestPerplexitysNumbersCountItsCitations(t *testing.T) {
	body := func(extra string) []byte {
		return []byte(`{"status":"COMPLETED","response":{"choices":[{"message":{"role":"assistant","content":"<think>no [4]</think>The mill burned down in 2022[2]. It was rebuilt in 2024[1][3]."}}],` + extra + `}}`)
	}
	results := `"search_results":[{"title":"First","url":"https://a.example/1"},{"title":"Second","url":"https://a.example/2"},{"title":"Third","url":"ftp://a.example/3"}]`
	for name, extra := range map[string]string{
		"results alone": results,
		"citations":     `"citations":["https://a.example/1","https://a.example/2","nonsense"],` + results,
	} {
		a, err := perplexity{}.read(body(extra))
		want := "The mill burned down in 2022[2]. It was rebuilt in 2024[1][3].\n\n## Sources\n\n[1] First. <https://a.example/1>\n\n[2] Second. <https://a.example/2>\n"
		if err != nil || a.Report != want || a.Bill.Priced {
			t.Errorf("%s: %q, %v", name, a.Report, err)
		}
	}
}

func TestStatusesThatNobodyKnowsAreNoAnswer(t *testing.T) {
	for name, w := range wires {
		for _, body := range []string{`{}`, `{"status":"dreaming"}`, `{"status":7}`, `[]`, `null`, ``, `{"status":"completed"`} {
			if a, err := w.read([]byte(body)); err == nil {
				t.Errorf("%s: %s: %+v", name, body, a)
			}
		}
	}
}

func TestAnEmptyReportIsNone(t *testing.T) {
	for name, body := range map[string]string{"openai": `{"status":"completed"}`, "gemini": `{"status":"completed","steps":[{"type":"user_input","content":[{"type":"text","text":"Why?"}]}]}`, "perplexity": `{"status":"COMPLETED"}`} {
		if a, err := wires[name].read([]byte(body)); err != nil || !a.Done || a.Report != "" {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

var wires = map[string]wire{"openai": openAI{}, "gemini": gemini{}, "perplexity": perplexity{}}

// fuzz holds what must be true of any answer: no panic, valid text, numbers with sources that are addresses.
func fuzz(f *testing.F, w wire, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := w.read(body)
		if err != nil {
			return
		}
		if !utf8.ValidString(a.Report) || a.Report != "" && strings.TrimSpace(a.Report) == "" {
			t.Errorf("report %q", a.Report)
		}
		if a.Report != "" && !a.Done {
			t.Errorf("a report of a job that is not done")
		}
		if b := a.Bill; b.Input < 0 || b.Output < 0 || b.Cached < 0 || b.USD < 0 || b.USD != b.USD || b.Priced != (b.USD > 0) {
			t.Errorf("bill %+v", b)
		}
	})
}

func FuzzOpenAI(f *testing.F) {
	fuzz(f, openAI{}, `{"status":"queued"}`, `{"status":"failed","error":{"message":"x"}}`,
		`{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Größe [3] x.\n# h","annotations":[{"type":"url_citation","start_index":-1,"end_index":7,"url":"https://a.example/"},{"type":"url_citation","start_index":3,"end_index":99,"url":"https://b.example/(x"}]}]}],"usage":{"input_tokens":-5}}`)
}

func FuzzGemini(f *testing.F) {
	fuzz(f, gemini{}, `{"status":"in_progress"}`, `{"status":"requires_action"}`,
		`{"status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":"漢 [cite: 1, 2].\n1. https://a.example","annotations":[{"start_index":1,"end_index":2,"url":"https://a.example/"}]}]}],"usage":{"total_input_tokens":1}}`,
		`{"status":"completed","outputs":[{"type":"text","text":"a [cite: 1]","annotations":[{"end_index":1,"source":"https://a.example/"}]}]}`)
}

func FuzzPerplexity(f *testing.F) {
	fuzz(f, perplexity{}, `{"status":"CREATED"}`, `{"status":"FAILED","error_message":"x"}`,
		`{"status":"COMPLETED","response":{"choices":[{"message":{"content":"<think>a</think>b[1]"}}],"citations":["https://a.example/"],"search_results":[{"title":"*A*","url":"https://a.example/"}],"usage":{"prompt_tokens":1,"cost":{"total_cost":0.5}}}}`)
}

func FuzzWeave(f *testing.F) {
	f.Add("The mill burned. It rained.", 3, 16, "https://a.example/")
	f.Add("# h\n[x](https://b.example/", -1, 9, "https://b.example/)")
	f.Add("漢字。", 1, 2, "http://x")
	f.Fuzz(func(t *testing.T, text string, start, end int, url string) {
		got := weave(text, []note{{start, end, url, url}})
		body, _, _ := strings.Cut(got, "\n## Sources")
		if n := len(body) - len(strings.TrimSpace(text)); n > len(" [1000]")+1 {
			t.Errorf("%d bytes were added to %q: %q", n, text, body)
		}
	})
}
