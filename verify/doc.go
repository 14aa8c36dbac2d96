// Package verify checks a report against what it cites: it finds the mentions of
// sources in a draft, splits the draft into claims, and gives each claim a
// verdict with the passage that says so.
//
// The check is a cascade (see judgePage): the claim or a quotation in it stands
// in the source; or the windows of the source that share most of its weighty
// words are compared with it, numbers first; or the embedded judge, a small
// model in the binary, weighs what the rules leave open; or, where a Judge is
// given, that one decides about what is still not sure. A source that could not be read
// is never held against a claim, and a list of references never supports one.
package verify
