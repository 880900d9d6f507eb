# The timelines that can be written.
rastrum export --targets | grep timeline
