"""THE TEMPLATE'S. Finds out what is wrong with a machine or a project: doctor, debug and tune.

Each file says what it looks at. Decisions are functions of facts; what touches the machine is apart.
"""
