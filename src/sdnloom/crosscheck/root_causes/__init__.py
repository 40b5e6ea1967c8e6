"""Root causes of differences: the fewest fields that have to differ from the harmless input, and which values matter.

A root cause is what is left of a differing input when every field has its default that can have it without changing
the difference (`minimal_input`). Its condition is the set of values of each field left for which the difference stays,
while the others are as in the minimal input (`value_set`). Two minimal inputs are one cause if the message, the types
and commands (tags), the fields and the difference are the same, wherever in a list of actions or in a test they are; or
if all but the difference are the same, conditions included.

An input in which two causes meet shows a difference of its own that nobody has to read. It is *explained* and not a
cause if each agent does what it does for some of the fields alone, and one of these smaller inputs differs already; or
if both agents refuse it, one of them as it refuses a smaller input that differs already; or if neither refuses it or
ends, and it differs because of some of its fields that differ already alone. Unless both agents notice both faults and
choose differently which one to report: that is an order of validation, one cause for each two parts of a message.
(`explanation`)

A field that differs is explained by a smaller input in which the same field differs, in a frame or in a message, or in
which the agents react differently. A field of a reply that has the same two values wherever it appears, such as what a
switch says of itself, is one cause, however the message is asked for; so is a field that differs in all messages of its
kind that both agents send.
"""
