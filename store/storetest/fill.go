package storetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// filled is a value of which every field is set, and to something else for every n: a store that drops a field, also
// one that was added to the type later, does not give it back equal.
func filled[T any](n int) T {
	var v T
	f := filler{n: n * 1000}
	f.fill(reflect.ValueOf(&v).Elem(), 0)
	return v
}

type filler struct{ n int }

// maxNesting is how deep a type that contains itself is followed.
const maxNesting = 3

// words are texts that careless storing breaks.
var words = []string{
	"plain", "naïve café", "дело", "研究資料", "🧪 emoji", "it's \"quoted\" \\ and 100 %", "line\nbreak\tand\rmore", "a <b>&amp;</b>",
	"NUL \x00 inside", "e\u0301 combining", "\u200bzero width", "'; DROP TABLE runs; --",
}

func (f *filler) fill(v reflect.Value, depth int) {
	f.n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(later(f.n).Add(time.Duration(f.n) * time.Microsecond)))
		return
	case json.RawMessage:
		v.SetBytes(fmt.Appendf(nil, `{"n":%d}`, f.n))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s %d", words[f.n%len(words)], f.n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Float64:
		v.SetFloat(float64(f.n) / 7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth)
	case reflect.Slice:
		if depth == maxNesting {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth)
		}
	default:
		panic(fmt.Sprintf("storetest can't fill a %s", v.Type()))
	}
}

// lenOf is the length of a slice, -1 for other values.
func lenOf(v any) int {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice {
		return r.Len()
	}
	return -1
}
