// Package verify checks a report against what it cites: it finds the mentions of
// sources in a draft, splits the draft into claims, and gives each claim a
// verdict with the passage that says so.
//
// The check is a cascade (see judgePage): the claim or a quotation in it stands
// in the source; or the windows of the source that share most of its weighty
// words are compared with it, numbers first; or, where a Judge is given, that
// judge decides about what the rules leave open. A source that could not be read
// is never held against a claim, and a list of references never supports one.
package verify
