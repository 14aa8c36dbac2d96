// Package front is what every front end talks to: the HTTP API, the web page, the OpenAI-compatible endpoint and MCP. A
// Tenant sees its own runs, threads and documents and nothing else; what is another's does not exist for it. Here, and
// nowhere behind it, tenants are kept apart.
package front
