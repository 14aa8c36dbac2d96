package form

import (
	"fmt"
	"io/fs"
	"path"
)

// Migrations are the scripts in migrations/, in the order of their names: 001_….sql brings a store to schema 1. The files are
// part of the program, so that what is wrong with them panics: whoever builds it must see that.
func Migrations(files fs.FS) []string {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	var out []string
	for i, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil || path.Base(name)[:4] != fmt.Sprintf("%03d_", i+1) {
			panic(fmt.Sprintf("migration %s is not number %d: %v", name, i+1, err))
		}
		out = append(out, string(b))
	}
	return out
}
