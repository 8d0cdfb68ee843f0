"""Views and assignment: which arrays show the same elements, and what an assignment to one means for the others.

In come an array and a key, or a view's steps; the array object stands for something else afterwards. Start with
`views`; `assignment` is `x[key] = value`.
"""
