package server_test

import (
	"bytes"
	"encoding/base64"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const notes = "# Notes of March\n\nThe Marrowgate Bridge was repaired for 48.2 million euros in 2024.\n"

// form is a multipart body with one file.
func form(t *testing.T, name, content string, fields ...string) (body, media string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if name != "" {
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func TestDocumentsAreAddedFoundAndRemoved(t *testing.T) {
	c := client{t, newHouse(t, nil).serve(nil).URL}
	const path = "/api/v1/library/documents"
	if got := strings.TrimSpace(string(c.get(path).want(http.StatusOK).body)); got != `{"documents":[],"total_count":0}` {
		t.Error(got)
	}
	pdf, err := os.ReadFile(filepath.Join("..", "examples", "corpus", "engineering", "2023-05-12-root-cause-and-options.docx"))
	if err != nil {
		t.Fatal(err)
	}
	added := c.post(path, map[string]string{"name": "notes/march.md", "text": notes}).want(http.StatusCreated).object()
	if added["name"] != "notes/march.md" || added["title"] != "Notes of March" || added["passages"] != 1.0 {
		t.Errorf("%v", added)
	}
	has(t, "document", added, "name", "title", "size", "chars", "passages", "format", "language", "source", "added_at")
	c.post(path, map[string]string{"name": "cause.docx", "content_base64": base64.StdEncoding.EncodeToString(pdf)}).want(http.StatusCreated)
	c.post(path+"?name=raw.txt", "A plain text about ferries.", "Content-Type", "text/plain").want(http.StatusCreated)
	c.post(path+"?name=data.json.md", `{"a":"JSON that is a document"}`).want(http.StatusCreated)
	body, media := form(t, "upload.csv", "year,vehicles\n2023,41000\n")
	c.post(path, body, "Content-Type", media).want(http.StatusCreated)
	body, media = form(t, "x.md", notes, "name", "march again.md")
	c.post(path, body, "Content-Type", media).want(http.StatusCreated)
	c.post(path, map[string]string{"name": "raw.txt", "text": "Another text about ferries, in its place."}).want(http.StatusCreated)

	var list struct {
		Documents []struct{ Name string }
		Total     int `json:"total_count"`
	}
	c.get(path).want(http.StatusOK).into(&list)
	var names []string
	for _, d := range list.Documents {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, ","); got != "cause.docx,data.json.md,march again.md,notes/march.md,raw.txt,upload.csv" || list.Total != 6 {
		t.Errorf("%s, %d", got, list.Total)
	}
	var found struct {
		Results []map[string]any
		Count   int
	}
	c.get("/api/v1/library/search?q=repair+million+euros&limit=1").want(http.StatusOK).into(&found)
	if found.Count != 1 || !strings.Contains(found.Results[0]["text"].(string), "48.2 million") {
		t.Fatalf("%+v", found)
	}
	has(t, "hit", found.Results[0], "name", "title", "heading", "text", "score", "source", "start", "end")
	if got := strings.TrimSpace(string(c.get("/api/v1/library/search?q=zeppelin").want(http.StatusOK).body)); got != `{"results":[],"count":0}` {
		t.Error(got)
	}
	c.do(http.MethodDelete, path+"?name=march+again.md", nil).want(http.StatusNoContent)
	c.do(http.MethodDelete, path+"?name=march+again.md", nil).refused(http.StatusNotFound, "Document not found")
}

func TestWrongDocumentsAreRefused(t *testing.T) {
	c := client{t, newHouse(t, nil).serve(nil).URL}
	const path = "/api/v1/library/documents"
	for body, words := range map[string][]string{
		`{`:                                     {"JSON"},
		`{"text":"x"}`:                          {"name"},
		`{"name":"a.md"}`:                       {"text", "content_base64"},
		`{"name":"a.md","text":7}`:              {"text", "number", "string"},
		`{"name":"../a.md","text":"x"}`:         {"relative path"},
		`{"name":"/etc/a.md","text":"x"}`:       {"relative path"},
		`{"name":"a.md","content_base64":"%%"}`: {"content_base64", "base64"},
		`{"name":"a.md","text":"x","content_base64":"eA=="}`: {"not both"},
	} {
		c.post(path, body).refused(http.StatusBadRequest, words...)
	}
	c.post(path, "some text", "Content-Type", "text/plain").refused(http.StatusBadRequest, "name")
	body, media := form(t, "", "", "name", "x.md")
	c.post(path, body, "Content-Type", media).refused(http.StatusBadRequest, "file")
	c.post(path, "no form", "Content-Type", "multipart/form-data").refused(http.StatusBadRequest)
	c.post(path, map[string]string{"name": "a.exe", "content_base64": base64.StdEncoding.EncodeToString([]byte("MZ\x00\x01\x02\x00\xff"))}).refused(http.StatusUnsupportedMediaType, "a.exe", "cannot be read")
	c.post(path, map[string]string{"name": "a.pdf", "text": "no PDF"}).refused(http.StatusUnsupportedMediaType, "a.pdf", "cannot be read")
	c.do(http.MethodDelete, path, nil).refused(http.StatusBadRequest, "name")
	for query, field := range map[string]string{"": "q", "?q=+": "q", "?q=x&limit=0": "limit", "?q=x&limit=51": "limit"} {
		c.get("/api/v1/library/search"+query).refused(http.StatusBadRequest, field)
	}
}
