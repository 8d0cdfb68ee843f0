"""Functions of single elements, as expressions of `ir`: what each element-wise function converts and computes.

In come expressions of scalar type, real or pairs for complex ones; out come such expressions. Start with
`scalar_functions`, the table of all loops; `scalars` has what they are made of.
"""
