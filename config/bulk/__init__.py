"""Tables in and out as streams, CSV or JSON lines, with bounded memory whatever their length.

Lives here: reading with an error for every bad cell, writing with exact numbers. Must not know what the rows mean: no
word of the domain, no database.
"""
