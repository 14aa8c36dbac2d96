// Package form is how things look in a store, the same in every one of them: postings of the library, requests in parts,
// documents made ready for the index, numbered migrations, sums of money, and how an error names what it is about. It knows
// no database.
package form
