// Package mcp is Plumb among the tools of language models. As a server it lets a model ask questions, wait for reports, have
// a report audited and read what was cited. As a client it makes the search tools of other MCP servers search engines of a
// run. What comes from outside, on either side, is data: fenced, bounded, and never an instruction.
package mcp
