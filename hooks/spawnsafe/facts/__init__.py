"""What is known about libraries: data, no code that decides.

Names are full names as they are imported; `X().y` is the method y of an object that X made; "?" is an
object of unknown kind. Sources are the documentation and the source code of each library, as of
torch 2.13, Lightning 2.6, transformers 5, ultralytics 8.4, Python 3.14.
"""
