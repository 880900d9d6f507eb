/* crd_check.h - what the two checks share: the rules, and where they are. */
#ifndef CRD_CHECK_H
#define CRD_CHECK_H

#include "formats/crd/crd_driver.h"
#include "ops/verify/report.h"

#define CRD_RULES(RULE)                                                                            \
    RULE(FILE_FRAME, "crd.file.frame", ERROR, ERROR, false,                                        \
         "a file is one zstd frame, with nothing after it")                                        \
    RULE(FILE_SIZE, "crd.file.size", ERROR, ERROR, false,                                          \
         "a replay has at most 65 MiB, and 64 MiB of content")                                     \
    RULE(CONTENT, "crd.content", ERROR, ERROR, false, "the content is whole MessagePack")          \
    RULE(VERSION, "crd.version", ERROR, ERROR, false, "the layout of the version is known")        \
    RULE(KEYS, "crd.keys", ERROR, ERROR, false,                                                    \
         "maps have the keys of their layout, all of them, in order, none twice")                  \
    RULE(CANONICAL, "crd.canonical", ERROR, ERROR, false,                                          \
         "numbers and lengths have their shortest form, floats are float64")                       \
    RULE(VALUE, "crd.value", ERROR, ERROR, false, "values have their kind and range")              \
    RULE(RUN, "crd.run", ERROR, ERROR, false, "players and quest fit the mode")                    \
    RULE(RESULT, "crd.result", ERROR, ERROR, false, "the result fits the run")                     \
    RULE(TICKS, "crd.ticks", ERROR, ERROR, false, "there are ticks, each with its inputs")         \
    RULE(INPUT, "crd.input", ERROR, ERROR, false, "axes are finite f32, flags are known")          \
    RULE(COMMAND, "crd.command", ERROR, ERROR, false, "commands are known and fit the run")        \
    RULE(EVIDENCE_ORDER, "crd.evidence.order", ERROR, ERROR, false,                                \
         "evidence is a header, ticks one by one, and a footer")                                   \
    RULE(EVIDENCE_COUNT, "crd.evidence.count", ERROR, ERROR, false,                                \
         "header and footer count the ticks that are there")
enum crd_rule { CRD_RULES(RULE_NUMBER) };

struct crd_checker {
    struct report *report;
    struct ras_bytes all;
    struct msgpack in;
    int64_t kept[KEPT_VALUES]; /* enum crd_kept */
    bool has[KEPT_VALUES];
    enum crd_rule keys, value; /* rules for what is wrong in the map under way */
};

#define CRD_FINDING(k, rule, at, length, ...)                                                      \
    report_add((k)->report, &crd_rules[rule], 0, at, length, __VA_ARGS__)

static inline uint64_t crd_at(const struct crd_checker *k)
{
    return (uint64_t)(k->in.at - k->all.at);
}

/* Check the map at k->in against its layout; it is passed. `where` names it. `kind`: it has that
 * key before the others. */
void crd_check_map(struct crd_checker *, const struct crd_map *, const char *where, bool kind);
/* crd_check_evidence.c */
void crd_check_evidence(struct crd_checker *);
#endif
