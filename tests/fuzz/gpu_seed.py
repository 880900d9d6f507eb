#!/usr/bin/env python3
"""gpu_seed.py - shaders, and the command streams of the golden pictures: gpu_seed.py DIRECTORY"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../gpu"))
import scenes  # noqa: E402

TEXTS = ["""#version 300 es
precision highp float;
%s
void main() {
  %s
}
""" % pair for pair in (
    ("layout(location=0) in vec2 p;\nlayout(location = 1) in vec4 c;\nout vec4 v;",
     "v = vec4(c.rgb, 1.0); gl_Position = vec4(p * c.a, 0.5 - p.x, c.a);"),
    ("in vec4 v;\nout vec4 o;",
     "const float k = 0.5; vec3 a = v.zyx * k + 1.0; a.xy -= v.st; o = vec4(a, -v.w);"))]

for i, text in enumerate(TEXTS):
    with open(os.path.join(sys.argv[1], "text-%d" % i), "w") as f:
        f.write(text)
for make in scenes.SCENES:
    for i, data in enumerate(scenes.draw(make, 0, "none").streams):
        with open(os.path.join(sys.argv[1], "%s-%d" % (make.__name__, i)), "wb") as f:
            f.write(data)
