"""Rules that cross keys, in the words in which both Helm and rlinf-eks refuse values.

A rule that belongs to one construct stands beside it; here are those on the meeting of several, a module a subject.
"""
