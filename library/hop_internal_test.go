package library

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	cases := []struct{ text, want string }{
		{"The ferry was designed by Marta Quill, an engineer.", "Marta Quill"},
		{"Ferries cross. Marta Quill built them.", "Marta Quill"},
		{"Boats came in 1999.", ""},
		{"It ran until World War 2 and after", "World War 2"},
		{"The Lowen, Saltmere (Coast) and Quay", "The Lowen Saltmere Coast Quay"},
		{"渡船由玛尔塔设计。然后 Lowen 的人们", "Lowen"},
		{"日本の渡し船 Kawa Maru は", "Kawa Maru"},
		{"", ""},
	}
	for _, c := range cases {
		if got := strings.TrimSpace(names(c.text)); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestMentions(t *testing.T) {
	o := origin{terms: strings.Fields("ferri design marta quill engin"), names: strings.Fields("marta quill")}
	for title, want := range map[string]bool{
		"marta quill": true, "quill": true, "design marta": true, // two words in their order are rarely chance
		"engin": false, "quill marta": false, "marta quill engin coast": false, "": false,
	} {
		if got := o.mentions(strings.Fields(title)); got != want {
			t.Errorf("%q: %v", title, got)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("The ferry was designed by Marta Quill, 1954.")
	f.Add("渡船 Lowen 1\xff Ab\u0301")
	f.Fuzz(func(t *testing.T, s string) {
		for _, word := range strings.Fields(names(s)) {
			if !strings.Contains(s, word) {
				t.Fatalf("%q is not in the text", word)
			}
		}
	})
}
