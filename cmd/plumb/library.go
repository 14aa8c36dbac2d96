package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
)

func (r *root) libraryCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "library",
		Short: "Your documents: add, search, list, remove",
		Example: `  plumb library add ~/dossier
  plumb library search "expansion joint"
  plumb library list
  plumb library remove ~/dossier`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("plumb library %s is not a command: use add, search, list or remove", args[0])
			}
			return cmd.Help()
		},
	}
	c.AddCommand(r.libraryAdd(), r.librarySearch(), r.libraryList(), r.libraryRemove())
	return c
}

func (r *root) libraryAdd() *cobra.Command {
	return &cobra.Command{
		Use:     "add FOLDER…",
		Short:   "Read folders or files into the library, or bring it up to date with them",
		Example: "  plumb library add ~/dossier ~/minutes/2024.pdf",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("plumb library add takes the folders or files to read")
			}
			for _, path := range args {
				if _, err := documents("", path); err != nil {
					return err
				}
			}
			return r.with(cmd.Context(), nil, func(a *app) error {
				for _, path := range args {
					if err := r.addFolder(cmd.Context(), a, path); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func (r *root) addFolder(ctx context.Context, a *app, path string) error {
	p := newProgress(r, false, false)
	defer p.rest()
	o := library.AddOptions{
		Progress: func(n plumb.DocumentsNews) { p.show(plumb.News(plumb.DocumentsRead, "", n)) },
		Skipped:  func(s library.Skip) { p.show(plumb.Event{Kind: plumb.FileSkipped, Text: s.Path + ": " + s.Reason}) },
		Cut: func(path string) {
			p.show(plumb.Event{Kind: plumb.Warning, Text: path + ": too long, only its beginning is read"})
		},
	}
	rep, err := a.library.Add(ctx, path, o)
	if err != nil {
		return err
	}
	p.rest()
	_, err = fmt.Fprintf(r.io.out, "%s: %s (%d new, %d changed, %d unchanged, %d gone, %d skipped), %s\n",
		path, count(rep.Files.Total-rep.Files.Skipped, "document"), rep.Files.Added, rep.Files.Changed, rep.Files.Same, rep.Files.Removed, rep.Files.Skipped, count(rep.Passages, "new passage"))
	return err
}

func (r *root) librarySearch() *cobra.Command {
	var docs []string
	var limit int
	var asJSON bool
	c := &cobra.Command{
		Use:     "search WORDS",
		Short:   "Find passages",
		Example: `  plumb library search --limit 3 "expansion joint at Pier 4"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.TrimSpace(strings.Join(args, " "))
			if text == "" {
				return usage("plumb library search takes the words to look for")
			}
			if limit < 1 {
				return usage("--limit %d is too few: use 1 or more", limit)
			}
			return r.with(cmd.Context(), nil, func(a *app) error {
				hits, err := a.library.Search(cmd.Context(), library.Query{Text: text, Folders: docs, Limit: limit})
				if err != nil {
					return err
				}
				if asJSON {
					return r.printJSON(nonNil(hits))
				}
				return r.printHits(hits)
			})
		},
	}
	c.Flags().StringArrayVar(&docs, "docs", nil, "only in this folder (repeatable)")
	c.Flags().IntVar(&limit, "limit", 5, "at most this many")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (r *root) printHits(hits []plumb.Hit) error {
	if len(hits) == 0 {
		_, err := fmt.Fprintln(r.io.err, "nothing found")
		return err
	}
	for _, h := range hits {
		if _, err := fmt.Fprintf(r.io.out, "%s  %s %s\n    %s\n\n", printable(h.Source.URL), printable(h.Source.Title), h.Source.Date, cut(printable(oneLine(h.Text)), 400)); err != nil {
			return err
		}
	}
	return nil
}

func (r *root) libraryList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list [FOLDER]",
		Short:   "List the documents",
		Example: "  plumb library list\n  plumb library list --json ~/dossier",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := strings.Join(args, "")
			return r.with(cmd.Context(), nil, func(a *app) error {
				list, err := a.library.List(cmd.Context(), folder)
				if err != nil {
					return err
				}
				if asJSON {
					return r.printJSON(nonNil(list))
				}
				return r.listDocuments(list, folder)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (r *root) listDocuments(list []library.Entry, folder string) error {
	switch {
	case len(list) == 0 && folder != "":
		return usage("%s is not in the library: see plumb library list", folder)
	case len(list) == 0:
		_, err := fmt.Fprintln(r.io.err, "no documents yet: plumb library add FOLDER")
		return err
	}
	w := tabwriter.NewWriter(r.io.out, 0, 0, 2, ' ', 0)
	for _, e := range list {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", printable(e.Path), e.Source.Date, cut(printable(e.Source.Title), 60), count(e.Passages, "passage")); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (r *root) libraryRemove() *cobra.Command {
	return &cobra.Command{
		Use:     "remove FOLDER",
		Short:   "Take a folder or file out of the library; your files stay",
		Example: "  plumb library remove ~/dossier",
		Args:    exactly(1, "one folder or file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.with(cmd.Context(), nil, func(a *app) error {
				n, err := a.library.Remove(cmd.Context(), args[0])
				if errors.Is(err, library.ErrNotInLibrary) {
					return usage("%v", err)
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(r.io.out, "%s removed\n", count(n, "document"))
				return err
			})
		},
	}
}
