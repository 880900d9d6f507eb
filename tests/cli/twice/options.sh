# What the verb does not take, and the words for it.
rastrum twice || echo $?
rastrum twice --vary clok -- true || echo $?
rastrum twice --only weather -- true || echo $?
rastrum twice -n 1 -- true || echo $?
rastrum twice --timeout 0 -- true || echo $?
rastrum twice --max-runs 1 -- true || echo $?
rastrum twice -- ./no-such-program || echo $?
rastrum twice --stdin missing -- true || echo $?
rastrum twice -o - -- true || echo $?
rastrum twice --unknown -- true || echo $?
rastrum twice --vary clock --only random -- true || echo $?
rastrum twice --vary '' -- true || echo $?
