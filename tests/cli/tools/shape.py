"""shape.py - the shape of the JSON on standard input: keys in order, values by their type.

Values become a word for their type; JSON Lines give one line each, the same ones only once.
"""
import json
import sys


def shape(value):
    if isinstance(value, dict):
        return "{" + ", ".join("%s: %s" % (k, shape(v)) for k, v in value.items()) + "}"
    if isinstance(value, list):
        kinds = list(dict.fromkeys(shape(v) for v in value))
        return "[" + " | ".join(kinds) + "]"
    return {bool: "bool", int: "int", float: "float", str: "text", type(None): "null"}[type(value)]


def main():
    text = sys.stdin.read()
    try:
        documents = [json.loads(text)]
    except json.JSONDecodeError:
        documents = [json.loads(line) for line in text.splitlines()]
    for line in dict.fromkeys(shape(d) for d in documents):
        print(line)


main()
