// Package library is the user's own documents: it reads folders of files, cuts
// them into passages with offsets, keeps them in an Index and searches them.
//
// A folder is a collection of its own. What a search over some folders finds,
// and in which order, depends on the documents of these folders alone: not on
// what else is in the store, nor on how the documents came there.
package library
