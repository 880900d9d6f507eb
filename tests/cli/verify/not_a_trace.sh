# What is no trace cannot be judged: trouble.
echo hello >text
rastrum verify text
