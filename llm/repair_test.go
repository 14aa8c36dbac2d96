package llm

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestLargestValueComesFirst(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"nothing", nil},
		{`a [1] b {"a":"}"} c`, []string{`{"a":"}"}`, `[1]`}},
		{`{"a":1}{"b":2}`, []string{`{"b":2}`, `{"a":1}`}},
		{`{"a":[1,2`, []string{`{"a":[1,2`, `[1,2`}},
		{`x {"a":"he "said" it"} bye`, []string{`{"a":"he "said" it"}`}},
		{`{"a":"b"c"} bye`, []string{`{"a":"b"c"} bye`, `{"a":"b"c"}`}},
		{`score: 1`, []string{`{score: 1}`}},
	} {
		var got []string
		for _, v := range values(c.text) {
			got = append(got, v.text)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}

// hostile are texts that make careless repairers slow, deep or wrong.
var hostile = []string{
	strings.Repeat("{", 40_000), strings.Repeat("[", 40_000), strings.Repeat(`{"a":`, 30_000), strings.Repeat(`['`, 30_000),
	strings.Repeat(`[']'`, 6_000), strings.Repeat(`["]"`, 6_000), strings.Repeat(`"`, 40_000), strings.Repeat(`\`, 40_000),
	"[" + strings.Repeat(`"a "b" c `, 1500), strings.Repeat("{}", 30_000), strings.Repeat("{ ", 30_000) + strings.Repeat("}", 29_999),
	`{"a":"` + strings.Repeat(`he said "x" and `, 1500) + `"}`, strings.Repeat("<think>", 15_000), strings.Repeat("</think>", 15_000),
	strings.Repeat("```", 15_000), strings.Repeat("/*", 15_000), strings.Repeat("a:", 15_000), strings.Repeat("<think></think>", 6_000),
}

func TestHostileAnswersEndSoon(t *testing.T) {
	for _, text := range hostile {
		begin := time.Now()
		if _, err := readAnswer[sheet](&Answer{Text: text}, mustSchema[sheet](t), nil, true); err == nil {
			t.Errorf("%.30s… was understood", text)
		}
		plainAnswer(&Request{Tools: testTools}, &Answer{Text: text})
		Strip(text)
		if d := time.Since(begin); d > 2*time.Minute { // far under a second, but for machines that are slow and checked for races
			t.Errorf("%.30s… took %v", text, d)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, c := range uglyAnswers {
		f.Add(c.text)
	}
	for _, text := range []string{`{"a":"\u`, `{'`, `[}`, `{"score":1}}}]`, "{\"a\":\"\\", `{"score":-}`, `"{\"score\":1}"`, "{\x00", `{a:b:c`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		for _, v := range values(text) {
			if v.closed && !strings.Contains(text, v.text) {
				t.Errorf("%q is not in %q", v.text, text)
			}
			if got, err := decode(v.text); err == nil {
				if _, err := json.Marshal(got); err != nil {
					t.Errorf("%q was read as something that is no JSON: %v", v.text, err)
				}
			}
		}
		got, err := readAnswer[small](&Answer{Text: text}, mustSchema[small](t), nil, true)
		if err == nil && got.Notes == nil {
			t.Errorf("%q gave a list that is nil", text)
		}
		if err != nil && !utf8.ValidString(clip(err.Error(), maxQuoted)) && utf8.ValidString(text) {
			t.Errorf("%q gave an error that is not UTF-8: %q", text, err)
		}
	})
}
